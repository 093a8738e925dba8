"""What the pages hold of people: what visitors write, and what members asked about their own data."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import partial

from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from catalog.models import Notice
from catalog.selectors.sellables import SellableKey
from orders.selectors.saved_carts import line_names
from shop.core.file_storage import private_storage
from shop.core.kernel_data import erase_mails_about
from shop.core.personal_data import (
    Basis,
    ExportedFile,
    Period,
    Person,
    ProcessingActivity,
    Record,
    RetentionRule,
    record_of,
    register_activity,
    register_last_use,
    register_not_personal,
    register_retention,
)
from shop.pages.models import CartReminder, ContactImage, ContactRequest, InactivityNotice
from shop.pages.selectors.personal_data import exports_of
from shop.pages.services.contact import delete_request, purge_pictures, purge_requests
from shop.pages.services.data_exports import delete_exports, purge_exports
from shop.pages.services.retention import erase_inactive, warn_inactive


def register() -> None:
    """Register the activities and rules of the pages."""
    register_activity(
        ProcessingActivity(
            name="contact",
            label=_("Répondre à vos messages"),
            purpose=_("Répondre aux questions et aux demandes de devis"),
            data=_("nom, e-mail, message, budget et images que vous envoyez, nos réponses"),
            basis=Basis.CONTRACT,
            periods=(
                Period("contact_years", _("après le message")),
                Period("quote_picture_months", _("après le message, pour les images")),
            ),
            recipients=_("hébergeur, service d'acheminement des e-mails"),
            columns={
                "pages.ContactRequest": (
                    *("first_name", "last_name", "email", "subject", "message", "budget", "language"),
                    *("reference", "fingerprint"),
                ),
                "pages.ContactReply": ("text", "actor"),
                "pages.ContactImage": ("file",),
            },
            export=_contacts,
            erase=_erase_contacts,
        )
    )
    register_activity(
        ProcessingActivity(
            name="cart-reminders",
            label=_("Rappels de panier envoyés"),
            purpose=_("Ne vous rappeler qu'une fois un même panier"),
            data=_("pièces nommées dans le rappel, sa date"),
            basis=Basis.CONSENT,
            periods=(Period("inactive_years", _("après votre dernière activité")),),
            recipients=_("hébergeur"),
            columns={"pages.CartReminder": ("*",)},
            export=_cart_reminders,
            erase=_erase_cart_reminders,
        )
    )
    register_activity(
        ProcessingActivity(
            name="rights",
            label=_("Répondre à vos demandes sur vos données"),
            purpose=_("Donner une copie de vos données, les effacer, et pouvoir le montrer"),
            data=_("numéro du compte, dates de la demande et de la réponse, e-mail jusqu'à la réponse"),
            basis=Basis.LEGAL_OBLIGATION,
            periods=(
                Period("export_days", _("pour l'archive de vos données")),
                Period("erasure_days", _("au plus pour un effacement")),
            ),
            recipients=_("hébergeur"),
            kept=_("la date de l'effacement, sous le seul numéro du compte"),
            columns={
                "pages.DataExport": ("user_key", "email", "language", "file"),
                "pages.Erasure": ("user_key", "emails", "language"),
                "pages.InactivityNotice": ("user_key",),
            },
            export=_requests,
            erase=_erase_requests,
        )
    )
    register_not_personal(
        "Texts, pictures and addresses of the shop's own pages.",
        {
            f"pages.{name}": ("*",)
            for name in ("FaqEntry", "PageText", "SeasonalBanner", "Redirect", "HomeSection", "OfficialText")
        },
    )
    register_not_personal("The name of a rule and what went wrong with it.", {"pages.RetentionRun": ("*",)})
    for rule in (
        RetentionRule("contact", _("Messages"), "contact_years", purge_requests),
        RetentionRule("quote-pictures", _("Images des messages"), "quote_picture_months", purge_pictures),
        RetentionRule("exports", _("Archives de données"), "export_days", purge_exports),
        RetentionRule("inactive-warned", _("Comptes inactifs avertis"), "inactive_years", warn_inactive),
        RetentionRule(
            "inactive-erased", _("Comptes inactifs effacés"), "inactive_notice_days", erase_inactive
        ),
    ):
        register_retention(rule)
    register_last_use("pages", _last_words)


def _last_words(keys: Collection[int]) -> dict[int, datetime]:
    """Return when members last wrote to the workshop, or confirmed an alert, which takes no signing in. One query."""
    wrote = ContactRequest.objects.filter(email=OuterRef("email")).order_by("-created_at")
    agreed = Notice.objects.filter(email=OuterRef("email"), confirmed_at__isnull=False)
    members = User.objects.filter(pk__in=keys).annotate(
        wrote=Subquery(wrote.values("created_at")[:1]),
        agreed=Subquery(agreed.order_by("-confirmed_at").values("confirmed_at")[:1]),
    )
    rows = members.values_list("pk", "wrote", "agreed")
    return {key: max(filter(None, moments)) for key, *moments in rows if any(moments)}


def _cart_reminders(person: Person) -> list[Record]:
    return [
        record_of(
            row,
            "sent_at",
            things=(str(_("Pièces")), line_names([SellableKey(*thing) for thing in row.things])),
        )
        for row in CartReminder.objects.filter(pk=person.key)
    ]


def _erase_cart_reminders(person: Person) -> bool:
    CartReminder.objects.filter(pk=person.key).delete()
    return True


def _contacts(person: Person) -> list[Record]:
    requests = ContactRequest.objects.filter(person.has_address()).prefetch_related("replies", "images")
    return [
        record_of(
            request,
            *(
                "reference",
                "kind",
                "state",
                "first_name",
                "last_name",
                "email",
                "subject",
                "message",
                "budget",
            ),
            *("deadline", "language", "created_at", "answered_at"),
            replies=(str(_("Réponses")), [reply.text for reply in request.replies.all()]),
            files=[
                ExportedFile(f"{request.reference}-{image.pk}-{image.file}", partial(_picture, image))
                for image in request.images.all()
            ],
        )
        for request in requests.order_by("created_at", "pk")
    ]


def _picture(image: ContactImage) -> bytes | None:
    storage = private_storage()
    if not storage.exists(image.file):
        return None
    with storage.open(image.file) as file:
        content: bytes = file.read()
    return content


def _erase_contacts(person: Person) -> bool:
    requests = list(ContactRequest.objects.filter(person.has_address()))
    if not erase_mails_about([request.reference for request in requests]):
        return False
    for request in requests:
        delete_request(request=request)
    return True


def _requests(person: Person) -> list[Record]:
    exports = exports_of(person).order_by("requested_at")
    return [record_of(export, "requested_at", "state", "ready_at", "expires_at") for export in exports]


def _erase_requests(person: Person) -> bool:
    delete_exports(exports_of(person))
    InactivityNotice.objects.filter(user_key=person.key).delete()
    return True
