"""A row of each thing that only the shop writes, of which the world's orders, people and letters made none."""

from __future__ import annotations

import uuid
from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from accounts.models import EmailChange, SignUp, User
from blog.models import (
    ArticleAutosave,
    ArticlePicture,
    Campaign,
    CampaignRecipient,
    ConsentRecord,
    Subscriber,
)
from blog.tests.articles import make_article
from catalog.models import Category, CategoryPicture, FormerSlug, PictureImport, Product, RetiredPicture
from orders.models import (
    AccountNumber,
    BalanceMovement,
    BankLine,
    CardChange,
    ChainHead,
    ChainLink,
    Contract,
    ContractDocument,
    DiscardedCard,
    DiscardedCustomer,
    FiledReturn,
    Invoice,
    InvoiceDocument,
    InvoiceDraft,
    InvoiceGap,
    Order,
    Payout,
    PurgedYear,
    Withdrawal,
    WithdrawalLine,
)
from shop.backups.models import Backup
from shop.consent.models import ConsentProof, ConsentVersion
from shop.core.models import DiscardedFile
from shop.integrations.models import ApiKey, RepeatedCall, WebhookAttempt, WebhookDelivery
from shop.pages.models import CartReminder, ContactReply, ContactRequest, InactivityNotice
from shop.statistics.models import DailyCount, DailyVital
from shop.watching.models import Incident


def make_records(member: User, order: Order) -> None:
    """Rows about this member and this order of theirs; what must not be shown of them begins with `unseen`."""
    _of_people(member)
    _of_orders(order)
    _of_books()
    _of_letters_and_pictures(member)
    _of_the_shop()


def _of_people(member: User) -> None:
    now = timezone.now()
    SignUp.objects.create(email="nouvelle@example.com", password="unseen password")
    EmailChange.objects.create(user=member, new_email="autre@example.com", session_hash="unseen session")
    CartReminder.objects.create(user=member, sent_at=now)
    InactivityNotice.objects.create(user_key=member.pk, announced_at=now)
    version = ConsentVersion.objects.create(version="1", services=["statistics"])
    ConsentProof.objects.create(browser_id=uuid.uuid4(), number=1, version=version, choices={}, language="fr")
    ContactReply.objects.create(request=ContactRequest.objects.get(), key=uuid.uuid4(), text="Bonjour.")


def _of_orders(order: Order) -> None:
    withdrawal = Withdrawal.objects.earliest("declared_at")
    assert withdrawal.order is not None
    WithdrawalLine.objects.get_or_create(
        withdrawal=withdrawal, item=withdrawal.order.items.get(), defaults={"quantity": 1}
    )
    CardChange.objects.create(
        order=order,
        expires_at=timezone.now(),
        checkout_session_id="cs_1",
        checkout_session_url="unseen address",
    )
    DiscardedCard.objects.create(order=order, payment_method_id="pm_old")
    DiscardedCustomer.objects.create(customer_id="cus_old")
    contract = Contract.objects.filter(order=order).first()
    ContractDocument.objects.get_or_create(
        contract=contract, defaults={"pdf": b"unseen file", "sha256": "c" * 64}
    )
    InvoiceDocument.objects.get_or_create(
        invoice=Invoice.objects.earliest("pk"), defaults={"pdf": b"unseen file", "sha256": "d" * 64}
    )
    InvoiceDraft.objects.create(order=order, customer_name="Léa Martin")


def _of_books() -> None:
    now, today = timezone.now(), timezone.localdate()
    AccountNumber.objects.get_or_create(role="sales", defaults={"number": "707000", "label": "Ventes"})
    payout = Payout.objects.create(
        provider_id="po_1", amount=Decimal("95.00"), state="paid", created_at=now, arrives_on=today
    )
    BalanceMovement.objects.create(
        provider_id="txn_1", kind="charge", amount=Decimal("100.00"), fee=Decimal("5.00"), source_id="ch_1",
        occurred_at=now, available_at=now, payout=payout,
    )  # fmt: skip
    BankLine.objects.create(
        booked_on=today, label="STRIPE", amount=Decimal("95.00"), digest="e" * 64, payout=payout
    )
    FiledReturn.objects.create(kind="urssaf", period="2026-10")
    ChainLink.objects.create(
        position=1, kind="movement", row_id=1, row_at=now, digest="f" * 64, hash="0" * 64
    )
    ChainHead.objects.create(month=today.replace(day=1), position=1, hash="0" * 64)
    PurgedYear.objects.create(
        year=2010, ends_at=now - timedelta(days=4000), last_number=1, total=0, movements=0, moved=0,
        purged_orders=0, purged_documents=0, purged_total=0, purged_movements=0, purged_moved=0, purged_at=now,
    )  # fmt: skip
    InvoiceGap.objects.create(year=2025, first_number=4, last_number=5, backup="2025-11-01")


def _of_letters_and_pictures(member: User) -> None:
    article = make_article()
    ArticleAutosave.objects.create(
        article=article, user=member, values={}, base_updated_at=article.updated_at
    )
    picture = {"width": 1, "height": 1, "colour": "#ffffff", "derivatives": {}}
    ArticlePicture.objects.create(file="blog/x.jpg", **picture)
    subscriber = Subscriber.objects.earliest("pk")
    CampaignRecipient.objects.create(campaign=Campaign.objects.earliest("pk"), subscriber=subscriber)
    ConsentRecord.objects.create(
        subscriber=subscriber, purpose="articles", action="given", source="footer", text="J'accepte.",
        text_version="1", language="fr", network="unseen network",
    )  # fmt: skip
    product = Product.objects.earliest("pk")
    PictureImport.objects.create(product=product, url="https://example.com/x.jpg")
    RetiredPicture.objects.create(file="products/old.jpg")
    category = Category.objects.earliest("pk")
    CategoryPicture.objects.create(file="categories/x.jpg", category=category, **picture)
    FormerSlug.objects.create(slug="ancienne", category=category)


def _of_the_shop() -> None:
    now, today = timezone.now(), timezone.localdate()
    RepeatedCall.objects.create(
        api_key=ApiKey.objects.earliest("pk"), idempotency_key="call-1", fingerprint="unseen call"
    )
    WebhookAttempt.objects.get_or_create(delivery=WebhookDelivery.objects.earliest("pk"))
    DailyCount.objects.create(measure="search", day=today, label="golem", count=1)
    DailyVital.objects.create(metric="LCP", day=today, page="home", device="mobile", bucket=1, count=1)
    Incident.objects.create(name="jobs", label="Tâches", started_at=now, last_seen_at=now)
    Backup.objects.create(name="2026-11-28", made_at=now, finished_at=now, rows=1, files=1, size=1)
    DiscardedFile.objects.create(storage="private", name="exports/x.zip", discarded_at=now)
