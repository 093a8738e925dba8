"""Withdrawals that came by letter, e-mail or otherwise, filed by staff: in the service, the admin and the API."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from html import unescape
from uuid import uuid4

import pytest
import time_machine
from django.urls import reverse

from accounts.models import Role, User
from accounts.services.roles import grant_role
from catalog.tests.factories import make_user
from orders.models import (
    Order,
    OrderEvent,
    Payment,
    PaymentState,
    Withdrawal,
    WithdrawalCase,
    WithdrawalChannel,
    WithdrawalLine,
    WithdrawalState,
)
from orders.services import withdrawal_cases
from orders.services.declarations import Declaration, Receipt
from orders.services.fulfilment import update_status
from orders.services.refunds import request_refund
from orders.services.withdrawal_filing import file_received
from orders.tests.factories import make_order, make_product, make_seller, new_key, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.reading import text
from orders.tests.thirds import offer_thirds
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

# A Monday. What was delivered on Friday the 6th may be withdrawn until Friday the 20th.
NOON = datetime(2026, 11, 23, 11, 0, tzinfo=UTC)
DELIVERED = datetime(2026, 11, 6, 9, 0, tzinfo=UTC)
ORDERED = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
STATEMENT = """Rétractation de la commande {order}, reçue par courrier.

Envoyée le 20 novembre 2026, reçue le 23 novembre 2026.

Elle porte sur toute la commande.

Nom\u00a0: Léa Martin
Adresse email\u00a0: lea@example.com

