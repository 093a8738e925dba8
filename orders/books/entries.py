"""Double entries of the accounts, made from what is frozen: documents, the ledger, the provider's fees and payouts.

One set of books holds one account of the provider: what another site moved on it is entered there. Journals: VE sales,
ST the provider, BQ the bank, AN the balances that a year begins with.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Max, Min, Q, Subquery
from django.db.models.fields.json import KT

from orders.books.days import Period, year
from orders.books.payouts import BANK_KINDS, FEE_KINDS
from orders.invoices.tax import net_lines, tax_rates
from orders.models import (
    AccountNumber,
    AccountRole,
    BalanceMovement,
    Invoice,
    LedgerEntry,
    LedgerKind,
    PurgedYear,
)
from orders.models.accounts import DEFAULT_NUMBERS
from orders.models.payment import TRANSFER_MOVEMENT
from orders.pricing.vat import Treatment
from orders.selectors.invoices import first_invoices
from shop.core.dates import shop_day
from shop.core.money import ZERO

CHUNK = 500
OPENING, SALES, PROVIDER, BANK = "AN", "VE", "ST", "BQ"
JOURNALS = {
    OPENING: "À-nouveaux",
    SALES: "Ventes",
    PROVIDER: "Prestataire de paiement",
    BANK: "Banque",
}
_ORDER = {code: place for place, code in enumerate(JOURNALS)}
_LABELS = {
    LedgerKind.CHARGE: "Encaissement",
    LedgerKind.REFUND: "Remboursement",
    LedgerKind.REFUND_FAILED: "Remboursement rejeté",
    LedgerKind.DISPUTE: "Litige",
    LedgerKind.DISPUTE_WON: "Litige gagné",
}


@dataclass(frozen=True, slots=True)
class Account:
    """An account, with the customer's own below it where it has one."""

    number: str
    label: str
    customer: str = ""
    customer_name: str = ""


@dataclass(frozen=True, slots=True)
class EntryLine:
    """A signed amount on an account: debit above zero, credit below."""

    account: Account
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry; its lines add up to nothing. `piece` is the document that proves it."""

    journal: str
    day: date
    piece: str
    piece_day: date
    label: str
    lines: tuple[EntryLine, ...]
    key: tuple[date, int, int]


class Accounts:
    """The numbers of the owner's chart, those of the general one where a row is missing. One query."""

    def __init__(self) -> None:
        rows = {row.role: (row.number, row.label) for row in AccountNumber.objects.all()}
        self._known = {
            role: Account(*rows.get(role.value, default)) for role, default in DEFAULT_NUMBERS.items()
        }

    def __getitem__(self, role: AccountRole) -> Account:
        return self._known[role]

    def customer(self, reference: str, name: str) -> Account:
        """Return the account of an order's customer."""
        base = self._known[AccountRole.CUSTOMERS]
        return Account(base.number, base.label, f"C{reference}", name)


def entries(number: int) -> Iterator[Entry]:
    """Yield a year's entries by day and journal, the opening balances first. Nothing is held but one part of each."""
    accounts = Accounts()
    opening = _opening(number, accounts)
    if opening is not None:
        yield opening
    yield from _movements(year(number), accounts)


def _movements(period: Period, accounts: Accounts) -> Iterator[Entry]:
    sources = (_sales(period, accounts), _money(period, accounts), _account(period, accounts))
    return heapq.merge(*sources, key=lambda entry: (entry.day, entry.key))


def _entry(
    journal: str, day: date, piece: str, label: str, key: int, *lines: tuple[Account, Decimal]
) -> Entry | None:
    found = tuple(EntryLine(account, amount) for account, amount in lines if amount)
    if not found:
        return None
    return Entry(journal, day, piece, day, label, found, (day, _ORDER[journal], key))


def _first_name() -> Subquery:
    """The name on an order's first invoice: it stays when the order or a later invoice names somebody else, so that an
    account has one name and the file of a past year reads the same."""
    return Subquery(first_invoices().values(name=KT("data__customer__name")))


