"""Webhooks: written with the change, signed, sent once more, logged."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from catalog.services.product_copies import duplicate_product
from catalog.services.products import delete_product, save_product, save_variant
from catalog.services.staff_products import create_product
from catalog.tests.factories import (
    make_category,
    make_image,
    make_product,
    make_promotion,
    make_variation,
    variant_of,
)
from shop.core.models import AuditEntry
from shop.core.problems import Problem
from shop.integrations import delivery
from shop.integrations.delivery import deliver, dispatch, redeliver
from shop.integrations.endpoints import (
    create_endpoint,
    delete_endpoint,
    rotate_secret,
    send_test,
    switch_endpoint,
    update_endpoint,
)
from shop.integrations.events import record_event
from shop.integrations.models import (
    EventKind,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from shop.integrations.selectors import all_endpoints, find_deliveries
from shop.integrations.signatures import sign
from tests.automation.receivers import Receiver, kinds_of, receiver

pytestmark = pytest.mark.django_db


def test_signature_is_that_of_the_documented_vector():
    """What `docs/automation.md` shows, so that others can test their own."""
    value = sign(b'{"id":"1"}', secrets=["whsec_test"], timestamp=1_700_000_000)
    assert value == "t=1700000000,v1=11bf4466ea17c3df3fd743af0b435368e16b7a05eb8eced85e8c4670767bdec5"
    both = sign(b'{"id":"1"}', secrets=["whsec_test", "whsec_old"], timestamp=1_700_000_000)
    assert both.startswith(f"{value},v1=")


def test_event_arrives_signed_with_its_id(
    endpoint: WebhookEndpoint, server: Receiver, boss: User, work: Any, run_on_commit: Any
):
    secret = rotate_secret(endpoint_id=endpoint.pk, actor=boss).secret
    with run_on_commit():
        product = make_product("Golem", price="12.00")
    work()
    [(headers, body)] = server.received
    event = WebhookEvent.objects.get()
    document = json.loads(body)
    assert (document["id"], document["type"]) == (str(event.pk), "product.created")
    assert headers["webhook-id"] == str(event.pk)
    assert (document["data"]["product"]["id"], document["data"]["product"]["price"]) == (product.pk, "12.00")
    parts = headers["webhook-signature"].split(",")
    moment = parts[0].removeprefix("t=")
    assert abs(int(moment) - timezone.now().timestamp()) < 60
    assert (
        parts[1]
        == "v1=" + hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    )
    # The replaced secret signs for a day.
    assert len(parts) == 3
    attempt = WebhookAttempt.objects.get()
    assert (attempt.status, attempt.answer, attempt.failure) == (200, "ok", "")
    assert WebhookDelivery.objects.get().state == "succeeded"


def test_change_that_is_undone_reports_nothing(endpoint: WebhookEndpoint):
    with transaction.atomic():
        make_product()
        transaction.set_rollback(True)
    assert not WebhookEvent.objects.exists()


def test_nobody_listens_and_nothing_is_read_or_written(db: None):
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        record_event(EventKind.PRODUCT_UPDATED, subject="product:1", data=lambda: pytest.fail("read"))
    assert [query["sql"] for query in queries if "webhook" in query["sql"]] == []
    assert not WebhookEvent.objects.exists()


def test_event_outside_a_transaction_is_a_mistake(endpoint: WebhookEndpoint, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr(connections["default"], "in_atomic_block", False)
        with pytest.raises(transaction.TransactionManagementError):
            record_event(EventKind.PRODUCT_UPDATED, subject="product:1", data=dict)


def test_only_chosen_kinds_arrive(
    endpoint: WebhookEndpoint, server: Receiver, boss: User, work: Any, run_on_commit: Any
):
    update_endpoint(
        endpoint_id=endpoint.pk, url=server.url, description="", kinds=["product.deleted"], actor=boss
    )
    with run_on_commit():
        product = make_product()
        delete_product(product=product)
    work()
    assert kinds_of(server) == ["product.deleted"]


def test_changes_that_wait_are_one_event_with_the_last_state(
    endpoint: WebhookEndpoint, server: Receiver, work: Any, run_on_commit: Any
):
    with run_on_commit():
        product = make_product("Golem", price="12.00")
        make_variation(product, "Grand")
        product.price = 14
        save_product(product=product)
    work()
    assert kinds_of(server) == ["product.created"]
    document = json.loads(server.received[0][1])["data"]["product"]
    assert (document["price"], len(document["variations"])) == ("14.00", 1)
    with run_on_commit():
        save_product(product=product)
    work()
    assert kinds_of(server) == ["product.created", "product.updated"]


def test_change_of_a_product_whose_creation_waits_reaches_who_asks_for_changes_alone(
    endpoint: WebhookEndpoint, server: Receiver, boss: User, work: Any, run_on_commit: Any
):
    with receiver() as other:
        create_endpoint(url=other.url, description="", kinds=["product.updated"], actor=boss)
        with run_on_commit():
            product = make_product("Golem", price="12.00")
        with run_on_commit():
            product.price = 14
            save_product(product=product)
            save_product(product=product)
        with run_on_commit():
            make_promotion(product, percent=50)
        work()
        assert (kinds_of(server), kinds_of(other)) == (
            ["product.created", "product.updated"],
            ["product.updated"],
        )
        told = [json.loads(body)["data"]["product"] for _headers, body in [*server.received, *other.received]]
    assert [(each["price"], each["price_from"]) for each in told] == [("14.00", "7.00")] * 3


def test_creation_is_told_with_all_that_belongs_to_it(
    endpoint: WebhookEndpoint, server: Receiver, boss: User
):
    update_endpoint(
        endpoint_id=endpoint.pk, url=server.url, description="", kinds=["product.created"], actor=boss
    )
    values = {"name_fr": "Golem", "price": Decimal("12.00"), "category": make_category()}
    promotion = {"promotion_type": "buy_2_get_1", "promotion_active": True}
    product = create_product(values={**values, **promotion}, actor=boss)
    make_variation(product, "Grand", price_adjustment="5.00")
    make_image(product)
    duplicate_product(product_id=product.pk, actor=boss, with_photos=True)
    told = [event.data["product"] for event in WebhookEvent.objects.order_by("created_at")]
    assert [
        (
            each["name"],
            each["promotion_type"],
            [row["name"] for row in each["variations"]],
            [row["full_price"] for row in each["variants"]],
            len(each["gallery_images"]),
        )
        for each in told
    ] == [
        ("Golem", "buy_2_get_1", [], ["12.00"], 0),
        ("Golem (copie)", None, ["Grand"], ["17.00"], 1),
    ]


def test_stock_is_reported_where_it_changed(
    endpoint: WebhookEndpoint, server: Receiver, work: Any, run_on_commit: Any
):
    with run_on_commit():
        product = make_product(stock_quantity=5)
        variant = variant_of(product)
    work()
    server.received.clear()
    with run_on_commit():
        variant.stock_quantity = 2
        variant.sku = "G-1"
        save_variant(variant=variant)
    work()
    assert sorted(kinds_of(server)) == ["product.updated", "stock.changed"]
    [stock] = [
        json.loads(body)["data"]["stock"] for _h, body in server.received if b'"stock.changed"' in body
    ]
    assert stock == {
        "product_id": product.pk, "variant_id": variant.pk, "variation_id": None, "finish": None, "sku": "G-1",
        "stock_quantity": 2, "in_stock": True,
    }  # fmt: skip


def test_redelivery_sends_the_same_event_once_more(
    endpoint: WebhookEndpoint, server: Receiver, run_on_commit: Any, work: Any
):
    with run_on_commit():
        send_test(endpoint_id=endpoint.pk)
    work()
    row = WebhookDelivery.objects.get()
    with run_on_commit():
        assert redeliver(delivery_id=row.pk)
    work()
    assert [headers["webhook-id"] for headers, _body in server.received] == [str(row.event_id)] * 2
    assert kinds_of(server) == ["webhook.test"] * 2
    assert redeliver(delivery_id=999) is False


def test_endpoint_that_is_switched_off_gets_nothing(
    endpoint: WebhookEndpoint, server: Receiver, run_on_commit: Any, work: Any, boss: User
):
    switch_endpoint(endpoint_id=endpoint.pk, on=False, actor=boss)
    with run_on_commit():
        make_product()
    work()
    assert server.received == []
    with pytest.raises(Problem, match="arrêté"):
        send_test(endpoint_id=endpoint.pk)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://example.com/", "L'adresse doit commencer par https://."),
        ("https://127.0.0.1/", "Cette adresse n'est pas sur l'internet public."),
        ("https://10.0.0.1/", "Cette adresse n'est pas sur l'internet public."),
        ("https://localhost/", "Cette adresse n'est pas sur l'internet public."),
        ("https://a:b@example.com/", "L'adresse ne doit contenir ni nom d'utilisateur ni mot de passe."),
        ("nothing", "L'adresse doit commencer par https://."),
        ("https://", "Ce n'est pas une adresse web complète."),
    ],
)
def test_address_outside_the_internet_is_refused_in_production(
    boss: User, settings: Any, url: str, message: str
):
    settings.DEBUG = False
    with pytest.raises(Problem) as refused:
        create_endpoint(url=url, description="", kinds=[], actor=boss)
    assert refused.value.errors == {"url": [message], "kinds": ["Choisissez au moins un évènement."]}
    assert not WebhookEndpoint.objects.exists()


def test_development_machine_calls_itself_but_no_other_private_address(boss: User, settings: Any):
    settings.DEBUG = True
    with pytest.raises(Problem):
        create_endpoint(url="http://169.254.169.254/", description="", kinds=["stock.changed"], actor=boss)
    create_endpoint(url="http://localhost:9/", description="", kinds=["stock.changed"], actor=boss)


def test_secrets_are_encrypted_and_in_no_audit_entry(endpoint: WebhookEndpoint, boss: User):
    secret = rotate_secret(endpoint_id=endpoint.pk, actor=boss).secret
    delete_endpoint(endpoint_id=endpoint.pk, actor=boss)
    assert secret.startswith("whsec_")
    assert secret not in str(list(WebhookEndpoint.objects.values_list()))
    entries = AuditEntry.objects.filter(action__startswith="webhook.").order_by("pk")
    assert [entry.action for entry in entries] == [
        "webhook.created",
        "webhook.secret_replaced",
        "webhook.deleted",
    ]
    assert secret not in str([(entry.before, entry.after) for entry in entries])


def test_log_is_deleted_after_its_period(endpoint: WebhookEndpoint, server: Receiver):
    send_test(endpoint_id=endpoint.pk)
    event = WebhookEvent.objects.get()
    dispatch(event.pk)
    deliver(WebhookDelivery.objects.get().pk)
    now = timezone.now()
    assert delivery.purge_events(now - timedelta(days=1), 10) == 0
    assert delivery.purge_events(now + timedelta(days=1), 10) == 1
    assert not WebhookDelivery.objects.exists()
    assert not WebhookAttempt.objects.exists()


def test_pages_read_lists_with_a_steady_number_of_queries(
    endpoint: WebhookEndpoint, server: Receiver, django_assert_num_queries: Any
):
    for _ in range(31):
        send_test(endpoint_id=endpoint.pk)
    for event in WebhookEvent.objects.all():
        dispatch(event.pk)
    deliver(WebhookDelivery.objects.latest("pk").pk)
    with django_assert_num_queries(1):
        [row] = all_endpoints()
        assert (row.waiting, row.received, row.failed) == (30, 1, 0)
    with django_assert_num_queries(2):
        page = find_deliveries(endpoint.pk)
        assert (len(page.rows), [each.status for each in page.rows[0].log.all()]) == (30, [200])
    rest = find_deliveries(endpoint.pk, page.next_cursor)
    assert (len(rest.rows), rest.next_cursor) == (1, "")
