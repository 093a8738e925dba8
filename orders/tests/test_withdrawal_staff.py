"""Declarations on the admin's pages: how urgent each is, every step explained and asked, the sum before it is paid."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from accounts.models import Role, User
from accounts.services.roles import grant_role
from orders.models import (
    Refund,
    RefundRequest,
    WithdrawalCase,
    WithdrawalState,
)
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refund_rules import ReturnedLine
from orders.selectors.withdrawals import may_wait
from orders.services.fulfilment.status_changes import change_status, update_status
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.outcomes import record_refusal
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.services.withdrawals import cases
from orders.tests.factories import make_product
from orders.tests.refunding import in_installments
from orders.tests.withdrawing import NOON, declare, paid_order, refused
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("monday_noon", "provider")]


@pytest.fixture
def admin(client, django_user_model):
    user = django_user_model.objects.create_superuser("chef@example.com", "x")
    grant_role(user=user, role=Role.ADMIN)
    client.force_login(user)
    return client


def page(client, case, step=""):
    if step == "refund":
        return reverse("staff-withdrawal-refund", args=[case.pk])
    if step:
        return reverse("staff-withdrawal-step", args=[case.pk, step])
    return reverse("staff-withdrawal", args=[case.pk])


def test_the_list_shows_what_is_urgent_first(admin):
    declare(paid_order())
    declare(paid_order(), shipped=True)

    with time_machine.travel(NOON + timedelta(days=14), tick=False):
        # Sessions live for fourteen days.
        admin.force_login(User.objects.get())
        listed = text(admin.get(reverse("staff-withdrawals")))

    assert "à rembourser maintenant" in listed
    assert "retour attendu" in listed


def test_list_is_searched_and_keeps_what_is_done_apart(admin):
    done = declare(paid_order())
    WithdrawalCase.objects.filter(pk=done.pk).update(state=WithdrawalState.REFUSED)
    order = paid_order()
    case = declare(order)
    listing = reverse("staff-withdrawals")

    assert [row.pk for row in admin.get(listing).context["list"].rows] == [case.pk]
    assert [row.pk for row in admin.get(listing, {"liste": "terminees"}).context["list"].rows] == [done.pk]
    found = admin.get(listing, {"q": f"{order.reference} {case.withdrawal.name}"})
    assert [row.pk for row in found.context["list"].rows] == [case.pk]
    assert "Rien ne correspond à « personne »." in text(admin.get(listing, {"q": "personne"}))


def test_lines_of_a_declaration_stand_as_in_the_order(admin):
    order = paid_order((make_product("Golem"), 1), (make_product("Hibou"), 2))
    golem, hibou = order.items.order_by("position")
    case = declare(order, order=order, lines=(ReturnedLine(golem.pk, 1), ReturnedLine(hibou.pk, 2)))
    # Neither by their keys, nor as they were declared or written last.
    for item, position in ((golem, 9), (hibou, 8)):
        order.items.filter(pk=item.pk).update(position=position)
    lines = admin.get(page(admin, case)).context["lines"]
    assert [(line.item.product_name, line.quantity) for line in lines] == [("Hibou", 2), ("Golem", 1)]


def test_list_takes_as_many_queries_for_many(admin, django_assert_num_queries):
    """Session, person, and the cases with their declarations and orders."""
    for _again in range(3):
        declare(paid_order())
    listing = reverse("staff-withdrawals")
    admin.get(listing)
    with django_assert_num_queries(3):
        assert len(admin.get(listing).context["list"].rows) == 3


def offered(admin, case):
    """What the page offers, in its order; the button that stands out with a star."""
    shown = text(admin.get(page(admin, case)))
    links = re.findall(
        r'<a class="button( button--primary)?" href="/admin/retractations/[^"]+">([^<]+)', shown
    )
    return [f"{'*' * bool(primary)}{label}" for primary, label in links]


def test_each_step_explains_itself_and_asks(admin):
    order = paid_order()
    case = declare(order, shipped=True)
    shown = text(admin.get(page(admin, case)))
    assert offered(admin, case) == [
        "*Noter le retour des pièces",
        "Noter la preuve d'expédition",
        "Ne pas donner suite",
        "Rembourser",
    ]
    assert "Rattacher à une commande" not in shown
    assert case.withdrawal.statement.splitlines()[0] in shown

    asked = text(admin.get(page(admin, case, "retour")))
    assert "À partir de ce jour, le remboursement n'attend plus" in asked
    assert WithdrawalCase.objects.get().goods_received_at is None

    refused_day = admin.post(page(admin, case, "retour"), {"day": "2026-11-24"})
    assert "Cette date est à venir." in text(refused_day)
    refused_day = admin.post(page(admin, case, "retour"), {"day": "2026-11-22"})
    assert "Cette date est avant la commande." in text(refused_day)
    assert "<dt>État</dt><dd>Retour attendu</dd>" in text(admin.get(page(admin, case)))
    assert text(admin.get(reverse("staff-withdrawals"))).lower().count("retour attendu") == 1
    admin.post(page(admin, case, "retour"), {"day": "2026-11-23"})
    assert "<dt>État</dt><dd>Retour reçu</dd>" in text(admin.get(page(admin, case)))
    assert offered(admin, case) == ["*Rembourser", "Ne pas donner suite", "Retirer le retour noté"]
    assert "· Retour reçu" in text(admin.get(reverse("staff-withdrawals")))
    assert timezone.localdate(WithdrawalCase.objects.get().goods_received_at) == date(2026, 11, 23)


def test_what_was_refunded_from_the_orders_page_is_closed_here(admin):
    case = declare(paid_order())
    change_status(order_id=case.order_id, status="refunded", actor=None, refund=True)
    assert "Clore" not in text(admin.get(page(admin, case)))
    send_refund(Refund.objects.get().pk)

    shown = text(admin.get(page(admin, case)))
    assert "Clore : déjà rendu" in shown
    assert "Rembourser</a>" not in shown
    assert admin.post(page(admin, case, "clore"), {}).status_code == 302
    case.refresh_from_db()
    assert case.state == WithdrawalState.REFUNDED


def test_a_return_noted_on_the_wrong_case_is_taken_back_and_leaves_its_trace(admin):
    order = paid_order()
    case = declare(order, shipped=True)
    assert "Retirer le retour noté" not in text(admin.get(page(admin, case)))
    admin.post(page(admin, case, "preuve"), {"day": "2026-11-23"})
    admin.post(page(admin, case, "retour"), {"day": "2026-11-23"})
    case.refresh_from_db()
    noted, proof = case.goods_received_at, case.shipping_proof_at
    assert noted is not None

    assert "obligatoire" in text(admin.post(page(admin, case, "retour-errone"), {"reason": ""}))
    assert admin.post(page(admin, case, "retour-errone"), {"reason": "Mauvais dossier."}).status_code == 302
    case.refresh_from_db()
    assert (case.goods_received_at, case.shipping_proof_at, case.state_label) == (
        None,
        proof,
        "Retour en route",
    )
    assert (
        "<dt>Retour retiré</dt><dd>noté le 23 novembre 2026, retiré le 23 novembre 2026 à 12:00 par chef@example.com"
        " : Mauvais dossier.</dd>" in text(admin.get(page(admin, case)))
    )
    event = order.events.get(name="withdrawal.return_taken_back")
    assert event.data == {
        "withdrawal": str(case.withdrawal_id), "is_return": True, "moment": noted.isoformat(),
        "reason": "Mauvais dossier.",
    }  # fmt: skip
    admin.post(page(admin, case, "retour-errone"), {"reason": "Reçu d'une autre."})
    case.refresh_from_db()
    assert (case.shipping_proof_at, case.state_label, may_wait(case)) == (None, "Retour attendu", True)
    refused("no_return", cases.take_return_back, case_id=case.pk, reason="Encore.")


def test_a_return_that_a_refund_relied_on_stays(admin):
    case = declare(paid_order(), shipped=True)
    admin.post(page(admin, case, "retour"), {"day": "2026-11-23"})
    cases.refund_case(case_id=case.pk, lines=None, amount=None, reason="", actor=None)
    refused("case_refunding", cases.take_return_back, case_id=case.pk, reason="Mauvais dossier.")
    shown = text(admin.get(page(admin, case)))
    assert "Retirer le retour noté" not in shown
    assert "quand l'argent est rendu. Le retour noté ne se retire plus." in shown


def test_every_step_may_be_taken_from_the_admin(admin):
    order = paid_order()
    lost = declare(order, email="other@example.com")
    assert admin.post(page(admin, lost, "rattacher"), {"reference": order.reference}).status_code == 302
    assert admin.post(page(admin, lost, "expedition"), {}).status_code == 302
    update_status(order_id=order.pk, status="shipped", actor=None)
    assert admin.post(page(admin, lost, "renvoi"), {}).status_code == 302
    assert admin.post(page(admin, lost, "preuve"), {"day": "2026-11-23"}).status_code == 302
    lost.refresh_from_db()
    assert (lost.order, lost.state, lost.shipping_allowed_at) == (order, "goods_awaited", NOON)
    assert lost.shipping_proof_at is not None

    late = declare(paid_order(), late=True)
    assert admin.post(page(admin, late, "accepter"), {"reason": ""}).status_code == 200
    admin.post(page(admin, late, "accepter"), {"reason": "Geste."})
    admin.post(page(admin, late, "refuser"), {"reason": "Retirée par le client."})
    late.refresh_from_db()
    assert (late.state, late.decision) == ("refused", "Retirée par le client.")
    # Once more: said, not crashed.
    again = admin.post(page(admin, late, "refuser"), {"reason": "x"}, follow=True)
    assert "Cette déclaration est déjà traitée." in text(again)
    assert admin.get(page(admin, late, "nothing")).status_code == 404


def test_the_refund_page_shows_the_sum_before_it_is_paid(admin):
    order = paid_order((make_product(), 2))
    item = order.items.get()
    case = declare(order, order=order, lines=(ReturnedLine(item.pk, 1),))
    shown = text(admin.get(page(admin, case, "refund")))
    assert "Rembourser 40,00 €" in shown
    assert ">Rembourser<" in text(admin.get(page(admin, case)))
    assert f"{item.label} (au plus 2)" in shown
    assert f"<dt>Articles rendus</dt><dd>1 × {item.label}</dd>" in text(admin.get(page(admin, case)))

    # Another quantity: shown first, nothing decided.
    body = {f"units_{item.pk}": "2", "expected": "40.00", "confirm": "1"}
    other = text(admin.post(page(admin, case, "refund"), body))
    assert "Rembourser 80,00 €" in other
    # What is typed stays a draft of this browser; leaving asks once it was sent and is not decided.
    assert (" data-staff-form>" in shown, " data-staff-form data-unsaved>" in other) == (True, True)
    # Whoever calculates is led to the sum, below the fold of a phone.
    assert (' action="#somme"' in shown, 'id="somme"' in other) == (True, True)
    assert not RefundRequest.objects.exists()

    other_page = text(admin.get(page(admin, case)))
    admin.post(page(admin, case, "refund"), {f"units_{item.pk}": "1", "expected": "40.00", "confirm": "1"})
    assert RefundRequest.objects.get().amount == Decimal("40.00")
    # Once more would decide nothing: it is not offered.
    decided = text(admin.get(page(admin, case)))
    assert ("Le remboursement est décidé" in decided, ">Rembourser<" in decided) == (True, False)
    assert (">Ne pas donner suite<" in other_page, ">Ne pas donner suite<" in decided) == (True, False)
    assert admin.post(page(admin, case, "refund"), {f"units_{item.pk}": "9"}).status_code == 200


def test_a_refund_that_moves_no_money_says_what_it_takes_off_the_installments(admin):
    order = in_installments()
    case = declare(order)
    body = {f"units_{order.items.get().pk}": "1", "amount": "100", "resume": "no"}
    shown = text(admin.post(page(admin, case, "refund"), body))
    assert ("Retirer 100,00 € des échéances" in shown, "Rembourser 100,00 €" in shown) == (True, False)
    decided = admin.post(
        page(admin, case, "refund"), {**body, "expected": "100.00", "confirm": "1"}, follow=True
    )
    assert "Remboursement décidé : cette somme ne sera pas prélevée." in text(decided)
    assert (RefundRequest.objects.get().voided, Refund.objects.count()) == (Decimal("100.00"), 0)


def test_a_refund_that_failed_is_said_with_where_it_is_made_again(admin, provider):
    order = paid_order()
    case = declare(order)
    sent = {f"units_{order.items.get().pk}": "1", "expected": str(order.total), "confirm": "1"}
    admin.post(page(admin, case, "refund"), sent)
    refund = Refund.objects.get()
    send_refund(refund.pk)
    refund.refresh_from_db()
    provider.settle_refund(str(refund.provider_id), "failed")
    sync_refunds(str(refund.attempt.intent_id))
    shown = text(admin.get(page(admin, case)))
    assert "Le remboursement décidé a échoué" in shown
    assert "Le remboursement est décidé" not in shown
    assert f'<a href="{reverse("staff-refunds")}">réessayez-le ou réglez-le par virement</a>' in shown
    assert "· réglé le" not in text(admin.get(reverse("staff-refunds")))


def test_a_refused_refund_that_can_not_be_tried_again_is_said_with_what_is_to_do(admin):
    order = paid_order()
    case = declare(order)
    sent = {f"units_{order.items.get().pk}": "1", "expected": str(order.total), "confirm": "1"}
    admin.post(page(admin, case, "refund"), sent)
    refused = Refund.objects.get()
    Refund.objects.update(state="sent")
    record_refusal(refused.pk, "insufficient_funds")
    goodwill = request_refund(order_id=order.pk, key="goodwill", amount=Decimal("5.00"))
    shown = text(admin.get(page(admin, case)))
    assert (
        "Le remboursement décidé a échoué et ne peut plus être réessayé : "
        f'<a href="{reverse("staff-order", args=[order.pk])}">remboursez depuis la commande</a> ce qui reste à rendre, '
        "puis cette page permet de clore."
    ) in shown
    assert "Le remboursement est décidé" not in shown
    rest = request_refund(order_id=order.pk, key="rest", amount=order.total - 5)
    for refund in Refund.objects.filter(request__in=[goodwill, rest]):
        send_refund(refund.pk)
        sync_refunds(str(refund.attempt.intent_id))
    shown = text(admin.get(page(admin, case)))
    assert "ne peut plus être réessayé" not in shown
    assert admin.post(page(admin, case, "clore"), {}).status_code == 302
    case.refresh_from_db()
    assert case.state == WithdrawalState.REFUNDED


def test_another_refund_of_the_order_that_failed_is_not_that_of_the_case(admin, provider):
    order = paid_order((make_product(), 2))
    request_refund(order_id=order.pk, key="other", amount=Decimal("5.00"))
    other = Refund.objects.get()
    send_refund(other.pk)
    other.refresh_from_db()
    provider.settle_refund(str(other.provider_id), "failed")
    sync_refunds(str(other.attempt.intent_id))
    case = declare(order)
    sent = {f"units_{order.items.get().pk}": "1", "expected": "40.00", "confirm": "1"}
    admin.post(page(admin, case, "refund"), sent)
    shown = text(admin.get(page(admin, case)))
    assert [debt.refund for debt in retryable_refunds(order)] == [other]
    assert "Le remboursement décidé a échoué" not in shown
    assert "Le remboursement est décidé" in shown


def test_what_was_described_in_words_alone_asks_staff_to_choose(admin):
    order = paid_order((make_product(), 2))
    case = declare(order, order=order, goods="Le grand golem")
    hint = "Indiquez ci-dessous combien de pièces"
    opened = text(admin.get(page(admin, case, "refund")))
    refusal = "aucune ligne n'est choisie."
    assert (hint in opened, refusal in opened, "Rembourser 4" in opened) == (True, False, False)
    units = f"units_{order.items.get().pk}"
    shown = text(admin.post(page(admin, case, "refund"), {units: "0"}))
    assert (hint in shown, refusal in shown) == (False, True)
    shown = text(admin.post(page(admin, case, "refund"), {units: "1"}))
    assert (hint in shown, "Rembourser 40,00 €" in shown) == (False, True)


def test_the_order_leads_to_its_withdrawals(admin):
    order = paid_order((make_product(), 2))
    case = declare(order)
    leads = reverse("staff-order-withdrawals", args=[order.pk])
    assert leads in text(admin.get(reverse("admin:orders_order_change", args=[order.pk])))
    assert admin.get(leads)["Location"] == page(admin, case)
    declare(order, reason="encore")
    assert "dans les temps" in text(admin.get(leads))


def test_only_operators_get_in(client, django_user_model):
    case = declare(paid_order())
    user = django_user_model.objects.create_user("staff@example.com", "x", is_staff=True)
    client.force_login(user)

    for step in ("", "refund", "goods", "refuser"):
        assert client.get(page(client, case, step)).status_code == 403
        assert client.post(page(client, case, step), {"reason": "x"}).status_code in (403, 405)
    assert WithdrawalCase.objects.get().state == WithdrawalState.DECLARED