Texte reçu\u00a0:
Je renonce à tout.
Léa"""


@pytest.fixture(autouse=True)
def _clock():
    with time_machine.travel(NOON, tick=False):
        yield


@pytest.fixture(autouse=True)
def _provider(monkeypatch):
    make_seller()
    MemoryProvider().install(monkeypatch)


@pytest.fixture
def operator(django_user_model):
    user = django_user_model.objects.create_superuser("chef@example.com", "x")
    grant_role(user=user, role=Role.ADMIN)
    return user


@pytest.fixture
def admin(client, operator):
    client.force_login(operator)
    return client


def paid_order(*lines, delivered=False, **fields):
    order = pay_order(make_order(*lines, **fields))
    Order.objects.filter(pk=order.pk).update(
        created_at=ORDERED, **({"shipped_at": ORDERED, "delivered_at": DELIVERED} if delivered else {})
    )
    order.refresh_from_db()
    return order


def letter(
    order, operator, *, lines=(), email="", sent=date(2026, 11, 20), received=date(2026, 11, 23), **receipt
):
    return Declaration(
        name="Léa Martin", email=email, order_text=order.reference, language=order.language, order=order, lines=lines,
        receipt=Receipt(WithdrawalChannel.LETTER, sent, received, operator, **receipt),
    )  # fmt: skip


def filed():
    models = (Withdrawal, WithdrawalCase, WithdrawalLine, OutgoingMail, OrderEvent, Payment)
    return [sorted(model.objects.values_list(), key=repr) for model in models]


def kinds():
    mails = OutgoingMail.objects.filter(kind__startswith="withdrawal").order_by("pk")
    return list(mails.values_list("kind", "to"))


# --- The service --------------------------------------------------------------------------------------


def test_l221_21_a_letter_is_a_declaration_like_any_other(operator):
    order = paid_order()

    withdrawal = file_received(
        declaration=letter(order, operator, words="Je renonce à tout.\nLéa"), key=new_key()
    )

    row = Withdrawal.objects.get()
    assert row == withdrawal
    assert (row.order, row.name, row.email, row.channel, row.sent_on, row.filed_by, row.declared_at) == (
        order, "Léa Martin", "lea@example.com", "letter", date(2026, 11, 20), operator, NOON,
    )  # fmt: skip
    assert row.statement == STATEMENT.format(order=order.reference)
    case = row.case
    assert (case.in_time, case.state, case.taken_up_at, case.refund_by) == (
        True, WithdrawalState.DECLARED, NOON, date(2026, 12, 7),
    )  # fmt: skip
    assert list(order.events.filter(name__startswith="withdrawal").values_list("name", "actor")) == [
        ("withdrawal.declared", operator.pk),
        ("withdrawal.taken_up", operator.pk),
    ]
    assert kinds() == [
        ("withdrawal_received", "lea@example.com"),
        ("withdrawal_workshop", "atelier@example.com"),
    ]


def test_the_acknowledgement_names_both_days_and_says_received(operator):
    order = paid_order()
    withdrawal = file_received(declaration=letter(order, operator), key=new_key())

    told = render(OutgoingMail.objects.get(kind="withdrawal_received"))

    sentence = (
        "Nous avons reçu le 23 novembre 2026 votre rétractation envoyée le 20 novembre 2026. Elle porte la référence "
        f"{withdrawal.reference}."
    )
    assert sentence in told.text
    assert sentence in unescape(told.html)
    assert "Envoyée le 20 novembre 2026, reçue le 23 novembre 2026." in told.text
    assert "accept" not in told.text
    workshop = render(OutgoingMail.objects.get(kind="withdrawal_workshop")).text
    assert (
        "Léa Martin (lea@example.com) s'est rétracté hors du site le 20 novembre 2026, reçu le 23 novembre 2026, "
        "enregistré par chef@example.com." in workshop
    )


def test_the_acknowledgement_speaks_the_order_s_language(operator):
    order = paid_order(language="de")
    file_received(declaration=letter(order, operator, words="Hiermit widerrufe ich."), key=new_key())

    told = render(OutgoingMail.objects.get(kind="withdrawal_received"))

    assert "23. November 2026" in told.text
    assert "20. November 2026" in told.text
    assert "Hiermit widerrufe ich." in told.text
    assert "envoyée" not in told.text


def test_without_acknowledgement_only_the_workshop_is_written_to(operator):
    file_received(declaration=letter(paid_order(), operator, acknowledged=False), key=new_key())

    assert kinds() == [("withdrawal_workshop", "atelier@example.com")]


@pytest.mark.parametrize(("sent", "in_time"), [(date(2026, 11, 20), True), (date(2026, 11, 21), False)])
def test_l221_18_the_day_of_sending_decides(operator, sent, in_time):
    order = paid_order(delivered=True)

    case = file_received(declaration=letter(order, operator, sent=sent), key=new_key()).case

    # Received three days after the last one: in time all the same.
    assert (case.in_time, case.taken_up_at is not None) == (in_time, in_time)
    assert case.state == (WithdrawalState.GOODS_AWAITED if in_time else WithdrawalState.DECLARED)


def test_l221_24_the_days_to_refund_run_from_the_receipt(operator):
    order = paid_order()
    declaration = letter(order, operator, sent=date(2026, 11, 4), received=date(2026, 11, 9))

    withdrawal = file_received(declaration=declaration, key=new_key())

    assert withdrawal.declared_at == datetime(2026, 11, 9, 11, 0, tzinfo=UTC)
    assert withdrawal.case.refund_by == date(2026, 11, 23)


def test_l221_23_nobody_is_told_to_send_goods_back_by_a_day_that_has_passed(operator):
    order = paid_order(delivered=True)
    declaration = letter(order, operator, sent=date(2026, 11, 7), received=date(2026, 11, 8))

    file_received(declaration=declaration, key=new_key())

    told = OutgoingMail.objects.get(kind="withdrawal_return")
    assert told.context["return_by"] == "2026-12-07"


def test_a_letter_whose_order_is_found_later_is_judged_by_its_sending_too(operator):
    order = paid_order(delivered=True)
    lost = Declaration(
        name="Léa Martin", email="autre@example.com", order_text="ma figurine", language="fr",
        receipt=Receipt(WithdrawalChannel.LETTER, date(2026, 11, 20), date(2026, 11, 23), operator),
    )  # fmt: skip
    case = file_received(declaration=lost, key=new_key()).case
    assert (case.order, case.in_time) == (None, None)

    withdrawal_cases.attach_order(case_id=case.pk, reference=order.reference, actor=operator)

    case.refresh_from_db()
    assert (case.order, case.in_time, case.taken_up_at) == (order, True, NOON)


def test_a_letter_stops_the_thirds(operator):
    offer_thirds()
    order = paid_order((make_product("Golem", "300.00"), 1), payment_mode="installments")

    case = file_received(declaration=letter(order, operator), key=new_key()).case

    assert list(order.payments.order_by("position").values_list("state", "amount")) == [
        (PaymentState.PAID, Decimal("100.00")),
        (PaymentState.VOID, Decimal("100.00")),
        (PaymentState.VOID, Decimal("100.00")),
    ]
    assert case.voided == Decimal("200.00")


def test_a_part_of_an_order_is_filed_with_its_lines(operator):
    order = paid_order((make_product(), 3))
    item = order.items.get()

    withdrawal = file_received(declaration=letter(order, operator, lines=((item.pk, 2),)), key=new_key())

    assert list(withdrawal.lines.values_list("item", "quantity")) == [(item.pk, 2)]
    assert "Articles rendus\u00a0:\n- 2 × Golem de poche" in withdrawal.statement


def test_all_that_is_left_is_the_whole_order(operator):
    order = paid_order((make_product(), 3))
    item = order.items.get()

    withdrawal = file_received(declaration=letter(order, operator, lines=((item.pk, 3),)), key=new_key())

    assert not withdrawal.lines.exists()
    assert "Elle porte sur toute la commande." in withdrawal.statement


def test_twice_is_once_even_after_the_refund(operator):
    order, key = paid_order(), new_key()
    declaration = letter(order, operator)
    first = file_received(declaration=declaration, key=key)
    request_refund(order_id=order.pk, key=new_key())
    before = filed()

    assert file_received(declaration=declaration, key=key) == first
    assert filed() == before


def test_a_key_files_one_declaration_only(operator):
    order, key = paid_order(), new_key()
    file_received(declaration=letter(order, operator), key=key)
    before = filed()

    with pytest.raises(Problem) as refused:
        file_received(declaration=letter(order, operator, sent=date(2026, 11, 19)), key=key)

    assert (refused.value.code, refused.value.status) == ("idempotency_key_reused", 422)
    assert filed() == before


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        (
            {"sent": date(2026, 11, 24), "received": date(2026, 11, 24)},
            {"sent_on": ["Cette date est à venir."], "received_on": ["Cette date est à venir."]},
        ),
        (
            {"sent": date(2026, 11, 20), "received": date(2026, 11, 19)},
            {"received_on": ["Elle ne peut pas être reçue avant d'être envoyée."]},
        ),
        (
            {"sent": date(2026, 11, 1)},
            {"sent_on": ["La commande n'existait pas encore ce jour-là."]},
        ),
    ],
)
def test_impossible_days_are_refused(operator, changes, errors):
    order = paid_order()
    before = filed()

    with pytest.raises(Problem) as refused:
        file_received(declaration=letter(order, operator, **changes), key=new_key())

    assert (refused.value.code, refused.value.errors) == ("invalid_withdrawal", errors)
    assert filed() == before


def test_foreign_lines_and_too_many_units_are_refused(operator):
    order, other = paid_order((make_product(), 2)), paid_order()
    foreign, own = other.items.get().pk, order.items.get().pk
    before = filed()

    for lines in (((foreign, 1),), ((own, 3),), ((own, 0),)):
        with pytest.raises(Problem) as refused:
            file_received(declaration=letter(order, operator, lines=lines), key=new_key())
        assert refused.value.errors == {
            "items": ["Choisissez au moins un article, dans la quantité commandée."]
        }
    assert filed() == before


def test_an_order_that_has_nothing_left_or_was_never_paid_is_refused(operator):
    empty, unpaid = paid_order(), make_order()
    request_refund(order_id=empty.pk, key=new_key())
    before = filed()

    for order, code in ((empty, "invalid_lines"), (unpaid, "order_not_paid")):
        with pytest.raises(Problem) as refused:
            file_received(declaration=letter(order, operator, sent=date(2026, 11, 23)), key=new_key())
        assert refused.value.code == code
    assert filed() == before


# --- The admin ----------------------------------------------------------------------------------------


def order_page(order):
    return reverse("admin:orders_order_withdrawal_received", args=[order.pk])


def values(**changes):
    return {
        "channel": "mail", "sent_on": "2026-11-20", "received_on": "2026-11-23", "name": "Léa Martin", "email": "",
        "words": "Je renonce.", "acknowledged": "on", "key": str(uuid4()), **changes,
    }  # fmt: skip


def test_the_order_s_button_leads_to_its_form(admin):
    order = paid_order((make_product(), 2))
    item = order.items.get()

    assert order_page(order) in text(admin.get(reverse("admin:orders_order_change", args=[order.pk])))
    shown = text(admin.get(order_page(order)))

    assert "Enregistrer une rétractation reçue" in shown
    assert f"Commande {order.reference} de Léa Martin." in shown
    assert f'name="units_{item.pk}" value="2"' in shown
    assert "Vide : celui de la commande, lea@example.com." in shown
    assert "Déjà déclaré" not in shown
    unpaid = make_order()
    assert order_page(unpaid) not in text(admin.get(reverse("admin:orders_order_change", args=[unpaid.pk])))


def test_a_double_click_files_one_and_lands_on_its_case(admin, operator):
    order = paid_order((make_product(), 2))
    item = order.items.get()
    body = values(**{f"units_{item.pk}": "1"})

    first = admin.post(order_page(order), body)
    again = admin.post(order_page(order), body)

    withdrawal = Withdrawal.objects.get()
    case_page = reverse("admin:orders_withdrawalcase_change", args=[withdrawal.case.pk])
    assert first["Location"] == again["Location"] == case_page
    assert (withdrawal.channel, withdrawal.email, withdrawal.filed_by) == (
        "mail",
        "lea@example.com",
        operator,
    )
    assert list(withdrawal.lines.values_list("quantity", flat=True)) == [1]
    shown = text(admin.get(case_page))
    for told in ("Par e-mail", "20 novembre 2026", "chef@example.com", "Je renonce."):
        assert told in shown
    listed = text(admin.get(order_page(order)))
    assert "Déjà déclaré pour cette commande" in listed
    assert f'<li><a href="{case_page}">{withdrawal.reference}</a>, 23 novembre 2026, Déclarée</li>' in listed


def test_what_is_wrong_stands_beside_its_field(admin):
    order = paid_order((make_product(), 2))
    item = order.items.get()
    before = filed()

    shown = text(admin.post(order_page(order), values(received_on="2026-11-19", **{f"units_{item.pk}": "2"})))
    assert "Elle ne peut pas être reçue avant d'être envoyée." in shown
    shown = text(admin.post(order_page(order), values(**{f"units_{item.pk}": "0"})))
    assert "Choisissez au moins un article, dans la quantité commandée." in shown
    shown = admin.post(order_page(order), {"channel": "site", "key": "x"})
    assert shown.status_code == 200
    assert filed() == before


def test_one_without_a_known_order_is_added_from_the_list(admin):
    order = paid_order()
    listed = text(admin.get(reverse("admin:orders_withdrawalcase_changelist")))
    add = reverse("admin:orders_withdrawalcase_add")
    assert f'<a href="{add}" class="addlink">Enregistrer une rétractation reçue</a>' in listed
    assert "comme le client la nomme" in text(admin.get(add))
    unknown = values(
        order_text="la chouette de mars", scope="part", goods="", language="de", email="lea.m@example.com"
    )

    assert "Dites quels articles il rend." in text(admin.post(add, unknown))
    assert "Ce champ est obligatoire." in text(admin.post(add, {**unknown, "goods": "1 Eule", "email": ""}))
    assert not Withdrawal.objects.exists()
    admin.post(add, {**unknown, "goods": "1 Eule"})
    case = WithdrawalCase.objects.get()
    assert (case.order, case.goods, case.withdrawal.language) == (None, "1 Eule", "de")
    # With the order's own address its reference is enough.
    admin.post(add, values(order_text=order.reference, scope="all", language="fr", email="LEA@example.com"))
    assert WithdrawalCase.objects.get(order=order).taken_up_at == NOON


def test_only_operators_file(client, django_user_model):
    order = paid_order()
    client.force_login(django_user_model.objects.create_user("staff@example.com", "x", is_staff=True))
    add = reverse("admin:orders_withdrawalcase_add")

    for address in (order_page(order), add):
        assert client.get(address).status_code == 403
        assert client.post(address, values()).status_code == 403
    assert not Withdrawal.objects.exists()


# --- The call -----------------------------------------------------------------------------------------


def ask(client, order_id, body, key=""):
    return client.post(
        f"/api/admin/orders/{order_id}/withdrawals",
        json.dumps(body),
        content_type="application/json",
        headers={"idempotency-key": key or new_key()},
    )


BODY = {"channel": "letter", "sent_on": "2026-11-20", "received_on": "2026-11-23"}


def test_the_call_files_it_and_answers_what_came_of_it(admin, operator):
    order = paid_order((make_product(), 2))
    item, key = order.items.get(), new_key()
    body = {**BODY, "items": [{"item_id": item.pk, "quantity": 1}], "words": "Une\r\nseule."}

    answer = ask(admin, order.pk, body, key)

    withdrawal = Withdrawal.objects.get()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert answer.json() == {
        "success": True,
        "withdrawal": {
            "id": str(withdrawal.pk), "reference": withdrawal.reference, "order_id": str(order.pk), "channel": "letter",
            "sent_on": "2026-11-20", "received_on": "2026-11-23", "statement": withdrawal.statement,
            "lines": [{"item_id": item.pk, "quantity": 1}], "in_time": True, "state": "declared",
            "refund_by": "2026-12-07", "voided": "0.00",
        },
    }  # fmt: skip
    assert withdrawal.statement.endswith("Texte reçu\u00a0:\nUne\nseule.")
    assert (withdrawal.name, withdrawal.filed_by) == ("Léa Martin", operator)
    before = filed()
    assert ask(admin, order.pk, body, key).json() == answer.json()
    assert ask(admin, order.pk, {**body, "words": "Toutes."}, key).status_code == 422
    assert filed() == before


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"channel": "site"}, "channel"),
        ({"sent_on": "hier"}, "sent_on"),
        ({"sent_on": "2026-11-24"}, "sent_on"),
        ({"received_on": None}, "received_on"),
        ({"items": []}, "items"),
        ({"items": [{"item_id": 1, "quantity": 0}]}, "items.0.quantity"),
        ({"items": [{"item_id": 2**70, "quantity": 1}]}, "items"),
        ({"email": "x"}, "email"),
        ({"item": []}, "item"),
    ],
)
def test_the_call_refuses_what_it_does_not_understand(admin, changes, field):
    order = paid_order()
    before = filed()

    answer = ask(admin, order.pk, {**BODY, **changes})

    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert field in answer.json()["errors"]
    assert filed() == before


def test_the_call_is_for_administrators_and_known_orders(client, admin):
    order = paid_order()
    before = filed()
    assert ask(admin, uuid4(), BODY).json()["code"] == "not_found"
    without = admin.post(
        f"/api/admin/orders/{order.pk}/withdrawals", json.dumps(BODY), content_type="application/json"
    )
    assert without.json()["code"] == "idempotency_key_required"
    client.force_login(make_user("member@example.com"))
    assert ask(client, order.pk, BODY).status_code == 403
    client.logout()
    assert ask(client, order.pk, BODY).status_code in (401, 403)
    assert filed() == before
    assert User.objects.count() == 2


def test_the_return_of_a_filed_part_is_refunded_like_any_other(admin, operator):
    order = paid_order((make_product(), 2))
    update_status(order_id=order.pk, status="shipped", actor=None)
    item = order.items.get()
    case = file_received(declaration=letter(order, operator, lines=((item.pk, 1),)), key=new_key()).case
    assert case.state == WithdrawalState.GOODS_AWAITED

    shown = text(admin.get(reverse("admin:orders_withdrawalcase_refund", args=[case.pk])))

    assert "Rembourser 40,00 €" in shown
