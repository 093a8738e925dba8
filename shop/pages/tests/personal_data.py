"""One member of whom the shop holds everything it may hold, for tests of export and erasure."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import JSONField, TextField
from django.utils import timezone

from accounts.models import User
from accounts.tests.people import make_member
from blog.models import ArticleAutosave, Campaign, CampaignRecipient
from blog.services.articles import create_article
from blog.tests.subscribers import make_subscriber
from catalog.models import Favourite, Notice, Review
from catalog.tests.factories import make_category
from orders.journal import record_event
from orders.models import (
    CardChange,
    Dispute,
    InstallmentPause,
    InvoiceDraft,
    Order,
    OrderNote,
    OrderTracking,
    PiecePhoto,
    Refund,
    RefundRequest,
    StoredCard,
    StripeEvent,
    Withdrawal,
    WithdrawalCase,
    WorkPiece,
)
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from shop.core.file_storage import private_storage
from shop.core.mail_delivery import deliver
from shop.core.models import MailState, OutgoingMail
from shop.pages.models import CartReminder, ContactImage, ContactReply, ContactRequest, Erasure
from shop.pages.services.erasures import request_erasure, run_erasure

PAGE = "/espace-membre/donnees"


def delivered_order(user: User | None, **customer: Any) -> Order:
    """Paid, sent, delivered; its mails are sent."""
    piece = make_product(f"Golem {Order.objects.count()}", is_published=True)
    order = pay_order(make_order((piece, 1), user=user, **customer))
    update_status(order_id=order.pk, status="shipped", actor=None)
    update_status(order_id=order.pk, status="delivered", actor=None)
    send_mails()
    return Order.objects.get(pk=order.pk)


def send_mails() -> None:
    """What the worker does, those that wait for their hour included."""
    OutgoingMail.objects.filter(state=MailState.QUEUED).update(next_attempt_at=timezone.now())
    for pk in OutgoingMail.objects.filter(state=MailState.QUEUED).values_list("pk", flat=True):
        deliver(pk)


def fill_orders(word: str) -> None:
    """Put a word and the column's name into every text of the orders that may be empty, whoever added it."""
    texts = [
        column
        for column in Order._meta.concrete_fields
        if column.empty_strings_allowed and column.blank and not column.choices
    ]
    Order.objects.update(**{column.name: f"{word} {column.name}"[: column.max_length] for column in texts})


def make_person(name: str, email: str) -> User:
    """A member with something of everything; `name` is in every text that they wrote, and in their address."""
    make_seller()
    user = make_member(email, first_name=name, last_name="Petit")
    order = delivered_order(
        user,
        email=email, first_name=name, last_name="Petit", address=f"1 rue {name}", city=f"Ville-{name}",
        phone="+33 6 11 22 33 44", notes=f"Sonnez chez {name}.",
    )  # fmt: skip
    product_id = order.items.get().product_id
    assert product_id is not None
    OrderTracking.objects.filter(order=order, status="shipped").update(
        message=f"Merci {name}.", tracking_number="6A1"
    )
    StoredCard.objects.create(
        order=order,
        customer_id=f"cus_{name[::-1]}",
        payment_method_id=f"pm_{name[::-1]}",
        brand="visa",
        last4="4242",
    )
    InstallmentPause.objects.create(
        order=order,
        started_by="staff",
        reason=f"{name} est à l'hôpital.",
        ended_at=timezone.now(),
        ended_by="staff",
    )
    OrderNote.objects.create(order=order, text=f"{name} a appelé.")
    PiecePhoto.objects.create(
        piece=WorkPiece.objects.filter(item__order=order)[0],
        file=f"pieces/{user.pk}.jpg", width=1, height=1, message=f"Voici votre pièce, {name}.",
        sent_at=timezone.now(),
    )  # fmt: skip
    record_event(
        order,
        "delivery.address_corrected",
        before={"address": f"2 rue {name}"},
        after={"address": f"1 rue {name}"},
    )
    record_event(order, "card.kept", brand="visa", last4="4242")
    record_event(order, "discrepancy.resolved", how=f"{name} a payé deux fois.")
    CardChange.objects.create(
        order=order,
        state="done",
        mandate_text=f"{name} autorise.",
        expires_at=timezone.now(),
        settled_at=timezone.now(),
    )
    InvoiceDraft.objects.create(order=order, customer_name=name, notes=f"Note sur {name}")
    StripeEvent.objects.create(
        event_id=f"evt_{name[::-1]}", kind="charge.succeeded", processed_at=timezone.now(),
        body={"data": {"object": {"payment_intent": order.payments.get().attempts.get().intent_id, "email": email}}},
    )  # fmt: skip
    Review.objects.create(
        product_id=product_id, user=user, author_name=f"{name} P.", order_reference=order.reference, rating=5,
        title="Superbe", text="Une très belle pièce.", experience_date=timezone.localdate(), state="published",
        published_at=timezone.now(),
    )  # fmt: skip
    Favourite.objects.create(user=user, product_id=product_id)
    Notice.objects.create(
        email=email, token=f"{name:t<43}", product_id=product_id, confirmed_at=timezone.now()
    )
    wrote = ContactRequest.objects.create(
        reference=name.upper()[:8], fingerprint=f"{name:f<64}", kind="quote", first_name=name, last_name="Petit",
        email=email, subject=f"Devis de {name}", message=f"Bonjour, ici {name}.", language="fr",
    )  # fmt: skip
    ContactReply.objects.create(request=wrote, key=uuid4(), text=f"Bonjour {name} !")
    stored = private_storage().save(f"contact/{name}.jpg", ContentFile(f"picture of {name}".encode()))
    ContactImage.objects.create(request=wrote, file=stored, width=1, height=1)
    article = create_article(
        values={"title_fr": f"Poncer la résine, {user.pk}", "author_name": "Alix"}, actor=user
    )
    ArticleAutosave.objects.create(
        article=article,
        user=user,
        values={"title_fr": f"{name} ponce"},
        base_updated_at=article.updated_at,
    )
    subscriber = make_subscriber(email, every_category=False)
    subscriber.categories.add(make_category(f"bustes-{user.pk}", name_fr="Bustes"))
    CampaignRecipient.objects.create(
        campaign=Campaign.objects.create(title="Lettre de Noël"), subscriber=subscriber
    )
    CartReminder.objects.create(user=user, things=[[product_id, None, ""]], sent_at=timezone.now())
    return user


