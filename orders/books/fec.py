"""The file of entries that the tax administration asks for (FEC: art. L47 A, I and A47 A-1 LPF).

Eighteen columns divided by tabs, one line a movement on an account, days as 20261231, decimal commas, ISO 8859-15, the
numbers of entries without a gap. Written while it is read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal

from django.http import StreamingHttpResponse

from orders.books.entries import JOURNALS, Entry, entries
from shop.core.models import ShopSettings
from shop.core.money import ZERO

COLUMNS = (
    "JournalCode", "JournalLib", "EcritureNum", "EcritureDate", "CompteNum", "CompteLib", "CompAuxNum", "CompAuxLib",
    "PieceRef", "PieceDate", "EcritureLib", "Debit", "Credit", "EcritureLet", "DateLet", "ValidDate", "Montantdevise",
    "Idevise",
)  # fmt: skip
ENCODING = "iso8859-15"
_SEPARATOR, _END = "\t", "\r\n"


def fec_name(siret: str, number: int) -> str:
    """Return `123456789FEC20261231.txt`: the company's number and the last day of the year."""
    siren = "".join(sign for sign in siret if sign.isdigit())[:9].ljust(9, "0")
    return f"{siren}FEC{number}1231.txt"


def fec_lines(found: Iterable[Entry]) -> Iterator[bytes]:
    """Yield the file line by line, its head first."""
    yield _row(COLUMNS)
    for number, entry in enumerate(found, start=1):
        for line in entry.lines:
            debit, credit = max(line.amount, ZERO), max(-line.amount, ZERO)
            account = line.account
            yield _row(
                (
                    *(entry.journal, JOURNALS[entry.journal], str(number), _day(entry.day)),
                    *(account.number, account.label, account.customer, account.customer_name),
                    *(entry.piece, _day(entry.piece_day), entry.label),
                    *(_amount(debit), _amount(credit), "", "", _day(entry.day), "", ""),
                )
            )


def fec_response(number: int) -> StreamingHttpResponse:
    """Return the file of a year as a download."""
    name = fec_name(ShopSettings.load().siret, number)
    response = StreamingHttpResponse(
        fec_lines(entries(number)), content_type=f"text/plain; charset={ENCODING}"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response


def _row(cells: Iterable[str]) -> bytes:
    return (_SEPARATOR.join(_plain(cell) for cell in cells) + _END).encode(ENCODING, "replace")


def _plain(text: str) -> str:
    """Without what would end a cell or a line, and without what a spreadsheet would take for the beginning of a
    formula; letters that the encoding lacks lose their accents."""
    kept = " ".join(text.replace("|", " ").split())
    try:
        kept.encode(ENCODING)
    except UnicodeEncodeError:
        kept = "".join(
            letter for letter in unicodedata.normalize("NFKD", kept) if not unicodedata.combining(letter)
        )
    return kept.lstrip("=+-@ ")


def _day(day: date) -> str:
    return f"{day:%Y%m%d}"


def _amount(amount: Decimal) -> str:
    return f"{amount:.2f}".replace(".", ",")
