"""What the kernel itself holds of people: the mails of the outbox, Django's sessions and its journal."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
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
                    *("to", "language", "context", "attachments", "reference", "subject", "text", "html"),
                    "message_id",
                )
            },
            export=_mails,
            erase=lambda person: erase_mails(OutgoingMail.objects.filter(person.has_address("to"))),
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
            columns={
                "sessions.Session": ("session_key", "session_data"),
                "admin.LogEntry": ("user", "object_id", "object_repr", "change_message"),
            },
            erase=_erase_traces,
        )
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
    register_retention(RetentionRule("journal", _("Journal de la gestion"), "log_months", _purge_journal))


def _mails(person: Person) -> list[Record]:
    """Those about accounts without their text: it carries links that open the account."""
    mails = OutgoingMail.objects.filter(person.has_address("to"), state=MailState.SENT).order_by("pk")
    return [
        record_of(mail, *("sent_at", "subject", *(() if mail.kind.startswith("account_") else ("text",))))
        for mail in mails.defer("html", "context")
    ]


def _erase_traces(person: Person) -> bool:
    """The sessions, and the address where the journal of Django's admin names it."""
    own = [
        session.session_key
        for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator()
        if session.get_decoded().get(SESSION_KEY) == str(person.key)
    ]
    Session.objects.filter(session_key__in=own).delete()
    for email in person.emails:
        LogEntry.objects.filter(object_repr__icontains=email).update(object_repr="")
        LogEntry.objects.filter(change_message__icontains=email).update(change_message="")
    return True


def _purge_journal(before: datetime, limit: int) -> int:
    old = LogEntry.objects.filter(action_time__lt=before).values("pk")[:limit]
    return LogEntry.objects.filter(pk__in=list(old.values_list("pk", flat=True))).delete()[0]
