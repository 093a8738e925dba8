"""A bank's statement against the provider's payouts: read, matched, stored once; what differs is closed by a person."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from orders.models import BankLine, Payout, PayoutState
from shop.core.audit import record_audit
from shop.core.money import ZERO, amount_string
from shop.core.problems import Problem
from shop.core.searching import folded
from shop.core.transaction_locks import lock_names

MOST_LINES = 5000
EARLIER, LATER = timedelta(days=3), timedelta(days=10)
"""How far the bank's day may lie from the day on which the provider announced the money."""
_PROVIDER = "stripe"
_DAYS = ("%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d", "%d-%m-%Y", "%d.%m.%Y", "%Y%m%d")
# Words of French banks' column heads, without accents and case.
_DATE = (
    "date operation",
    "date de l'operation",
    "date comptable",
    "dateop",
    "date de comptabilisation",
    "date",
)
_LABEL = ("libelle", "designation", "description", "label", "nature", "motif", "detail", "informations")
_AMOUNT = ("montant", "amount", "valeur")
_CREDIT, _DEBIT = ("credit",), ("debit",)


class StatementUnreadable(Problem):
    """A file that is no statement, with a sentence that says what is missing."""

    def __init__(self, detail: str) -> None:
        super().__init__("statement_unreadable", detail, 400)


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A line as it was read; `digest` tells equal lines of one statement apart."""

    booked_on: date
    label: str
    amount: Decimal
    digest: str


@dataclass(slots=True)
class Reading:
    """What a statement holds: lines of the provider that are new, with the payout of each, those known already, and
    how many concern others. The latter are not stored."""

    matched: list[tuple[StatementLine, Payout]] = field(default_factory=list)
    unmatched: list[StatementLine] = field(default_factory=list)
    known: int = 0
    others: int = 0


def read_statement(content: bytes) -> list[StatementLine]:
    """Read a CSV of a French bank: any separator and encoding, lines above the head, amounts in one or two columns.

    Raises StatementUnreadable.
    """
    rows = _rows(_decoded(content))
    head = next((index for index, row in enumerate(rows) if _columns(row)), None)
    if head is None:
        raise StatementUnreadable(
            "Aucune ligne de titres avec une date, un libellé et un montant n'a été trouvée dans ce fichier."
        )
    columns = _columns(rows[head])
    assert columns is not None
    found: list[StatementLine] = []
    seen: Counter[str] = Counter()
    for row in rows[head + 1 :]:
        line = _line(row, columns, seen)
        if line is not None:
            found.append(line)
    if not found:
        raise StatementUnreadable("Ce fichier a des titres, mais aucune ligne avec une date et un montant.")
    if len(found) > MOST_LINES:
        raise StatementUnreadable(
            f"Ce fichier a plus de {MOST_LINES} lignes\u00a0: importez-le en plusieurs fois."
        )
    return found


def match_statement(lines: Sequence[StatementLine]) -> Reading:
    """Find the payout of each line: the same amount, the day that was announced or some days around it, the reference
    where several fit. A payout has one line. Two queries."""
    known = set(
        BankLine.objects.filter(digest__in=[line.digest for line in lines]).values_list("digest", flat=True)
    )
    days = [line.booked_on for line in lines]
    open_payouts = (
        list(
            awaited_payouts().filter(
                arrives_on__gte=min(days) - LATER,
                arrives_on__lte=max(days) + EARLIER,
            )
        )
        if days
        else []
    )
    reading = Reading()
    for line in lines:
        if line.digest in known:
            reading.known += 1
            continue
        payout = _payout_of(line, open_payouts)
        if payout is not None:
            open_payouts.remove(payout)
            reading.matched.append((line, payout))
        elif _PROVIDER in line.label.lower():
            reading.unmatched.append(line)
        else:
            reading.others += 1
    return reading


def awaited_payouts() -> QuerySet[Payout]:
    """Return the payouts that no line of a statement shows."""
    return Payout.objects.filter(bank_line=None, state__in=(PayoutState.PAID, PayoutState.IN_TRANSIT))


def match_stored_lines() -> None:
    """Find the payouts of lines that were read before the shop knew these."""
    with transaction.atomic():
        _lock_matching()
        payouts = list(awaited_payouts())
        lines = BankLine.objects.select_for_update().filter(payout=None, closed_at=None)
        for line in lines.order_by("booked_on", "pk"):
            payout = _payout_of(line, payouts)
            if payout is not None:
                payouts.remove(payout)
                line.payout = payout
                line.save(update_fields=["payout"])


def _payout_of(line: StatementLine | BankLine, payouts: Sequence[Payout]) -> Payout | None:
    label = line.label.upper()
    fitting = [
        payout
        for payout in payouts
        if payout.amount == line.amount
        and payout.arrives_on - EARLIER <= line.booked_on <= payout.arrives_on + LATER
        and (_PROVIDER in line.label.lower() or _named(payout, label))
    ]
    named = [payout for payout in fitting if _named(payout, label)]
    return min(
        named or fitting,
        key=lambda payout: (abs(payout.arrives_on - line.booked_on), payout.pk),
        default=None,
    )


def _named(payout: Payout, label: str) -> bool:
    return any(name and name.upper() in label for name in (payout.reference, payout.provider_id))


def import_statement(*, lines: Sequence[StatementLine], actor: User | None) -> Reading:
    """Store the lines of the provider, each once, with the payouts that they are. Reading the same statement again, or
    one that overlaps, adds nothing."""
    with transaction.atomic():
        _lock_matching()
        reading = match_statement(lines)
        rows = [*reading.matched, *((line, None) for line in reading.unmatched)]
        for line, payout in rows:
            row = BankLine.objects.create(
                booked_on=line.booked_on,
                label=line.label,
                amount=line.amount,
                digest=line.digest,
                payout=payout,
            )
            record_audit(
                "bank.imported",
                row,
                actor=actor,
                after={"amount": amount_string(row.amount), "payout": payout.provider_id if payout else ""},
            )
    return reading


def _lock_matching() -> None:
    """Match after whoever matches now, also where no payout waits, and before whoever closes one. What is awaited is
    read afterwards: waiting for a payout's row would not show the line that it was given meanwhile."""
    lock_names(["bank-statement"])
    list(awaited_payouts().select_for_update(of=("self",)))


