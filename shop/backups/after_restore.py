"""What is the same for every shop: links that were used, mails that were written."""

import secrets

from shop.backups.selectors import RESTORED_PULSE
from shop.core.jobs import note_pulse
from shop.core.models import MailState, OutgoingMail
from shop.core.restored import Restored, after_restore
from shop.core.shop_settings import renew_link_salt

HELD = (
    "Retenu par la restauration d'une sauvegarde\u00a0: cet e-mail est peut-être déjà parti. Il n'y a rien à "
    "corriger\u00a0; renvoyez-le s'il n'est pas arrivé."
)
"""The workshop reads it."""


@after_restore("backups")
def note_restore(restored: Restored) -> None:
    """The rows of backups end before that which they came from: by them alone the last one would look long ago."""
    note_pulse(RESTORED_PULSE)


@after_restore("links")
def end_links(restored: Restored) -> None:
    """Links of accounts are good once: that one was used since is forgotten. The keys in others name other rows. Those
    to orders open what they did."""
    renew_link_salt(secrets.token_hex(8))
    restored.notes.append(
        "Links of accounts in earlier mails are dead; people ask for new ones on the same pages."
    )


@after_restore("mails")
def hold_mails(restored: Restored) -> None:
    """What waited at the moment of the backup was probably sent a minute later."""
    waiting = OutgoingMail.objects.filter(state__in=(MailState.QUEUED, MailState.SENDING))
    held = waiting.update(state=MailState.FAILED, lease_until=None, last_error=HELD)
    if held:
        restored.notes.append(
            f"Mails that waited and are held: {held} (/admin, E-mails envoyés, En échec, Renvoyer)."
        )
