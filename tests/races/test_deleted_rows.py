"""Staff who change a row in the moment in which somebody else deletes it: it was there when their page asked."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model
from django.test import Client

from accounts.models import User
from accounts.tests.people import make_admin, prove
from blog.tests.subscribers import make_letter, make_subscriber
from catalog.models import Notice, Product, Promotion, Synonym
from catalog.tests.factories import make_promotion
from orders.models import Attempt, Order, Payment
from orders.tests.factories import make_category, make_order, make_product, make_zones
from shop.core.models import AuditEntry, OutgoingMail
from shop.integrations.endpoints import create_endpoint
from shop.integrations.models import WebhookEndpoint
from shop.pages.models import ContactRequest, FaqCategory, FaqEntry
from shop.pages.tests.contact import send
from shop.staff_rows import GONE
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def letter(staff: User) -> Model:
    return make_letter(actor=staff)


def message(staff: User) -> Model:
    send(Client())
    OutgoingMail.objects.all().delete()
    return ContactRequest.objects.get()


def question(staff: User) -> Model:
    category = FaqCategory.DELIVERY
    return FaqEntry.objects.create(question="Quand ?", answer="Bientôt.", category=category, on_faq=True)


def webhook(staff: User) -> Model:
    create_endpoint(url="https://example.com/hook", description="", kinds=["stock.changed"], actor=staff)
    return WebhookEndpoint.objects.get()


def synonym(staff: User) -> Model:
    return Synonym.objects.create(words="lapin, lièvre")


def promotion(staff: User) -> Model:
    return make_promotion(make_product())


@pytest.mark.parametrize(
    ("make", "address", "typed", "kept"),
    [
        (synonym, "synonymes/{}/supprimer", {}, ""),
        (promotion, "promotions/{}/supprimer", {}, ""),
        (letter, "newsletter/{}/supprimer", {}, ""),
        (letter, "newsletter/{}/envoyer", {}, ""),
        (message, "messages/{}", {"text": "Oui, en bleu.", "seen": "0"}, "Oui, en bleu."),
        (question, "textes/questions/{}", {"question_fr": "Où ?", "answer_fr": "Ici."}, "Ici."),
        (webhook, "webhooks/{}/supprimer", {}, ""),
        (webhook, "webhooks/{}/secret", {}, ""),
        (webhook, "webhooks/{}/marche", {}, ""),
    ],
)
def test_what_is_deleted_meanwhile_is_not_there(
    make: Callable[[User], Model], address: str, typed: dict[str, Any], kept: str
) -> None:
    staff = make_admin()
    row = make(staff)
    browser = Client(raise_request_exception=False)
    browser.force_login(staff)
    prove(browser, staff)
    with transaction.atomic():
        type(row)._default_manager.get(pk=row.pk).delete()
        posting = Started(lambda: browser.post("/admin/" + address.format(row.pk), typed))
        wait_until_blocked()
    answer = posting.value()
    assert answer.status_code == 404
    page = answer.content.decode()
    assert ("Supprimé entre-temps" in page) == bool(kept)
    assert kept in page
    assert not OutgoingMail.objects.exists()
    assert not type(row)._default_manager.filter(pk=row.pk).exists()
    assert not AuditEntry.objects.filter(action__endswith="deleted").exists()


@pytest.mark.parametrize("named", ["categories", "products"])
def test_a_promotion_of_what_is_deleted_meanwhile(named: str) -> None:
    row = make_product() if named == "products" else make_category("automne")
    browser = Client(raise_request_exception=False)
    browser.force_login(make_admin())
    typed = {"name": "Soldes", "type": "percent", "percent": "10", "is_active": "on", named: row.pk}
    with transaction.atomic():
        row.delete()
        posting = Started(lambda: browser.post("/admin/promotions/nouveau", typed))
        wait_until_blocked()
    answer = posting.value()
    page = unescape(answer.content.decode())
    assert (answer.status_code, GONE in page, 'value="Soldes"' in page) == (409, True, True)
    assert not Promotion.objects.exists()


@pytest.mark.parametrize(
    ("call", "sent"), [("notes", {"text": "Rappelé."}), ("refund", {"reason": "Cassé", "amount": "1.00"})]
)
def test_a_call_about_an_order_that_is_deleted_meanwhile(call: str, sent: dict[str, str]) -> None:
    make_zones()
    order = make_order((make_product(), 1))
    browser = Client(raise_request_exception=False)
    browser.force_login(make_admin())
    address = f"/api/admin/orders/{order.pk}/{call}"
    with transaction.atomic():
        Order.objects.select_for_update().get(pk=order.pk)
        Attempt.objects.filter(payment__order=order).delete()
        Payment.objects.filter(order=order).delete()
        order.delete()
        posting = Started(
            lambda: browser.post(address, sent, "application/json", headers={"Idempotency-Key": "un"})
        )
        wait_until_blocked()
    answer = posting.value()
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["detail"] == "Cela n'existe plus\u00a0: supprimé entre-temps."


@pytest.mark.parametrize(
    ("method", "address", "sent"),
    [
        ("post", "/api/admin/products", {"name": "Lune", "price": "5.00", "category": "automne"}),
        ("patch", "/api/admin/products/{}", {"category": "automne"}),
    ],
)
def test_a_call_that_names_a_category_that_is_deleted_meanwhile(
    method: str, address: str, sent: dict[str, str]
) -> None:
    product, category = make_product(), make_category("automne")
    browser = Client(raise_request_exception=False)
    browser.force_login(make_admin())
    with transaction.atomic():
        category.delete()
        calling = Started(
            lambda: getattr(browser, method)(address.format(product.pk), sent, "application/json")
        )
        wait_until_blocked()
    answer = calling.value()
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["detail"] == "Cela n'existe plus\u00a0: supprimé entre-temps."
    assert [row.category.slug for row in Product.objects.all()] == [product.category.slug]


@pytest.mark.parametrize("address", ["/api/notify", "/avis/demander"])
@pytest.mark.parametrize("subject", ["category", "product"])
def test_a_wish_about_what_is_deleted_meanwhile(address: str, subject: str) -> None:
    row = make_product() if subject == "product" else make_category("automne")
    named = {"product_id": row.pk} if subject == "product" else {"category_slug": "automne"}
    refusal = "Ce produit n'existe pas." if subject == "product" else "Cette catégorie n'existe pas."
    browser = Client(raise_request_exception=False)
    body = {"content_type": "application/json"} if address.startswith("/api") else {}
    with transaction.atomic():
        row.delete()
        asking = Started(lambda: browser.post(address, {"email": "zoe@example.com", **named}, **body))
        wait_until_blocked()
    answer = asking.value()
    page = unescape(answer.content.decode())
    assert (answer.status_code, refusal in page) == (400, True)
    assert body or 'value="zoe@example.com"' in page
    assert not Notice.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_letters_about_a_collection_that_is_deleted_meanwhile() -> None:
    kept, gone = make_category("automne"), make_category("hiver")
    subscriber = make_subscriber()
    browser = Client(raise_request_exception=False)
    chosen = {"newsletter": "on", "topics": "articles", "categories": [kept.pk, gone.pk]}
    with transaction.atomic():
        gone.delete()
        choosing = Started(lambda: browser.post(f"/newsletter/preferences?cle={subscriber.token}", chosen))
        wait_until_blocked()
    assert choosing.value().status_code == 200
    subscriber.refresh_from_db()
    assert (subscriber.every_category, list(subscriber.categories.all())) == (False, [kept])
