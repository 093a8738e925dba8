"""Staff read the pieces of every order in French; its customer and its documents keep the words of the order."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.urls import reverse
from django.utils import translation

from orders.access import order_url
from orders.invoices.contracts import contract_texts
from orders.models import Invoice, Order, OrderItem, OrderSearchEntry, WorkPiece
from orders.packing.documents import slip_view
from orders.selectors.refund_rules import RefundRefused, ReturnedLine, propose_refund
from orders.services.fulfilment.piece_photos import send_photo
from orders.tests.factories import make_finished_product, make_order, make_seller, make_variation, pay_order
from orders.tests.piece_photos import take
from orders.tests.withdrawing import declare
from shop.core.models import OutgoingMail
from shop.core.tests.reading import words

pytestmark = pytest.mark.django_db

FRENCH = ("Apprenti alchimiste", "Peint · Grand format")
GERMAN = ("Alchemistenlehrling", "Bemalt · Großes Format")


def place(language: str) -> Order:
    make_seller()
    product = make_finished_product(FRENCH[0], name_de=GERMAN[0])
    big = make_variation(product, "Grand format", name_de="Großes Format")
    with translation.override(language):
        return pay_order(
            make_order((product, 2), finish="painted", variations=[big], language=language, country="DE",
                       postal_code="10115")
        )  # fmt: skip


@pytest.fixture
def german() -> Order:
    return place("de")


def frozen(order: Order) -> tuple[str, ...]:
    item = order.items.get()
    return (item.product_name, item.variation_name, item.french_name, item.french_variation_name)


def ids(client: Any, search: str) -> list[str]:
    return [row["id"] for row in client.get("/api/admin/orders", {"search": search}).json()["results"]]


def test_a_line_freezes_the_french_names_where_they_are_others(german):
    assert frozen(german) == (GERMAN[0], "Großes Format", FRENCH[0], "Grand format")
    assert frozen(place("fr")) == (FRENCH[0], "Grand format", "", "")


def test_a_line_is_french_for_staff_whatever_language_is_active(german):
    item = german.items.get()
    for language in ("fr", "de"):
        with translation.override(language):
            assert (item.staff_name, item.staff_detail) == FRENCH
            assert item.staff_label == "Apprenti alchimiste (Peint · Grand format)"
            assert str(item) == "2 × Apprenti alchimiste (Peint · Grand format)"
    with translation.override("de"):
        assert item.label == "Alchemistenlehrling (Bemalt · Großes Format)"


def test_board_list_and_sheet_are_french(staff_client, german):
    asked = {"headers": {"Accept-Language": "de"}}
    cards = staff_client.get("/api/admin/board", **asked).json()["cards"]
    assert [(card["name"], card["detail"]) for card in cards] == [FRENCH, FRENCH]
    sheet = staff_client.get(f"/api/admin/orders/{german.pk}", **asked).json()
    rows = [*sheet["lines"], *sheet["items"]]
    assert [(row["product_name"], row["detail"]) for row in rows] == [FRENCH, FRENCH]
    assert sheet["lines"][0]["variation_name"] == "Grand format"
    assert [(piece["name"], piece["detail"]) for piece in sheet["pieces"]] == [FRENCH, FRENCH]
    [listed] = staff_client.get("/api/admin/orders", **asked).json()["results"]
    assert listed["items"][0]["product_name"] == FRENCH[0]
    WorkPiece.objects.update(stage="to_pack")
    [ready] = staff_client.get("/api/admin/dispatch", **asked).json()["results"]
    assert ready["pieces"] == ["2 × Apprenti alchimiste (Peint · Grand format)"]


def test_a_photo_is_of_a_french_piece_for_staff_and_of_a_german_one_in_its_mail(staff_client, german):
    piece = WorkPiece.objects.first()
    shown = staff_client.get(f"/api/admin/pieces/{piece.pk}/photos").json()
    assert (shown["name"], shown["detail"]) == FRENCH
    send_photo(photo_id=take(piece).pk, message="", actor=None)
    assert german.events.get(name="photo.sent").data == {"piece": FRENCH[0]}
    assert OutgoingMail.objects.get(kind="piece_photo").context["piece"]["name"] == GERMAN[0]


def test_pages_and_refusals_about_a_return_are_french(staff_client, german):
    item = german.items.get()
    case = declare(german, language="de", order=german, lines=(ReturnedLine(item.pk, 1),))
    assert "- 1 × Alchemistenlehrling (Bemalt · Großes Format)" in case.withdrawal.statement
    declared = words(staff_client.get(reverse("staff-withdrawal", args=[case.pk])))
    assert "Articles rendus 1 × Apprenti alchimiste (Peint · Grand format)" in declared
    page = words(staff_client.get(reverse("staff-withdrawal-refund", args=[case.pk])))
    assert "Apprenti alchimiste (Peint · Grand format) (au plus 2)" in page
    assert "1 × Apprenti alchimiste (Peint · Grand format)" in page
    filing = words(staff_client.get(reverse("staff-order-withdrawal-file", args=[german.pk])))
    assert "2 × Apprenti alchimiste (Peint · Grand format)" in filing
    assert GERMAN[0] not in page + filing
    with pytest.raises(RefundRefused, match="il reste 2 à rembourser de «\u00a0Apprenti alchimiste\u00a0»"):
        propose_refund(german, [ReturnedLine(item.pk, 3)])


def test_the_workshop_gets_a_french_mail_and_the_customer_a_german_one(german):
    told = {
        mail.kind: [(row["name"], row["detail"]) for row in mail.context["order"]["items"]]
        for mail in OutgoingMail.objects.filter(kind__in=("order_new_workshop", "order_confirmation"))
    }
    assert told == {"order_new_workshop": [FRENCH], "order_confirmation": [GERMAN]}


def test_page_documents_and_slip_stay_in_the_language_of_the_order(client, german):
    page = words(client.get(order_url(german, "de")))
    assert GERMAN[0] in page
    assert GERMAN[1] in page
    assert FRENCH[0] not in page
    [line] = Invoice.objects.get(order=german).data["lines"]
    assert (line["name"], line["detail"]) == GERMAN
    assert GERMAN[0] in str(contract_texts(german.contract))
    [packed] = slip_view(german)["lines"]
    assert (packed["name"], packed["detail"]) == GERMAN


@pytest.mark.both_engines
def test_staff_find_an_order_by_the_words_of_both_languages(staff_client, german):
    for search in ("alchimiste", "Grand format", "Alchemistenlehrling", "Großes"):
        assert ids(staff_client, search) == [str(german.pk)]


def test_a_line_from_before_shows_the_names_that_it_has(staff_client, german):
    OrderItem.objects.update(french_name="", french_variation_name="")
    [line] = staff_client.get(f"/api/admin/orders/{german.pk}").json()["lines"]
    assert (line["product_name"], line["detail"]) == (GERMAN[0], "Peint · Großes Format")


@pytest.mark.both_engines
def test_the_migration_names_lines_at_work_and_leaves_those_that_have_left(staff_client, german):
    before = OrderSearchEntry.objects.get(order=german).text
    OrderItem.objects.update(french_name="", french_variation_name="")
    OrderSearchEntry.objects.update(text="lea")
    forwards = import_module("orders.migrations.0011_french_names_at_work").forwards
    editor = SimpleNamespace(connection=connection)

    Order.objects.update(status="shipped")
    forwards(apps, editor)
    assert frozen(german)[2:] == ("", "")

    Order.objects.update(status="confirmed")
    for _again in range(2):
        forwards(apps, editor)
    assert frozen(german)[2:] == (FRENCH[0], "Grand format")
    assert OrderSearchEntry.objects.get(order=german).text == "lea apprenti alchimiste grand format"
    assert {"apprenti", "alchimiste", "grand", "format"} <= set(before.split())
