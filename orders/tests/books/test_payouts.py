"""The provider's account, stored once; its payouts against the bank's statement, read once."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from orders.books.payouts import (
    describe_payouts,
    fees_of,
    late_payouts,
    movement_cells,
    unknown_lines,
    with_bank_lines,
)
from orders.models import Attempt, BalanceMovement, BankLine, LedgerEntry, Payout
from orders.services.payments.checkout_sessions import open_checkout_session
from orders.services.reconciliation.bank_statements import (
    StatementUnreadable,
    import_statement,
    match_statement,
    read_statement,
)
from orders.services.reconciliation.provider_account import fetch_account
from orders.stripe import account_activity, gateway
from orders.stripe.account_activity import BalanceLine, PayoutFacts
from orders.tests.books.entries import utc
from orders.tests.factories import make_order
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db

ZERO = Decimal("0.00")


def make_payout(number: int, amount: str, day: date, *, state: str = "paid", **fields: object) -> Payout:
    return Payout.objects.create(
        provider_id=f"po_{number}", amount=Decimal(amount), state=state, arrives_on=day,
        created_at=utc(day.year, day.month, day.day), **fields,
    )  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_the_provider_s_account_is_stored_once_with_what_each_payout_contains(fake_stripe):
    order = make_order()
    attempt = Attempt.objects.get(payment__order=order)
    open_checkout_session(attempt)
    attempt.refresh_from_db()
    fake_stripe.control(f"sessions/{attempt.checkout_session_id}/pay")
    from orders.services.payments.settlement import settle

    settle(attempt.pk)
    assert LedgerEntry.objects.get().amount == Decimal("49.99")
    fake_stripe.control("clock", seconds=60)
    fake_stripe.control("payouts")
    now = timezone.now() + timedelta(minutes=5)
    assert fetch_account(now) == (2, 1)
    assert fetch_account(now) == (0, 0)
    charge, paid_out = BalanceMovement.objects.order_by("pk")
    assert {charge.kind, paid_out.kind} == {"charge", "payout"}
    payout = Payout.objects.get()
    # 1.5 % and 0.25 €
    assert (payout.amount, payout.state) == (Decimal("48.99"), "paid")
    assert payout.reference.startswith("STRIPE-")
    assert payout.movements.count() == 2
    [row] = describe_payouts(list(with_bank_lines(Payout.objects.all())))
    assert [(part.label, part.count, part.amount, part.fee) for part in row.parts] == [
        ("Encaissements", 1, Decimal("49.99"), Decimal("1.00"))
    ]
    assert row.difference == ZERO
    months = fees_of(timezone.localdate().year)
    assert sum(month.fees for month in months) == Decimal("1.00")
    assert sum(month.paid_out for month in months) == Decimal("48.99")


def test_a_payout_is_compared_with_its_own_parts_and_fees_are_those_of_the_year():
    known = make_payout(1, "48.00", date(2026, 11, 5))
    make_payout(2, "7.00", date(2026, 11, 6))
    before, first, after = utc(2025, 12, 31, 22, 59, 59), utc(2025, 12, 31, 23), utc(2026, 12, 31, 23)
    moments = ((before, None), (first, known), (after, None), (utc(2027, 2, 3), None))
    for number, (when, payout) in enumerate(moments):
        BalanceMovement.objects.create(
            provider_id=f"txn_{number}", kind="charge", amount=Decimal("50.00"), fee=Decimal("1.00"),
            source_id="ch_1", occurred_at=when, available_at=when, payout=payout,
        )  # fmt: skip
    BalanceMovement.objects.create(
        provider_id="txn_fee", kind="stripe_fee", amount=Decimal("-2.00"), fee=ZERO, occurred_at=first,
        available_at=first,
    )  # fmt: skip
    rows = describe_payouts(list(with_bank_lines(Payout.objects.order_by("pk"))))
    # Of the second one nothing is known.
    assert [row.difference for row in rows] == [Decimal("-1.00"), ZERO]
    assert [month.fees for month in fees_of(2026)] == [Decimal("3.00"), *[ZERO] * 11]
    day, euros = date(2026, 1, 1), Decimal
    assert movement_cells(2026) == [
        (day, "txn_1", "Encaissements", "ch_1", euros("50.00"), euros("1.00"), euros("49.00"), "po_1"),
        (day, "txn_fee", "Frais facturés", "", euros("-2.00"), ZERO, euros("-2.00"), ""),
    ]


def test_a_payout_is_late_after_seven_days_that_statements_cover():
    make_payout(1, "7.00", date(2026, 11, 4))
    make_payout(2, "7.00", date(2026, 11, 5))
    make_payout(3, "7.00", date(2026, 11, 5), state="in_transit")
    found = make_payout(4, "7.00", date(2026, 11, 5))
    assert not late_payouts(date(2026, 11, 13)).exists()
    BankLine.objects.create(booked_on=date(2026, 11, 5), label="STRIPE", amount=found.amount, payout=found)
    assert not late_payouts(date(2026, 11, 12)).exists()
    # What a later statement brought does not move the day from which they cover.
    BankLine.objects.create(booked_on=date(2026, 11, 12), label="STRIPE", amount="1.00", digest="2")
    assert [payout.provider_id for payout in late_payouts(date(2026, 11, 13))] == ["po_2"]


STATEMENTS = {
    "utf-8, one amount": (
        "Date;Libellé;Montant\n05/11/2026;VIR SEPA STRIPE;1 234,56\n06/11/2026;LOYER;-800,00\n"
    ).encode(),
    "cp1252, two columns, a head above": (
        "Compte courant;;;\nSolde au 30/11/2026;;;12,00\nDate opération;Libellé opération;Débit;Crédit\n"
        "05/11/26;VIR SEPA STRIPE;;1.234,56\n06/11/26;LOYER;800,00;\n"
    ).encode("cp1252"),
    "commas and iso days": b'date,label,amount\n2026-11-05,"VIR SEPA STRIPE","+1234.56"\n2026-11-06,LOYER,-800.00\n',
    "tabs": "Date comptable\tDésignation\tMontant EUR\n05-11-2026\tVIR SEPA STRIPE\t1\u202f234,56 €\n".encode()
    + "06-11-2026\tLOYER\t\u2212800,00 €\n".encode(),
    "a byte that stands for no letter": (
        "Date;Libellé;Montant\n05/11/2026;VIR SEPA STRIPE;1 234,56\n06/11/2026;LOYER;-800,00\n;".encode("cp1252")
        + b"\x81;\n"
    ),
    "the sign behind the amount": (
        "Date;Libellé;Montant\n05/11/2026;VIR SEPA STRIPE;1 234,56+\n06/11/2026;LOYER;800,00-\n"
    ).encode(),
    "hours, and labels of two lines": (
        "Date de l'opération;Libellé;Montant\n05-11-2026 10:11:12;\"VIR SEPA\nSTRIPE\";1234,56\n"
        "06-11-2026 09:00;LOYER;-800,00\n"
    ).encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_of_french_banks_are_read_alike(name):
    assert [(line.booked_on, line.label, line.amount) for line in read_statement(STATEMENTS[name])] == [
        (date(2026, 11, 5), "VIR SEPA STRIPE", Decimal("1234.56")),
        (date(2026, 11, 6), "LOYER", Decimal("-800.00")),
    ]


def test_commas_inside_labels_do_not_split_a_statement_and_lines_of_no_real_day_are_none():
    text = b"Date;Libelle;Montant\n05/11/2026;STRIPE EUROPE, LTD, DUBLIN, IRL, EU;50,00\n"
    [line] = read_statement(text + b"31/12/9999;STRIPE;7,00\n01/01/0001;STRIPE;7,00\n")
    assert (line.label, line.amount) == ("STRIPE EUROPE, LTD, DUBLIN, IRL, EU", Decimal("50.00"))


@pytest.mark.parametrize(
    "head",
    [
        "Date de l'opération;Libellé;Détail de l'écriture;Montant de l'opération",
        "Date de comptabilisation;Libelle simplifie;Libelle operation;Montant",
        "Date opération;Nature;Informations complémentaires;Montant",
    ],
)
def test_the_sender_is_found_in_whichever_column_names_it(head):
    row = "05/11/2026;VIR RECU 993;DE: STRIPE TECHNOLOGY EUROPE;50,00"
    [line] = read_statement(f"{head}\n{row}\n".encode())
    assert line.label == "VIR RECU 993 DE: STRIPE TECHNOLOGY EUROPE"
    payout = make_payout(1, "50.00", date(2026, 11, 5))
    assert import_statement(lines=[line], actor=None).matched == [(line, payout)]


def test_a_line_that_was_stored_by_its_first_label_is_known_with_both():
    [line] = read_statement(b"Date;Libelle;Montant\n05/11/2026;VIR STRIPE;50,00\n")
    import_statement(lines=[line], actor=None)
    [again] = read_statement(b"Date;Libelle;Detail;Montant\n05/11/2026;VIR STRIPE;REF 12;50,00\n")
    assert (again.label, again.digest) == ("VIR STRIPE REF 12", line.digest)
    assert import_statement(lines=[again], actor=None).known == 1


@pytest.mark.both_engines
def test_a_line_that_was_read_before_its_payout_was_known_finds_it_at_night(fake_stripe):
    lines = read_statement(b"Date;Libelle;Montant\n05/11/2026;STRIPE;50,00\n05/11/2026;STRIPE;7,00\n")
    import_statement(lines=lines, actor=None)
    payout = make_payout(1, "50.00", date(2026, 11, 5))
    make_payout(2, "7.00", date(2026, 10, 5))
    BalanceMovement.objects.create(
        provider_id="txn_1", kind="charge", amount="1.00", occurred_at=utc(2026, 11, 5), available_at=utc(2026, 11, 5)
    )  # fmt: skip
    fetch_account(utc(2026, 11, 6))
    assert list(BankLine.objects.order_by("amount").values_list("payout", flat=True)) == [None, payout.pk]


def test_a_payout_that_never_arrives_is_not_waited_for(admin_client):
    make_payout(1, "50.00", date(2026, 11, 4))
    Payout.objects.update(state="failed")
    page = admin_client.get("/admin/versements?liste=a-rapprocher")
    assert page.context["rows"] == []


def test_the_list_says_in_which_month_of_the_table_a_payout_is(admin_client):
    make_payout(1, "50.00", date(2026, 11, 2))
    Payout.objects.update(created_at=utc(2026, 10, 30, 12))
    page = admin_client.get("/admin/versements?annee=2026").content.decode()
    assert "2\xa0novembre 2026" in page
    assert "parti le 30/10/2026" in page
    assert '<th scope="row">octobre</th>' in page
    assert "Parti de Stripe" in page


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\x89PNG\x00\x01", b"bonjour", b"Date;Libelle;Montant\n", b"Date;Libelle;Montant\nx;y;z\n"),
        b"Date;Libelle;Montant\n05/11/2026;" + b"x" * 200_000 + b";50,00\n",
    ],
    ids=["empty", "picture", "word", "titles", "no day", "endless cell"],
)
def test_what_is_no_statement_is_refused(content):
    with pytest.raises(StatementUnreadable):
        read_statement(content)


def test_lines_are_matched_by_amount_day_and_reference_and_read_once():
    near, far = make_payout(1, "50.00", date(2026, 11, 4)), make_payout(2, "50.00", date(2026, 11, 9))
    named = make_payout(3, "50.00", date(2026, 11, 6), reference="STRIPE-ABC")
    make_payout(4, "50.00", date(2026, 10, 1))
    text = (
        b"Date;Libelle;Montant\n05/11/2026;STRIPE VIREMENT;50,00\n10/11/2026;stripe;50,00\n"
        b"12/11/2026;VIR stripe-abc;50,00\n20/11/2026;STRIPE;7,00\n20/11/2026;STRIPE;7,00\n21/11/2026;MARTIN;50,00\n"
    )
    lines = read_statement(text)
    dry = match_statement(lines)
    assert {line.label: payout for line, payout in dry.matched} == {
        "STRIPE VIREMENT": near, "stripe": far, "VIR stripe-abc": named
    }  # fmt: skip
    assert (len(dry.unmatched), dry.known, dry.others) == (2, 0, 1)
    assert not BankLine.objects.exists()
    import_statement(lines=lines, actor=None)
    again = import_statement(lines=lines, actor=None)
    assert (len(again.matched), len(again.unmatched), again.known, again.others) == (0, 0, 5, 1)
    assert BankLine.objects.count() == 5
    assert not BankLine.objects.filter(label="MARTIN").exists()


def test_a_payout_that_the_bank_never_saw_is_a_difference_until_it_is_explained(admin_client):
    missing = make_payout(1, "50.00", date(2026, 11, 4))
    assert not late_payouts(date(2026, 11, 30)).exists()
    content = b"Date;Libelle;Montant\n01/11/2026;STRIPE;7,00\n"
    page = admin_client.post("/admin/versements/releve", {"statement": SimpleUploadedFile("r.csv", content)})
    assert "<p>1 ligne lue. Rien n'est encore enregistré.</p>" in page.content.decode()
    assert not BankLine.objects.exists()
    admin_client.post("/admin/versements/releve", {"lines": page.context["lines"]})
    assert list(late_payouts(date(2026, 11, 30))) == [missing]
    line = unknown_lines().get()
    for address in (f"versement/{missing.pk}", f"releve/{line.pk}"):
        answer = admin_client.post(f"/admin/versements/{address}/clore", {"reason": "Autre compte"})
        assert answer.status_code == 302
    assert not late_payouts(date(2026, 11, 30)).exists()
    assert not unknown_lines().exists()
    missing.refresh_from_db()
    assert missing.closed_reason == "Autre compte"
    assert AuditEntry.objects.filter(action="payout.closed").count() == 2
    assert admin_client.get("/admin/versements").status_code == 200


def test_a_file_that_is_no_statement_and_a_forged_reading_change_nothing(admin_client):
    page = admin_client.post(
        "/admin/versements/releve", {"statement": SimpleUploadedFile("r.csv", b"bonjour")}
    )
    assert page.context["form"].errors["statement"] == [
        "Aucune ligne de titres avec une date, un libellé et un montant n'a été trouvée dans ce fichier."
    ]
    admin_client.post("/admin/versements/releve", {"lines": "forged"})
    assert not BankLine.objects.exists()


def test_a_payout_whose_lines_are_refused_keeps_no_other_waiting(monkeypatch):
    make_order()
    BalanceMovement.objects.create(
        provider_id="txn_0", kind="charge", amount=1, fee=0, occurred_at=utc(2026, 11, 1),
        available_at=utc(2026, 11, 1),
    )  # fmt: skip
    facts = [
        PayoutFacts(
            payout_id=f"po_{number}", amount_cents=100, currency="eur", status="paid", is_automatic=True,
            reference="", created_at=utc(2026, 11, 2), arrives_on=date(2026, 11, 3),
        )
        for number in (1, 2)
    ]  # fmt: skip

    def lines_of(payout_id: str) -> list[BalanceLine]:
        if payout_id == "po_1":
            raise gateway.GatewayRefused("not an automatic payout")
        return []

    monkeypatch.setattr(account_activity, "list_balance_lines", lambda *_days: [])
    monkeypatch.setattr(account_activity, "list_payouts", lambda *_days: facts)
    monkeypatch.setattr(account_activity, "list_lines_of_payout", lines_of)
    with pytest.raises(gateway.GatewayRefused):
        fetch_account(utc(2026, 11, 4))
    assert set(Payout.objects.values_list("provider_id", flat=True)) == {"po_1", "po_2"}


def test_a_payout_is_asked_for_its_lines_until_they_add_up(monkeypatch):
    make_order()
    day = utc(2026, 11, 2)
    BalanceMovement.objects.create(
        provider_id="txn_0", kind="charge", amount=1, fee=0, occurred_at=day, available_at=day
    )
    facts = PayoutFacts(
        payout_id="po_1", amount_cents=5400, currency="eur", status="in_transit", is_automatic=True,
        reference="", created_at=day, arrives_on=date(2026, 11, 3),
    )  # fmt: skip
    own, first, second = (
        BalanceLine(
            line_id=f"txn_{kind}{cents}", kind=kind, amount_cents=cents, fee_cents=fee, currency="eur",
            source_id="", created_at=day, available_at=day,
        )
        for kind, cents, fee in (("payout", -5400, 0), ("charge", 5000, 100), ("charge", 550, 50))
    )  # fmt: skip
    answers, asked = [[own, first], [own, first, second]], []

    def lines_of(payout_id: str) -> list[BalanceLine]:
        asked.append(payout_id)
        return answers.pop(0)

    monkeypatch.setattr(account_activity, "list_balance_lines", lambda *_days: [])
    monkeypatch.setattr(account_activity, "list_payouts", lambda *_days: [facts])
    monkeypatch.setattr(account_activity, "list_lines_of_payout", lines_of)
    for difference in (Decimal("5.00"), ZERO, ZERO):
        fetch_account(utc(2026, 11, 4))
        [row] = describe_payouts(list(with_bank_lines(Payout.objects.all())))
        assert row.difference == difference
    assert asked == ["po_1", "po_1"]


def test_a_payout_is_asked_about_as_long_as_it_is_on_its_way(monkeypatch):
    make_order()
    last = utc(2026, 11, 20)
    BalanceMovement.objects.create(
        provider_id="txn_0", kind="charge", amount=1, fee=0, occurred_at=last, available_at=last
    )
    payout = make_payout(1, "54.00", date(2026, 11, 2), state="in_transit", is_automatic=False)
    facts = PayoutFacts(
        payout_id="po_1", amount_cents=5400, currency="eur", status="paid", is_automatic=False,
        reference="", created_at=payout.created_at, arrives_on=date(2026, 11, 20),
    )  # fmt: skip
    asked = []

    def payouts_since(since, until):
        asked.append(since)
        return [facts] if since <= facts.created_at else []

    monkeypatch.setattr(account_activity, "list_balance_lines", lambda *_days: [])
    monkeypatch.setattr(account_activity, "list_payouts", payouts_since)
    for _night in range(2):
        fetch_account(utc(2026, 11, 21))
    payout.refresh_from_db()
    assert (payout.state, payout.arrives_on) == ("paid", date(2026, 11, 20))
    assert asked == [utc(2026, 11, 2), utc(2026, 11, 10)]