def add_return(user: User, name: str) -> Withdrawal:
    """A declaration of the member's order that ended without a refund, money given back, a dispute."""
    order = user.orders.get()
    withdrawal = Withdrawal.objects.create(
        name=f"{name} Petit", email=user.email, order_text=f"Commande de {name}", reason=f"{name} en a deux.",
        statement=f"{name} se rétracte.", submission_key=name,
    )  # fmt: skip
    WithdrawalCase.objects.create(
        withdrawal=withdrawal, order=order, state="refused", goods=f"le golem de {name}",
        decision=f"{name} le garde.", revocation_text=f"Je le garde. {name}",
    )  # fmt: skip
    attempt = order.payments.get().attempts.get()
    RefundRequest.objects.create(
        order=order, key=name, amount=1, reason=f"Geste pour {name}", settled_at=timezone.now()
    )
    Refund.objects.create(
        order=order, attempt=attempt, amount=1, reason="requested", note=f"{name} a rappelé.", method="transfer",
        transfer_reference=f"Virement {name}", state="succeeded",
    )  # fmt: skip
    Dispute.objects.create(
        order=order, attempt=attempt, provider_id=f"du_{name}", amount=1, reason=name, state="won"
    )
    return withdrawal


def erase(user: User) -> Erasure:
    """Registered, run, its mail sent, run again."""
    erasure = request_erasure(user=user, language="fr")
    run_erasure(erasure.pk)
    send_mails()
    Erasure.objects.filter(pk=erasure.pk).update(next_try_at=timezone.now())
    run_erasure(erasure.pk)
    return Erasure.objects.get(pk=erasure.pk)


def everything_but(*labels: str) -> str:
    """Every text that the database holds, but for the tables named; what sessions hold is read, not its coding."""
    found = [f"sessions.Session {session.get_decoded()}" for session in Session.objects.all()]
    for model in apps.get_models(include_auto_created=True):
        if model._meta.label in (*labels, "sessions.Session"):
            continue
        names = [
            field.attname
            for field in model._meta.concrete_fields
            if isinstance(field, TextField | JSONField)
            or field.get_internal_type() in ("CharField", "EmailField")
        ]
        rows = model._base_manager.values_list(*names) if names else []
        found += [
            f"{model._meta.label} {DjangoJSONEncoder(ensure_ascii=False).encode(list(row))}" for row in rows
        ]
    return "\n".join(found)
