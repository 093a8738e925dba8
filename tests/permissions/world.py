"""One row of everything that the administration shows, and one person of each kind who may ask for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from accounts.models import Address, User
from accounts.services import grant_role
from accounts.tests.people import make_admin, make_member, prove
from blog.tests.articles import make_article
from blog.tests.subscribers import make_letter, make_subscriber
from catalog.models import Favourite, Notice, Product, ProductImage, ProductVariation, Review
from catalog.tests.factories import make_image, make_promotion
from orders.models import (
    DeliveryStop,
    Discrepancy,
    Dispute,
    InstallmentPause,
    Invoice,
    Order,
    Payment,
    PiecePhoto,
    Refund,
    RefundRequest,
    Shipment,
    StoredCard,
    StripeEvent,
    VatRate,
    WithdrawalCase,
    WorkPiece,
    WorkshopClosure,
)
from orders.services.fulfilment.archiving import remove_order
from orders.services.fulfilment.status_changes import update_status
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, make_seller, make_variation, pay_order
from orders.tests.installments import offer_installments
from orders.tests.memory_provider import MemoryProvider
from shop.core.file_storage import private_storage
from shop.core.models import OutgoingMail, ScheduledJob, ShopSettings
from shop.integrations.delivery import dispatch
from shop.integrations.endpoints import create_endpoint, send_test
from shop.integrations.events import forget_wanted_kinds
from shop.integrations.keys import READ_AND_WRITE, create_api_key
from shop.integrations.models import ApiKey, WebhookDelivery, WebhookEndpoint
from shop.pages.models import (
    ContactImage,
    ContactRequest,
    DataExport,
    Erasure,
    FaqEntry,
    OfficialText,
    PageText,
    Redirect,
    RetentionRun,
    SeasonalBanner,
)
from shop.terms.versions import publish_terms
from tests.permissions.records import make_records

ACTORS = ("anonymous", "member", "other", "staff", "looker", "admin")


@dataclass(frozen=True, slots=True)
class World:
    """Who asks, by name, and for what. `order` belongs to `member`; `rows` holds a row of each registered model."""

    sessions: dict[str, str]
    order: Order
    case: WithdrawalCase
    picture: ContactImage
    address: Address
    export: DataExport
    due: Payment
    api_key: ApiKey
    delivery: WebhookDelivery
    photo: ProductImage
    piece_photo: PiecePhoto
    format: ProductVariation
    rows: dict[str, Model]
    _browser: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def browser(self, actor: str) -> Client:
        """The browser in which this person is signed in, as it was before any answer changed its cookies."""
        self._browser.cookies.clear()
        if actor in self.sessions:
            self._browser.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[actor]
        return self._browser


def make_world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Everything, made as the shop makes it where a service does. The provider is one in memory."""
    provider = MemoryProvider()
    provider.install(monkeypatch)
    make_seller()
    offer_installments()
    publish_terms(actor=None)
    people = _people()
    piece = make_product("Golem de poche", price="200.00", stock_quantity=9)
    make_variation(piece, "Grand", price_override=Decimal("240.00"))
    make_promotion(name="Soldes")
    order = pay_order(make_order((piece, 1), payment_mode="installments", user=people["member"]))
    _visitors(people["member"], order)
    _money(order)
    Shipment.objects.create(order=order, sent_at=timezone.now())
    _texts()
    make_article(tags=["Résine"])
    make_letter(actor=people["admin"])
    make_subscriber()
    _bounced_refund(provider)
    archived = pay_order(make_order())
    update_status(order_id=archived.pk, status="shipped", actor=None)
    update_status(order_id=archived.pk, status="delivered", actor=None)
    remove_order(order_id=archived.pk, actor=None)
    case = _declare(pay_order(make_order()))
    shown = Product._default_manager.first()
    assert shown is not None
    photo, format_ = make_image(shown), make_variation(shown, "Moyen")
    export, delivery = _personal_data(people["member"]), _webhook(people["admin"])
    api_key = create_api_key(name="Import", scopes=READ_AND_WRITE, actor=None).row
    make_records(people["member"], order)
    rows = {model._meta.label: model._default_manager.first() for model in admin.site._registry}
    # What refuses is no order without this or that: the pages are asked for an order that can have it.
    rows |= {"orders.Order": order, "orders.WithdrawalCase": case}
    missing = sorted(label for label, row in rows.items() if row is None)
    assert missing == [], "make a row of each model that the administration shows"
    return World(
        sessions={name: _session(user) for name, user in people.items()},
        order=order,
        case=case,
        picture=ContactImage.objects.get(),
        address=Address.objects.get(),
        export=export,
        due=order.payments.get(position=2),
        api_key=api_key,
        delivery=delivery,
        photo=photo,
        piece_photo=PiecePhoto.objects.create(
            piece=WorkPiece.objects.filter(item__order=order).first(), file="pieces/x.jpg", width=1, height=1
        ),
        format=format_,
        rows=rows,  # type: ignore[arg-type]
    )