def _sales(period: Period, accounts: Accounts) -> Iterator[Entry]:
    documents = Invoice.objects.filter(period.holds("issued_at"))
    rows = documents.select_related("order").annotate(first_name=_first_name()).order_by("issued_at", "pk")
    for document in rows.iterator(chunk_size=CHUNK):
        data = document.data
        rates = tax_rates(data["tax"])
        treatment = Treatment(data["tax"]["treatment"])
        shipping = sum((rate.shipping_net for rate in rates), ZERO)
        if not treatment.is_taxed:
            shipping = Decimal(data["shipping"])
        net = sum((rate.net for rate in rates), ZERO)
        if all(line.get("is_shipping") for line in data["lines"]):
            shipping = net
        reduced = _reduced(data)
        vat = AccountRole.OSS_VAT if treatment == Treatment.DESTINATION else AccountRole.VAT
        name = str(data["customer"]["name"])
        entry = _entry(
            SALES,
            shop_day(document.issued_at),
            document.number,
            f"{'Avoir' if document.sign < 0 else 'Facture'} {document.number} {name}",
            document.pk,
            (accounts.customer(document.order.reference, document.first_name), document.total),
            (accounts[AccountRole.SALES], -document.sign * (net - shipping - reduced)),
            (accounts[AccountRole.REDUCTIONS], -document.sign * reduced),
            (accounts[AccountRole.SHIPPING], -document.sign * shipping),
            (accounts[vat], -document.vat),
        )
        if entry is not None:
            yield entry


def _reduced(data: dict[str, Any]) -> Decimal:
    """What a credit note gives back without a piece or delivery, VAT not included: a price reduction after the sale."""
    lines = net_lines(data)
    return sum((net for line, net in lines if not line["item"] and not line.get("is_shipping")), ZERO)


def _money(period: Period, accounts: Accounts) -> Iterator[Entry]:
    rows = LedgerEntry.objects.filter(period.holds("occurred_at"))
    rows = rows.select_related("order").annotate(first_name=_first_name()).order_by("occurred_at", "pk")
    for row in rows.iterator(chunk_size=CHUNK):
        by_transfer = row.provider_id.startswith(TRANSFER_MOVEMENT)
        journal, role = (BANK, AccountRole.BANK) if by_transfer else (PROVIDER, AccountRole.PROVIDER)
        entry = _entry(
            journal,
            shop_day(row.occurred_at),
            row.provider_id,
            f"{_LABELS[LedgerKind(row.kind)]} commande {row.order.reference}",
            row.pk,
            (accounts[role], row.amount),
            (accounts.customer(row.order.reference, row.first_name or row.order.customer_name), -row.amount),
        )
        if entry is not None:
            yield entry


def _account(period: Period, accounts: Accounts) -> Iterator[Entry]:
    """Fees of each line of the provider's account, its payouts, those that came back, and what the owner paid in."""
    rows = BalanceMovement.objects.filter(period.holds("occurred_at")).filter(
        ~Q(fee=0) | Q(kind__in=(*FEE_KINDS, *BANK_KINDS))
    )
    for row in rows.order_by("occurred_at", "pk").iterator(chunk_size=CHUNK):
        day = shop_day(row.occurred_at)
        provider = accounts[AccountRole.PROVIDER]
        fee = row.fee - (row.amount if row.kind in FEE_KINDS else ZERO)
        for entry in (
            _entry(
                PROVIDER,
                day,
                row.provider_id,
                f"Frais Stripe {row.source_id}".strip(),
                row.pk,
                (accounts[AccountRole.FEES], fee),
                (provider, -fee),
            ),
            _entry(
                BANK,
                day,
                row.source_id or row.provider_id,
                f"{BANK_KINDS[row.kind]} Stripe {row.source_id}".strip(),
                row.pk,
                (accounts[AccountRole.BANK], -row.amount),
                (provider, row.amount),
            )
            if row.kind in BANK_KINDS
            else None,
        ):
            if entry is not None:
                yield entry


def _opening(number: int, accounts: Accounts) -> Entry | None:
    """The balances of assets and debts at the end of the year before; what they leave is the owner's account.

    Of purged years the provider's lines are left, whose sales are gone: the books begin after them.
    """
    sums: defaultdict[Account, Decimal] = defaultdict(lambda: ZERO)
    first = Invoice.objects.order_by("year").values_list("year", flat=True).first()
    moved = [
        rows.aggregate(first=Min("occurred_at"))["first"]
        for rows in (LedgerEntry.objects, BalanceMovement.objects)
    ]
    years = (first, *(moment and shop_day(moment).year for moment in moved))
    purged = PurgedYear.objects.aggregate(last=Max("year"))["last"] or 0
    began = max(min((each for each in years if each), default=number), purged + 1)
    if began >= number:
        return None
    for entry in _movements(Period(year(began).first, year(number - 1).last), accounts):
        for line in entry.lines:
            if line.account.number < "6":
                sums[line.account] += line.amount
    lines = (*sums.items(), (accounts[AccountRole.OWNER], -sum(sums.values(), ZERO)))
    return _entry(OPENING, year(number).first, f"AN{number}", f"À-nouveaux {number}", 0, *lines)
