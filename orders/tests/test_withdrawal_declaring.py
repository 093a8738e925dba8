"""Filing a declaration: once, whole, and without telling anybody which orders exist."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest
from django.utils import timezone

from orders.models import OrderEvent, Withdrawal, WithdrawalCase, WithdrawalState
from orders.selectors.refund_rules import ReturnedLine
from orders.services.withdrawals import cases
from orders.services.withdrawals.declarations import (
    choose_lines,
    compose_statement,
    declaration_from_json,
    declaration_to_json,
)
from orders.tests.declarations import declare, mails, words
from orders.tests.factories import make_product
from orders.tests.withdrawing import NOON, paid_order
from shop.core.models import AttemptCounter, OutgoingMail
from shop.core.problems import Problem
from shop.core.tests.sent_mail import deliver_all, every_part

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("monday_noon")]

STATEMENT = """Je notifie par la présente ma rétractation du contrat portant sur la commande {order}.

Ma rétractation porte sur toute la commande.

Nom\u00a0: Léa Martin
Adresse e-mail\u00a0: lea@example.com"""


def test_l221_21_a_declaration_is_filed_with_its_text_and_moment():
    order = paid_order()

    withdrawal = declare(words(order))

    row = Withdrawal.objects.get()
    assert row == withdrawal
    assert (row.order, row.name, row.email, row.order_text, row.reason, row.language) == (
        order, "Léa Martin", "lea@example.com", order.reference, "", "fr",
    )  # fmt: skip
    assert row.declared_at == NOON
    assert row.statement == STATEMENT.format(order=order.reference)
    case = row.case
    assert (case.order, case.in_time, case.state) == (order, True, WithdrawalState.DECLARED)
    assert case.refund_by == date(2026, 12, 7)
    assert case.taken_up_at == NOON
    assert list(order.events.filter(name__startswith="withdrawal").values_list("name", flat=True)) == [
        "withdrawal.declared",
        "withdrawal.taken_up",
    ]
    assert mails() == [
        ("withdrawal_received", "lea@example.com"),
        ("withdrawal_workshop", "boutique@example.com"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{reference}",
        "  {lower} ",
        "commande n° {reference}, merci",
        "INV-{reference}",
        "#{reference}",
        "{id}",
        "https://shop.example/commande/{id}?acces=x",
    ],
)
def test_an_order_is_found_however_it_is_named(text):
    order = paid_order()
    typed = text.format(reference=order.reference, lower=order.reference.lower(), id=order.pk)

    assert declare(words(order, order_text=typed[:100], email="LEA@example.com")).order == order


def test_an_order_is_found_by_its_invoice():
    order = paid_order()

    assert declare(words(order, order_text=order.invoices.get().number)).order == order


@pytest.mark.parametrize("email", ["other@example.com", "lea@example.com.evil.example"])
def test_a_foreign_address_or_unknown_order_is_filed_and_changes_no_order(email):
    order = paid_order()
    events = OrderEvent.objects.count()

    withdrawal = declare(words(order, email=email))
    unknown = declare(words(order, order_text="ABCDEF12"))

    for row in (withdrawal, unknown):
        assert row.order is None
        assert (row.case.order, row.case.in_time, row.case.taken_up_at) == (None, None, None)
        assert row.case.state == WithdrawalState.DECLARED
    assert OrderEvent.objects.count() == events


def acknowledged():
    """Recipient and whether the words were quoted, of every acknowledgement."""
    sent = OutgoingMail.objects.filter(kind="withdrawal_received").order_by("pk")
    return [(mail.to, "statement" in mail.context) for mail in sent]


def test_acknowledgement_quotes_to_the_address_of_the_order_alone():
    order = paid_order()
    declare(words(order))
    declare(words(order, email="LEA@example.com", reason="Trop grand."))
    declare(words(order, email="victim@example.com"))
    declare(words(order, order_text="ABCDEF12"))
    # Known by its signed link, another address typed: the order's own is told everything.
    declare(words(order, email="other@example.com", order=order))

    assert acknowledged() == [
        ("lea@example.com", True),
        ("lea@example.com", True),
        ("victim@example.com", False),
        ("lea@example.com", False),
        ("lea@example.com", True),
        ("other@example.com", False),
    ]


EVIL = "Gagnez 1000 € sur https://evil.example"


def test_withdrawal_form_used_to_write_to_a_stranger_sends_few_mails_without_a_word_of_it():
    order = paid_order()
    for number in range(20):
        declare(
            words(
                order, email=f"Victim+{number}@example.com", name=EVIL, order_text=f"{EVIL} {order.reference}",
                reason=f"{EVIL} {number}", goods=EVIL,
            ),
            caller=f"2001:db8:0:{number:x}::1",
        )  # fmt: skip

    assert Withdrawal.objects.count() == 20
    sent = deliver_all(to__icontains="victim")
    assert len(sent) == 3
    for message in sent:
        everything = every_part(message)
        assert not re.search("evil|Gagnez|1000 €", everything)
        assert order.reference in everything
        assert "/retractation/recue?a=" in everything


def test_acknowledgements_of_a_typed_order_are_six_a_day_and_of_its_page_are_never_refused():
    order = paid_order()
    for number in range(8):
        declare(words(order, reason=str(number)))
    assert acknowledged() == [("lea@example.com", True)] * 6
    assert Withdrawal.objects.count() == 8

    declare(words(order, order=order), caller="192.0.2.2")

    assert acknowledged() == [("lea@example.com", True)] * 7


def test_acknowledgement_of_the_customer_is_sent_after_strangers_used_up_the_address():
    order = paid_order()
    for number in range(10):
        declare(words(order, order_text="ABCDEF12", reason=str(number)), caller="198.51.100.1")
    assert acknowledged() == [("lea@example.com", False)] * 3

    declare(words(order))

    assert acknowledged() == [*[("lea@example.com", False)] * 3, ("lea@example.com", True)]


def test_the_same_declaration_of_a_day_is_filed_once():
    order = paid_order()
    declaration = words(order)

    first = declare(declaration)
    second = declare(declaration)
    third = declare(words(order, reason="Trop grand."))

    assert first == second
    assert third != first
    assert Withdrawal.objects.count() == 2
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 2


@pytest.mark.parametrize("proven", [False, True])
def test_l221_21_the_same_declaration_after_a_refusal_is_filed_anew_on_the_same_day(proven):
    order = paid_order()
    declaration = replace(words(order), order=order) if proven else words(order)
    first = declare(declaration)
    cases.refuse_case(
        case_id=first.case.pk, reason="Vous la gardez.", actor=None,
        revocation_text="Je la garde.", revoked_on=timezone.localdate(),
    )  # fmt: skip

    second = declare(declaration)

    assert (second == first, second.case.state) == (False, WithdrawalState.DECLARED)
    assert declare(replace(declaration, email="Lea@Example.com")) == second
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 2


def test_too_many_declarations_are_refused_and_nothing_is_filed():
    order = paid_order()
    for number in range(10):
        declare(words(order, reason=str(number)))
    before = (Withdrawal.objects.count(), OutgoingMail.objects.count(), OrderEvent.objects.count())

    with pytest.raises(Problem) as refusal:
        declare(words(order, reason="11"))

    assert (refusal.value.code, refusal.value.status) == ("throttled", 429)
    assert refusal.value.detail == (
        "Trop de déclarations. Réessayez dans une heure, ou écrivez-nous\u00a0: un e-mail suffit à vous rétracter."
    )
    assert (Withdrawal.objects.count(), OutgoingMail.objects.count(), OrderEvent.objects.count()) == before
    # What was filed before is given back all the same.
    assert declare(words(order, reason="0")).reason == "0"


def test_nobody_is_shut_out_by_what_others_write_under_their_address():
    order = paid_order()
    for number in range(10):
        declare(words(order, reason=str(number)), caller="198.51.100.1")
    with pytest.raises(Problem, match="Trop de déclarations"):
        declare(words(order, reason="11"), caller="198.51.100.1")

    assert declare(words(order)).order == order


def test_one_caller_may_not_write_to_many_addresses():
    order = paid_order()
    for number in range(10):
        declare(words(order, email=f"a{number}@example.com"))

    with pytest.raises(Problem) as refusal:
        declare(words(order, email="a10@example.com"))

    assert refusal.value.code == "throttled"
    assert declare(words(order, email="a10@example.com"), caller="192.0.2.2").email == "a10@example.com"
    assert AttemptCounter.objects.exists()


@pytest.mark.parametrize("wanted", [{}, {0: 1}, {"own": 0}, {"own": 3}, {"own": -1}])
def test_lines_that_are_not_there_can_not_be_chosen(wanted):
    order = paid_order((make_product(), 2))
    own = order.items.get().pk

    with pytest.raises(Problem) as refusal:
        choose_lines(order, {own if item == "own" else item: units for item, units in wanted.items()})

    assert (refusal.value.code, refusal.value.status) == ("invalid_lines", 400)
    assert refusal.value.detail == "Choisissez au moins un article, dans la quantité commandée."


def test_foreign_lines_are_refused_when_they_are_filed_too():
    order = paid_order()
    other = paid_order((make_product("Hibou"), 1))

    with pytest.raises(Problem, match="Choisissez au moins un article"):
        declare(words(order, order=order, lines=(ReturnedLine(other.items.get().pk, 1),)))

    assert not Withdrawal.objects.exists()
    assert not WithdrawalCase.objects.exists()
    assert not OutgoingMail.objects.filter(kind__startswith="withdrawal").exists()


def test_a_part_is_listed_in_the_statement():
    order = paid_order((make_product(), 3))
    item = order.items.get()
    declaration = words(order, order=order, lines=(ReturnedLine(item.pk, 2),), reason="Trop grand.")

    assert compose_statement(declaration) == (
        f"Je notifie par la présente ma rétractation du contrat portant sur la commande {order.reference}.\n\n"
        "Articles rendus\u00a0:\n- 2 × Golem de poche\n\n"
        "Nom\u00a0: Léa Martin\nAdresse e-mail\u00a0: lea@example.com\n\n"
        "Motif\u00a0: Trop grand."
    )
    assert declaration_from_json(declaration_to_json(declaration)) == declaration
