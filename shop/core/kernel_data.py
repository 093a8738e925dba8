"""What the kernel itself holds of people: the mails of the outbox, and Django's sessions."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from shop.core.mail import purge_account_mails, purge_mails
from shop.core.models import MailState, OutgoingMail
from shop.core.personal_data import (
    Basis,
    Period,
    Person,
    ProcessingActivity,
    Record,
    RetentionRule,
    record_of,
    register_activity,
    register_not_personal,
    register_retention,
)

UNDELIVERED_FOR = timedelta(days=7)
"""How long an erasure waits for a mail that can't be delivered."""


def erase_mails(mails: QuerySet[OutgoingMail]) -> bool:
    """Delete mails, but those that are still to be sent; False while there are such."""
    waiting = Q(
        state__in=(MailState.QUEUED, MailState.SENDING), created_at__gt=timezone.now() - UNDELIVERED_FOR
    )
    mails.exclude(waiting).delete()
    return not mails.exists()


def erase_mails_about(references: Collection[str]) -> bool:
    """Delete the mails about orders or messages, whoever received them; False while some are still to be sent."""
    return erase_mails(OutgoingMail.objects.filter(reference__in=[name for name in references if name]))


def register() -> None:
    """Register the activities and rules of the kernel."""
    register_activity(
        ProcessingActivity(
            name="mails",
            label=_("E-mails envoyés"),
            purpose=_("Vous écrire au sujet de votre compte, de vos commandes et de vos messages"),
            data=_("adresse e-mail, langue, contenu des e-mails"),
            basis=Basis.CONTRACT,
            periods=(
                Period("mail_years", _("après l'envoi")),
                Period("account_mail_days", _("après l'envoi, pour les e-mails de compte et d'alerte")),
            ),
            recipients=_("hébergeur, service d'acheminement des e-mails"),
            columns={
                "core.OutgoingMail": (
                    *(
                        "to",
                        "moved_to",
                        "language",
                        "context",
                        "attachments",
                        "reference",
                        "subject",
                        "text",
                        "html",
                    ),
                    "message_id",
                )
            },
            export=_mails,
            erase=lambda person: erase_mails(_mails_of(person)),
        )
    )
    register_activity(
        ProcessingActivity(
            name="security",
            label=_("Sécurité du site"),
            purpose=_("Protéger le site et les comptes contre les abus"),
            data=_(
                "sessions ouvertes, essais de connexion et adresse IP sous forme d'empreintes non réversibles, "
                "journaux techniques"
            ),
            basis=Basis.LEGITIMATE_INTEREST,
            periods=(Period("log_months", _("après l'évènement")),),
            recipients=_("hébergeur"),
            kept=_("les traces de sécurité, sous forme d'empreintes et sans votre nom"),
            columns={
                "sessions.Session": ("session_key", "session_data"),
            },
        )
    )
    register_not_personal(
        "Django's own log, to which nothing is written: its administration changes nothing.",
        {"admin.LogEntry": ("*",)},
    )
    register_not_personal(
        "Keyed hashes that name nobody.",
        {"core.AttemptCounter": ("key",)},
    )
    register_not_personal(
        "The trader's own mentions, published by law.",
        {"core.ShopSettings": ("*",)},
    )
    register_not_personal(
        "Written by the shop itself, without a word of a person.",
        {
            "core.ScheduledJob": ("name", "last_error"),
            "core.DiscardedFile": ("storage", "name"),
            "core.OutgoingMail": ("dedupe_key", "last_error", "kind"),
            "core.AuditEntry": ("actor_id", "before", "after", "subject_type", "subject_id"),
            "auth.Permission": ("name", "codename"),
            "auth.Group": ("name",),
            "contenttypes.ContentType": ("*",),
        },
    )
    register_retention(
        RetentionRule("account-mails", _("E-mails de compte"), "account_mail_days", purge_account_mails)
    )
    register_retention(RetentionRule("mails", _("E-mails envoyés"), "mail_years", purge_mails))


def _mails(person: Person) -> list[Record]:
    """Those about accounts without their text: it carries links that open the account."""
    mails = _mails_of(person).filter(state=MailState.SENT).order_by("pk")
    return [
        record_of(mail, *("sent_at", "subject", *(() if mail.kind.startswith("account_") else ("text",))))
        for mail in mails.defer("html", "context")
    ]


def _mails_of(person: Person) -> QuerySet[OutgoingMail]:
    """Also those to an address that they gave up. Of one that somebody else gave up, who took it has the later ones."""
    here = person.has_address("to") & Q(moved_to="")
    return OutgoingMail.objects.filter(here | person.has_address("moved_to"))
