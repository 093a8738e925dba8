"""Refusing a declaration that had stopped the installments: what is due again, on which day, and who is told."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Role
from accounts.services.roles import grant_role
from orders.models import (
    Attempt,
    Dispute,
    Order,
    PausedBy,
    PauseEnd,
    PaymentState,
    StoredCard,
    WithdrawalCase,
)
from orders.services.fulfilment.status_changes import update_status
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.payments import due_installments
from orders.services.refunds.decisions import request_refund
from orders.services.withdrawals import cases
from orders.tests.factories import make_order, new_key, pay_order
from orders.tests.installments import installments
from orders.tests.resuming.declarations import (
    NOON,
    PAID,
    declare,
    in_order,
    later,
    refuse,
    resumed_mail,
    revoked,
    rows,
)
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


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


def test_l216_6_what_resumes_while_payments_are_suspended_waits_for_the_end_of_the_pause(order, clock):
    clock.move_to(datetime(2026, 12, 20, 11, 0, tzinfo=UTC))
    pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Résine en retard.")
    case = declare(order)
    clock.move_to(datetime(2026, 12, 30, 11, 0, tzinfo=UTC))

    refuse(case)

    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]
    assert later(order) == [(None, None, ""), (None, None, "")]
    told = OutgoingMail.objects.get(kind="installment_resumed")
    assert render(told).subject.startswith("Vos échéances sont suspendues")
    for part in (render(told).text, unescape(render(told).html)):
        assert "Rien n'est débité ni réclamé jusqu'à la reprise." in part
        assert "200,00\u00a0€ restent à payer" in part
        assert "sera débitée" not in part
        assert "sa date est passée" not in part
    due_installments.run_round(timezone.now())
    assert not OutgoingMail.objects.filter(kind="installment_reminder").exists()

    resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    assert [row[1] for row in installments(order)[1:]] == ["2027-01-02", "2027-02-01"]


@pytest.mark.parametrize(
    ("next_try", "tried"),
    [(11, 13), (13, 13), (14, 14)],
)
def test_a_next_try_takes_place_three_days_after_its_greater_amount_is_told(order, clock, next_try, tried):
    case = declare(order, units=1)
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("40.00"))
    second = order.payments.filter(position=2)
    second.update(state="due", next_try_on=date(2027, 1, next_try), announced_at=timezone.now())
    clock.move_to(datetime(2027, 1, 10, 11, 0, tzinfo=UTC))

    refuse(case)

    after = second.get()
    assert (after.state, after.amount) == ("due", Decimal("100.00"))
    assert after.next_try_on == date(2027, 1, tried)
    assert f"Échéance 2/3, 100,00\u00a0€\u00a0: sera débitée le {tried} janvier 2027." in resumed_mail()


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


def test_a_dispatch_undone_while_the_installments_were_stopped_counts_no_more(order):
    """What was capped by a parcel that is still here has its agreed day again."""
    update_status(order_id=order.pk, status="shipped", actor=None)
    case = declare(order)
    assert installments(order)[2] == ("100.00", "2027-01-12", "void")
    update_status(order_id=order.pk, status="processing", actor=None, reason="Resté à l'atelier.")

    refuse(case)

    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]
    assert order.payments.get(position=3).moved_from is None
    # It leaves after all.
    update_status(order_id=order.pk, status="shipped", actor=None)
    assert installments(order)[2] == ("100.00", "2027-01-12", "scheduled")


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