def _people() -> dict[str, User]:
    people = {name: make_member(f"{name}@example.com") for name in ACTORS[1:-1]} | {"admin": make_admin()}
    grant_role(user=people["staff"], role="staff")
    # Somebody to whom an operator gave every right to look, and no other: an accountant.
    people["looker"].is_staff = True
    people["looker"].save()
    people["looker"].user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return {name: User.objects.get(pk=user.pk) for name, user in people.items()}


def _webhook(actor: User) -> WebhookDelivery:
    """One that was tried; what the tests do is reported to nobody."""
    made = create_endpoint(
        url="https://example.com/hook", description="ERP", kinds=["stock.changed"], actor=actor
    )
    event = send_test(endpoint_id=made.row.pk)
    dispatch(event.pk)
    WebhookEndpoint.objects.update(kinds=[])
    forget_wanted_kinds()
    return WebhookDelivery.objects.get()


def _session(user: User) -> str:
    browser = Client()
    browser.force_login(user)
    # Whoever is asked again who they are before a refund or a change of roles has just said so.
    prove(browser, user)
    return browser.cookies[settings.SESSION_COOKIE_NAME].value


def _visitors(member: User, order: Order) -> None:
    item = order.items.get()
    Review.objects.create(
        product_id=item.product_id, user=member, rating=5, title="Beau", text="Très beau.", author_name="Léa",
        order_reference=order.reference, experience_date=timezone.localdate(),
    )  # fmt: skip
    Notice.objects.create(email="attente@example.com", token="t" * 43, product_id=item.product_id)
    Favourite.objects.create(user=member, product_id=item.product_id)
    Address.objects.create(
        user=member, first_name="Léa", last_name="Martin", address="3 rue des Carmes", postal_code="69003",
        city="Lyon", country="FR", is_delivery_default=True,
    )  # fmt: skip
    wrote = ContactRequest.objects.create(
        reference="ABCDEFGH", fingerprint="f" * 64, kind="question", first_name="Léa", last_name="Martin",
        email="lea@example.com", subject="Bonjour", message="Bonjour.", language="fr",
    )  # fmt: skip
    stored = private_storage().save("picture.jpg", ContentFile(b"a picture"))
    ContactImage.objects.create(request=wrote, file=stored, width=1, height=1)
    OutgoingMail.objects.create(kind="order_confirmed", to="lea@example.com", state="failed")
    ScheduledJob.objects.get_or_create(name="reconcile-books")
    ShopSettings.objects.get_or_create(pk=ShopSettings.PK)
    RetentionRun.objects.create(day=timezone.localdate(), rule="contact", count=1)
    # Of somebody who is no more.
    Erasure.objects.create(
        user_key=10**9, language="fr", state="done", due_by=timezone.now(), done_at=timezone.now()
    )


def _money(order: Order) -> None:
    StoredCard.objects.get_or_create(
        order=order, defaults={"customer_id": "cus_1", "payment_method_id": "pm_1", "last4": "4242"}
    )
    InstallmentPause.objects.create(
        order=order, started_by="staff", ended_by="staff", ended_at=timezone.now()
    )
    Dispute.objects.create(
        order=order, attempt=order.payments.get(position=1).attempts.get(), provider_id="dp_1",
        amount=Decimal("5.00"), state="won", opened_at=timezone.now(),
    )  # fmt: skip
    Discrepancy.objects.create(kind="money_without_order", provider_id="ch_1", amount=Decimal("5.00"))
    StripeEvent.objects.create(event_id="evt_1", kind="charge.refunded", body={}, livemode=False)
    VatRate.objects.get_or_create(country="DE", defaults={"percent": Decimal("19.00")})
    DeliveryStop.objects.create(country="US")
    today = timezone.localdate()
    WorkshopClosure.objects.create(starts_on=today, ends_on=today)


def _personal_data(member: User) -> DataExport:
    now = timezone.now()
    return DataExport.objects.create(
        user_key=member.pk, language="fr", state="ready", ready_at=now, expires_at=now + timedelta(days=1),
        file=private_storage().save("exports/a.zip", ContentFile(b"an archive")),
    )  # fmt: skip


def _texts() -> None:
    FaqEntry.objects.create(category="delivery", question="Quand ?", answer="Bientôt.")
    PageText.objects.get_or_create(key="home-hero")
    SeasonalBanner.objects.create(title="Noël", link_label="Voir", link="/produits")
    Redirect.objects.create(old_path="/ancien", new_path="/produits")
    OfficialText.objects.create(kind="guarantee-notice", text="Texte.")


def _bounced_refund(provider: MemoryProvider) -> None:
    order = pay_order(make_order())
    request_refund(order_id=order.pk, key="bounced")
    refund = Refund.objects.get(order=order)
    send_refund(refund.pk)
    refund.refresh_from_db()
    provider.settle_refund(str(refund.provider_id), "failed")
    sync_refunds(str(refund.attempt.intent_id))
    assert RefundRequest.objects.exists()
    assert Invoice.objects.exists()


def _declare(order: Order) -> WithdrawalCase:
    update_status(order_id=order.pk, status="shipped", actor=None)
    declaration = Declaration(name="Léa Martin", email=order.email, order_text=order.reference, language="fr")
    key = declaration.submission_key(timezone.localdate())
    return declare_withdrawal(declaration=declaration, key=key, caller="192.0.2.1").case
