"""Refusing a declaration that had stopped the installments: what is due again, on which day, and what stays void."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from html import unescape

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from accounts.models import Role
from accounts.services.roles import grant_role
from orders.books.audit_checks import check_ledger
from orders.models import (
    Attempt,
    Dispute,
    Order,
    OrderEvent,
    Payment,
    PaymentState,
    StoredCard,
    WithdrawalCase,
)
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import update_status
from orders.services.payments import due_installments
from orders.services.refunds.decisions import request_refund
from orders.services.withdrawals import cases
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, new_key, pay_order
from orders.tests.installments import installments, offer_installments
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

# Installments of 100.00 on 23 November (paid), 23 December and 22 January.
NOON = datetime(2026, 11, 23, 11, 0, tzinfo=UTC)
PAID = ("100.00", "2026-11-23", "paid")


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture(scope="module")
def placed(module_provider):
    """Three pieces at 100.00, in installments, with the card kept."""
    offer_installments()
    with time_machine.travel(NOON, tick=False):
        placed = pay_order(make_order((make_product("Golem", "100.00"), 3), payment_mode="installments"))
    StoredCard.objects.create(
        order=placed, customer_id="cus_1", payment_method_id="pm_1", brand="visa", last4="4242",
        expiry_month=12, expiry_year=2030,
    )  # fmt: skip
    return placed


@pytest.fixture(autouse=True)
def order(placed, provider):
    return Order.objects.get(pk=placed.pk)


def declare(order, *, units=0, line=None, reason=""):
    lines = (ReturnedLine((line or order.items.get()).pk, units),) if units else ()
    declaration = Declaration(
        name="Léa Martin", email=order.email, order_text=order.reference, language="fr", order=order, lines=lines,
        reason=reason,
    )  # fmt: skip
    key = declaration.submission_key(timezone.localdate())
    return declare_withdrawal(declaration=declaration, key=key, caller="192.0.2.1").case


def refuse(case, *, resume=True):
    cases.refuse_case(
        case_id=case.pk, reason="Retirée par le client.", actor=None, resume=resume, **revoked()
    )
    case.refresh_from_db()


def revoked():
    return {"revocation_text": "Je garde finalement les pièces.", "revoked_on": timezone.localdate()}


def later(order):
    rows = order.payments.filter(position__gt=1).order_by("position")
    return list(rows.values_list("announced_at", "next_try_on", "stopped_code"))


def resumed_mail():
    return render(OutgoingMail.objects.get(kind="installment_resumed")).text


def rows():
    models = (Order, Payment, WithdrawalCase, OrderEvent, OutgoingMail)
    return [sorted(model.objects.values_list(), key=repr) for model in models]


def in_order():
    """Documents, money received, to come and given up agree."""
    return list(check_ledger()) == []


@pytest.mark.parametrize(
    ("resume", "last", "stopped", "mailed"),
    [
        (True, ("70.00", "2027-01-22", "scheduled"), Decimal("30.00"), 1),
        (False, ("100.00", "2027-01-22", "void"), Decimal("100.00"), 0),
    ],
)
def test_l221_23_what_a_damaged_piece_is_refunded_less_than_was_stopped_is_decided(
    order, resume, last, stopped, mailed
):
    case = declare(order, units=1)
    less = {
        "case_id": case.pk, "lines": [ReturnedLine(order.items.get().pk, 1)], "amount": Decimal("30.00"),
        "reason": "Rayée.", "actor": None,
    }  # fmt: skip
    before = rows()
    with pytest.raises(Problem) as undecided:
        cases.refund_case(**less)
    assert (undecided.value.code, rows()) == ("resume_undecided", before)

    decided = cases.refund_case(**less, resume=resume)

    case.refresh_from_db()
    assert (decided.amount, decided.voided, case.state) == (Decimal("30.00"), Decimal("30.00"), "refunded")
    assert (installments(order), case.voided) == (
        [PAID, ("100.00", "2026-12-23", "scheduled"), last],
        stopped,
    )
    assert OutgoingMail.objects.filter(kind="installment_resumed").count() == mailed
    assert in_order()
    if resume:
        assert "la différence reste due" in resumed_mail()


def test_installments_whose_day_is_to_come_are_charged_on_it(order):
    case = declare(order)
    assert installments(order) == [PAID, ("100.00", "2026-12-23", "void"), ("100.00", "2027-01-22", "void")]

    refuse(case)

    assert installments(order) == [
        PAID,
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]
    # Announced three days before, like any other.
    assert later(order) == [(None, None, ""), (None, None, "")]
    assert (case.state, case.voided) == ("refused", Decimal("0.00"))
    event = order.events.get(name="installments.restored")
    assert event.data == {"amount": "200.00", "positions": [2, 3]}
    assert in_order()


def test_the_customer_is_told_each_amount_and_day(order):
    refuse(declare(order))

    told = resumed_mail()

    assert "Vos échéances reprennent\u00a0: 200,00\u00a0€ à payer" in told
    assert "- Échéance 2/3, 100,00\u00a0€\u00a0: sera débitée le 23 décembre 2026." in told
    assert "- Échéance 3/3, 100,00\u00a0€\u00a0: sera débitée le 22 janvier 2027." in told
    assert "Carte débitée\u00a0: Visa se terminant par 4242." in told
    assert OutgoingMail.objects.filter(kind="withdrawal_refused").count() == 1


def test_when_the_card_was_forgotten_meanwhile_the_mail_says_so(order):
    case = declare(order)
    StoredCard.objects.update(forgotten_at=NOON)

    refuse(case)

    told = resumed_mail()
    assert "- Échéance 2/3, 100,00\u00a0€\u00a0: à payer le 23 décembre 2026." in told
    assert "Nous n'avons plus de carte à débiter" in told
    assert "débitée" not in told


def test_an_installment_whose_day_has_passed_is_due_now_by_the_link(order, clock):
    case = declare(order)
    clock.move_to(datetime(2027, 1, 10, 11, 0, tzinfo=UTC))

    refuse(case)

    assert installments(order) == [
        PAID,
        ("100.00", "2026-12-23", "due"),
        ("100.00", "2027-01-22", "scheduled"),
    ]
    assert later(order) == [(None, date(2027, 1, 13), "resumed"), (None, None, "")]
    assert "Échéance 2/3, 100,00\u00a0€\u00a0: sa date est passée, réglez-la sur votre page" in resumed_mail()
    due_installments.run_round(datetime(2027, 1, 11, 9, 0, tzinfo=UTC))
    assert not Attempt.objects.filter(payment__position__gt=1).exists()

    # Its reminders speak of the link, not of a refusal by the bank; the last leaves it to staff.
    for day in (13, 17, 24):
        clock.move_to(datetime(2027, 1, day, 9, 0, tzinfo=UTC))
        payment = order.payments.get(position=2)
        due_installments._with_locks(
            payment, lambda o, p: due_installments._remind(o, p, timezone.localdate())
        )
    assert OutgoingMail.objects.filter(kind="installment_link").count() == 2
    assert not OutgoingMail.objects.filter(kind="installment_refused").exists()
    assert order.payments.get(position=2).state == PaymentState.OVERDUE


def test_an_installment_too_near_for_its_notice_is_announced_by_this_mail(order, clock):
    case = declare(order)
    now = datetime(2026, 12, 22, 11, 0, tzinfo=UTC)
    clock.move_to(now)

    refuse(case)

    # The notice is never moved, the charge is: three days after its announcement.
    assert later(order)[0] == (now, date(2026, 12, 25), "")
    assert installments(order)[1] == ("100.00", "2026-12-23", "scheduled")
    assert "sera débitée le 25 décembre 2026" in resumed_mail()


def test_l312_4_fifty_days_after_dispatch_hold_for_what_resumes(order):
    case = declare(order)
    cases.allow_shipping(case_id=case.pk, actor=None)
    update_status(order_id=order.pk, status="shipped", actor=None)

    refuse(case)

    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-12", "scheduled"),
    ]
    assert order.payments.get(position=3).moved_from == date(2027, 1, 22)


def test_l312_4_a_charge_that_would_pass_the_fifty_days_is_asked_for_by_the_link(order, clock):
    case = declare(order)
    cases.allow_shipping(case_id=case.pk, actor=None)
    update_status(order_id=order.pk, status="shipped", actor=None)
    clock.move_to(datetime(2027, 1, 11, 11, 0, tzinfo=UTC))

    refuse(case)

    assert installments(order)[1:] == [("100.00", "2026-12-23", "due"), ("100.00", "2027-01-12", "due")]
    assert [row[2] for row in later(order)] == ["resumed", "resumed"]


def test_nobody_is_charged_again_by_an_oversight(order):
    case = declare(order)
    before = rows()

    with pytest.raises(Problem) as refused:
        cases.refuse_case(case_id=case.pk, reason="Retirée.", actor=None, **revoked())

    assert refused.value.code == "resume_undecided"
    assert rows() == before


def test_what_stays_stopped_is_a_loss_in_the_books(order):
    case = declare(order)

    refuse(case, resume=False)

    assert installments(order)[1:] == [("100.00", "2026-12-23", "void"), ("100.00", "2027-01-22", "void")]
    assert (case.state, case.voided) == ("refused", Decimal("200.00"))
    assert not OutgoingMail.objects.filter(kind="installment_resumed").exists()
    assert in_order()


def test_what_another_declaration_stops_stays_stopped(order):
    first, second = declare(order), declare(order, reason="Encore.")
    assert (first.voided, second.voided) == (Decimal("200.00"), Decimal("0.00"))

    refuse(first)

    second.refresh_from_db()
    assert (first.voided, second.voided) == (Decimal("0.00"), Decimal("200.00"))
    assert [state for _amount, _day, state in installments(order)] == ["paid", "void", "void"]
    assert not OutgoingMail.objects.filter(kind="installment_resumed").exists()
    refuse(second)
    assert [state for _amount, _day, state in installments(order)] == ["paid", "scheduled", "scheduled"]
    assert in_order()


def test_a_part_comes_back_to_the_third_that_it_was_taken_off(order):
    case = declare(order, units=1)
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "void"),
    ]

    refuse(case)

    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]


def test_the_part_of_another_declaration_is_not_taken_off_twice(order):
    part, whole = declare(order, units=1), declare(order)
    assert (part.voided, whole.voided) == (Decimal("100.00"), Decimal("100.00"))

    refuse(whole)

    part.refresh_from_db()
    assert part.voided == Decimal("100.00")
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "void"),
    ]
    assert in_order()


def test_the_same_part_declared_again_stops_nothing_more(provider):
    golem, fairy = make_product("Golem", "100.00"), make_product("Fée", "100.00")
    order = pay_order(make_order((golem, 1), (fairy, 2), payment_mode="installments"))
    line = order.items.get(product_name="Golem")
    first, again = (declare(order, units=1, line=line, reason=why) for why in ("", "Encore."))
    one_stopped = [("100.00", "2026-12-23", "scheduled"), ("100.00", "2027-01-22", "void")]

    assert (first.voided, again.voided) == (Decimal("100.00"), Decimal("0.00"))
    assert installments(order)[1:] == one_stopped
    refuse(first)
    again.refresh_from_db()
    assert (first.voided, again.voided) == (Decimal("0.00"), Decimal("100.00"))
    assert installments(order)[1:] == one_stopped
    assert in_order()


def test_units_of_which_the_refund_is_under_way_are_not_subtracted_a_second_time(provider):
    order = pay_order(make_order((make_product("Lutin", "50.00"), 6), payment_mode="installments"))
    charge = Attempt.objects.create(
        payment=order.payments.get(position=2), kind="off_session", state="sent", amount_cents=10000,
        expires_at=NOON + timedelta(hours=1),
    )  # fmt: skip
    first = declare(order, units=3)
    decided = cases.refund_case(
        case_id=first.pk, lines=[ReturnedLine(order.items.get().pk, 3)], amount=None, reason="", actor=None
    )
    # What is being charged at this moment is left alone: the rest goes back in money.
    assert (decided.amount, decided.voided) == (Decimal("150.00"), Decimal("100.00"))
    Attempt.objects.filter(pk=charge.pk).update(state="failed")

    assert declare(order, units=2).voided == Decimal("100.00")


def test_a_late_one_that_nobody_accepted_stops_nothing_in_place_of_another(order):
    Order.objects.filter(pk=order.pk).update(delivered_at=NOON - timedelta(days=20))
    waiting, accepted = declare(order, units=2), declare(order, units=2, reason="Encore.")

    cases.accept_late(case_id=accepted.pk, reason="Colis retenu.", actor=None)

    accepted.refresh_from_db()
    assert (waiting.voided, accepted.voided) == (Decimal("0.00"), Decimal("200.00"))


def test_a_late_one_that_nobody_accepted_does_not_take_the_place_of_one_that_is_refused(order):
    case = declare(order, units=1)
    Order.objects.filter(pk=order.pk).update(delivered_at=NOON - timedelta(days=20))
    waiting = declare(order, units=1, reason="Encore.")

    refuse(case)

    waiting.refresh_from_db()
    assert (case.voided, waiting.voided) == (Decimal("0.00"), Decimal("0.00"))


def test_each_unit_of_a_line_may_be_declared_by_itself(order):
    first, second = declare(order, units=1), declare(order, units=1, reason="L'autre aussi.")
    assert (first.voided, second.voided) == (Decimal("100.00"), Decimal("100.00"))


def test_an_installment_that_was_lowered_grows_to_what_was_agreed(order):
    case = declare(order, units=1)
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("40.00"))
    assert installments(order)[1:] == [("60.00", "2026-12-23", "scheduled"), ("100.00", "2027-01-22", "void")]

    # Announced when it was lower.
    order.payments.filter(position=2).update(announced_at=timezone.now())
    refuse(case)
    assert order.payments.get(position=2).announced_at is None

    # 40.00 were credited by another decision: they stay off, from the latest third.
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("60.00", "2027-01-22", "scheduled"),
    ]
    assert in_order()


def test_an_overdue_installment_grows_and_is_not_charged_again(order):
    case = declare(order, units=1)
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("40.00"))
    order.payments.filter(position=2).update(state="overdue", stopped_code="stolen_card")
    refuse(case)
    assert installments(order)[1] == ("100.00", "2026-12-23", "overdue")
    assert order.payments.get(position=2).stopped_code == "stolen_card"


def test_an_installment_that_is_being_paid_keeps_its_amount(order):
    case = declare(order, units=1)
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("40.00"))
    payment = order.payments.get(position=2)
    Attempt.objects.create(
        payment=payment, kind="off_session", state="sent", amount_cents=6000, expires_at=NOON + timedelta(hours=1)
    )  # fmt: skip

    refuse(case)

    assert installments(order)[1:] == [
        ("60.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]
    assert in_order()


def test_one_that_was_stopped_is_owed_again_though_its_page_is_not_closed_yet(order):
    case = declare(order)
    Attempt.objects.create(
        payment=order.payments.get(position=2), kind="link", state="sent", amount_cents=10000,
        expires_at=NOON + timedelta(hours=1),
    )  # fmt: skip
    refuse(case)
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]


@pytest.mark.parametrize("why", ["disputed", "cancelled"])
def test_nothing_resumes_for_an_order_that_is_closed_or_disputed(order, why):
    case = declare(order)
    if why == "disputed":
        attempt = Attempt.objects.get(payment__order=order, payment__position=1)
        Dispute.objects.create(
            order=order, attempt=attempt, provider_id="dp_1", amount=Decimal("100.00"), state="needs_response"
        )
    else:
        Order.objects.filter(pk=order.pk).update(status="cancelled")
    before = rows()

    with pytest.raises(Problem) as refused:
        refuse(case)

    assert refused.value.code == "not_resumable"
    assert rows() == before
    refuse(case, resume=False)
    assert case.state == "refused"


# --- The page -----------------------------------------------------------------------------------------


def test_staff_choose_what_becomes_of_stopped_installments(client, django_user_model, order):
    user = django_user_model.objects.create_superuser("chef@example.com", "x")
    grant_role(user=user, role=Role.ADMIN)
    client.force_login(user)
    case = declare(order)
    page = reverse("staff-withdrawal-step", args=[case.pk, "refuser"])

    shown = unescape(client.get(page).content.decode())
    assert "200,00\u00a0€. Une rétractation faite à temps met fin au contrat" in shown
    assert shown.count('type="radio"') == 2
    assert "checked" not in shown
    unanswered = client.post(page, {"reason": "Retirée."})
    assert "Ce champ est obligatoire." in unescape(unanswered.content.decode())
    assert WithdrawalCase.objects.get().state == "declared"

    client.post(page, {"reason": "Retirée.", "resume": "yes", **revoked()})
    assert WithdrawalCase.objects.get().state == "refused"
    assert [state for _amount, _day, state in installments(order)] == ["paid", "scheduled", "scheduled"]
    assert order.events.get(name="installments.restored").actor == user


def test_staff_are_not_asked_when_nothing_was_stopped(client, django_user_model):
    user = django_user_model.objects.create_superuser("chef@example.com", "x")
    grant_role(user=user, role=Role.ADMIN)
    client.force_login(user)
    case = declare(pay_order(make_order()))
    page = reverse("staff-withdrawal-step", args=[case.pk, "refuser"])

    assert 'type="radio"' not in client.get(page).content.decode()
    client.post(page, {"reason": "Retirée.", **revoked()})
    assert WithdrawalCase.objects.get().state == "refused"