def close_difference(*, row: Payout | BankLine, reason: str, actor: User | None) -> None:
    """Note why a payout without a line, or a line without a payout, is in order. Raises Problem 409 when it is closed
    or matched already."""
    with transaction.atomic():
        current = type(row)._default_manager.select_for_update(of=("self",)).filter(pk=row.pk).first()
        if current is None or current.closed_at is not None or _is_matched(current):
            raise Problem("already_closed", "Cet écart est déjà clos.", 409)
        current.closed_at, current.closed_reason = timezone.now(), reason
        current.save(update_fields=["closed_at", "closed_reason"])
        record_audit("payout.closed", current, actor=actor, after={"reason": reason})


def _is_matched(row: Payout | BankLine) -> bool:
    if isinstance(row, BankLine):
        return row.payout_id is not None
    return BankLine.objects.filter(payout=row).exists()


@dataclass(frozen=True, slots=True)
class _Columns:
    """`labels`: some banks name the sender in a second one."""

    day: int
    labels: tuple[int, ...]
    amount: int | None
    credit: int | None
    debit: int | None


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _rows(text: str) -> list[list[str]]:
    if "\0" in text:
        raise StatementUnreadable("Ce fichier n'est pas un CSV\u00a0: exportez le relevé au format CSV.")
    # Some banks break a label in two inside its quotes.
    lines = text.splitlines(keepends=True)
    rows: list[list[str]] = []
    for separator in ";\t,|":
        try:
            rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
        except csv.Error as error:
            raise StatementUnreadable("Ce fichier n'est pas un CSV lisible.") from error
        if any(map(_columns, rows)):
            break
    return rows


def _columns(row: Sequence[str]) -> _Columns | None:
    names = [folded(cell) for cell in row]

    labels = [index for word in _LABEL for index, name in enumerate(names) if name.startswith(word)]

    def place(words: Sequence[str]) -> int | None:
        for word in words:
            for index, name in enumerate(names):
                if name.startswith(word):
                    return index
        return None

    day, amount = place(_DATE), place(_AMOUNT)
    credit, debit = place(_CREDIT), place(_DEBIT)
    if day is None or not labels or (amount is None and credit is None):
        return None
    return _Columns(day, tuple(labels), amount, credit, debit)


def _line(row: Sequence[str], columns: _Columns, seen: Counter[str]) -> StatementLine | None:
    def cell(index: int | None) -> str:
        return row[index] if index is not None and index < len(row) else ""

    booked_on = _day(cell(columns.day))
    amount = _amount(cell(columns.amount)) if columns.amount is not None else None
    if amount is None:
        credit, debit = _amount(cell(columns.credit)), _amount(cell(columns.debit))
        amount = None if credit is None and debit is None else (credit or ZERO) - abs(debit or ZERO)
    if booked_on is None or amount is None:
        return None
    labels = [" ".join(cell(index).split()) for index in columns.labels]
    label = " ".join(dict.fromkeys(filter(None, labels)))[:300]
    # By the first alone: lines that were stored when no other was read are known by it.
    text = f"{booked_on}|{amount}|{labels[0][:300]}"
    seen[text] += 1
    digest = hashlib.sha256(f"{text}|{seen[text]}".encode()).hexdigest()
    return StatementLine(booked_on, label, amount, digest)


def _day(text: str) -> date | None:
    # Some banks write the hour behind it.
    for form, day in product(_DAYS, {text, text[:10].strip()}):
        try:
            found = datetime.strptime(day, form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
        # « 31/12/9999 » stands for no day, and has no days after it.
        return found if 2000 <= found.year < 2200 else None
    return None


def _amount(text: str) -> Decimal | None:
    """« 1 234,56 », « 1.234,56 € », « +1234.56 », « (12,00) », « 12,00- »."""
    plain = re.sub(r"[\s\u00a0\u202f€+]|EUR", "", text)
    negative = plain.startswith(("-", "\u2212", "(")) or plain.endswith(("-", "\u2212"))
    plain = plain.strip("-\u2212()")
    if "," in plain:
        plain = plain.replace(".", "").replace(",", ".")
    if not re.fullmatch(r"\d{1,9}(\.\d{1,2})?", plain):
        return None
    value = Decimal(plain).quantize(Decimal("0.01"))
    return -value if negative else value
