"""CSV as French spreadsheets open it: UTF-8 with its mark, semicolons, decimal commas, days as 31/12/2026."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal

from django.http import StreamingHttpResponse

from shop.core.money import quantize

BYTE_ORDER_MARK = "\ufeff"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")

Cell = str | Decimal | int | date | None


class _Line:
    """A file of one line, for the csv writer to write into."""

    def write(self, text: str) -> str:
        return text


def csv_lines(header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Iterator[bytes]:
    """The file line by line. Text that a spreadsheet would take for a formula is led by an apostrophe."""
    writer = csv.writer(_Line(), delimiter=";", lineterminator="\r\n")
    yield (BYTE_ORDER_MARK + str(writer.writerow([_text(cell) for cell in header]))).encode()
    for row in rows:
        yield str(writer.writerow([_text(cell) for cell in row])).encode()


def csv_response(name: str, header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> StreamingHttpResponse:
    """A download that is written while it is read."""
    response = StreamingHttpResponse(csv_lines(header, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response["Cache-Control"] = "no-store"
    return response


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return f"{quantize(cell):f}".replace(".", ",")
    if isinstance(cell, date):
        return f"{cell:%d/%m/%Y}"
    if isinstance(cell, int):
        return str(cell)
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell
