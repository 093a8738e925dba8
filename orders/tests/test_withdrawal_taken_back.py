"""A withdrawal in time ends the contract: it is left aside only when its customer took it back in writing."""

from __future__ import annotations

from datetime import date, timedelta
from html import unescape

import pytest
from django.urls import reverse

from orders.models import WithdrawalCase
from orders.selectors.refund_rules import ReturnedLine
from orders.services.withdrawals import cases
from orders.tests.withdrawing import declare, paid_order, rows
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("monday_noon", "provider")]

MONDAY = date(2026, 11, 23)
WORDS = "Bonjour,\nje garde finalement le golem. Annulez ma rétractation.\nLéa Martin"
NEEDED = (
    "Cette rétractation est arrivée à temps\xa0: elle met fin au contrat. Pour la classer sans suite, recopiez l'écrit "
    "par lequel le client y renonce, et sa date."
)


def refuse(case: WithdrawalCase, **said):
    return cases.refuse_case(case_id=case.pk, reason="Retirée.", actor=None, **said)


@pytest.mark.parametrize(
    "said",
    [{}, {"revocation_text": WORDS}, {"revoked_on": MONDAY}, {"revocation_text": " ", "revoked_on": MONDAY}],
)
def test_l221_27_without_the_customer_s_words_and_their_day_it_is_not_refused(said):
    case = declare(paid_order())
    before = rows()
    with pytest.raises(Problem) as refused:
        refuse(case, **said)
    assert (refused.value.code, refused.value.status, refused.value.detail) == (
        "revocation_needed",
        409,
        NEEDED,
    )
    assert rows() == before


@pytest.mark.parametrize("day", [MONDAY - timedelta(days=1), MONDAY + timedelta(days=1)])
def test_words_of_a_day_before_the_withdrawal_or_to_come_are_none(day):
    case = declare(paid_order())
    before = rows()
    with pytest.raises(Problem) as refused:
        refuse(case, revocation_text=WORDS, revoked_on=day)
    assert refused.value.errors == {
        "revoked_on": ["L'écrit du client ne peut être ni à venir ni avant sa rétractation."]
    }
    assert rows() == before


def test_the_customer_s_words_are_kept_and_shown(staff_client):
    case = declare(paid_order())
    page = reverse("staff-withdrawal-step", args=[case.pk, "refuser"])
    assert "Écrit du client qui renonce à sa rétractation" in staff_client.get(page).content.decode()
    unanswered = staff_client.post(page, {"reason": "Retirée."}).content.decode()
    assert unanswered.count('_error">Ce champ est obligatoire.') == 2
    early = staff_client.post(
        page, {"reason": "Retirée.", "revocation_text": WORDS, "revoked_on": "2026-11-22"}
    ).content.decode()
    assert "ne peut être ni à venir ni avant sa rétractation" in unescape(early)
    assert "je garde finalement le golem" in early
    answer = staff_client.post(
        page, {"reason": "Retirée.", "revocation_text": WORDS, "revoked_on": "2026-11-23"}
    )
    assert answer.status_code == 302
    case.refresh_from_db()
    assert (case.state, case.revoked_on) == ("refused", MONDAY)
    assert case.revocation_text.splitlines() == WORDS.splitlines()
    shown = staff_client.get(reverse("staff-withdrawal", args=[case.pk])).content.decode()
    assert "je garde finalement le golem" in shown


@pytest.mark.parametrize("kind", ["late", "twice", "no order"])
def test_a_late_a_repeated_and_a_foreign_one_need_none(kind):
    order = paid_order()
    case = declare(
        order, late=kind == "late", **({"email": "other@example.com"} if kind == "no order" else {})
    )
    if kind == "twice":
        case = declare(order, reason="Encore.")
    assert cases.needs_revocation(case) is False
    assert refuse(case).state == "refused"


def test_of_two_that_say_the_same_one_stays():
    order = paid_order()
    first, second = declare(order), declare(order, reason="Encore.")
    refuse(second)
    with pytest.raises(Problem) as refused:
        refuse(first)
    assert refused.value.code == "revocation_needed"


def test_l221_27_a_late_one_that_nobody_accepted_does_not_end_one_in_time():
    order = paid_order()
    in_time, late = declare(order), declare(order, late=True, reason="Encore.")
    assert late.taken_up_at is None
    before = rows()
    with pytest.raises(Problem) as refused:
        refuse(in_time)
    assert (refused.value.code, rows()) == ("revocation_needed", before)
    cases.accept_late(case_id=late.pk, reason="Colis retenu.", actor=None)
    assert cases.needs_revocation(in_time) is False


def test_one_of_a_part_does_not_repeat_one_of_the_whole():
    order = paid_order()
    whole = declare(order)
    part = declare(order, order=order, lines=(ReturnedLine(order.items.get().pk, 1),))
    assert cases.needs_revocation(whole) is True
    # Nothing else would end the part: the whole holds it, and its refund leaves no piece of it.
    assert cases.needs_revocation(part) is False
