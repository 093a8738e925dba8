"""The chain over the books: every invoice, PDF, contract and movement of money, linked by hashes in the order in which
they joined, and its head of each month, which leaves the shop by mail.

The hashes of the invoice series cover what a document says. The chain covers their columns, the bytes of their PDFs and
the ledger as well. Rows that were there before it join at the first run.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils import translation

from orders.mails import mail_workshop
from orders.models import (
    ChainHead,
    ChainKind,
    ChainLink,
    ContractDocument,
    Invoice,
    InvoiceDocument,
    LedgerEntry,
)
from shop.core.dates import day_in_words, shop_day
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import queue_mail
from shop.core.models import ShopSettings
from shop.core.money import amount_string
from shop.core.transaction_locks import lock_names

_LOCK = "books-chain"
_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class ChainSource:
    """A kind of row: its columns that a link covers, its date, and when it was written."""

    kind: ChainKind
    model: type[Model]
    columns: tuple[str, ...]
    moment: str
    written: str

    def rows(self) -> QuerySet[Any]:
        """Key, date, moment of writing and columns of every row."""
        rows = self.model._default_manager.order_by("pk")
        return rows.values_list("pk", self.moment, self.written, *self.columns)


SOURCES = (
    ChainSource(
        ChainKind.INVOICE,
        Invoice,
        (
            *("number", "kind", "year", "sequence", "order", "version", "credits", "refund_request"),
            *("issued_at", "country", "total", "vat", "language", "previous_hash", "hash"),
        ),
        "issued_at",
        "issued_at",
    ),
    ChainSource(
        ChainKind.INVOICE_PDF,
        InvoiceDocument,
        ("invoice__number", "sha256", "created_at"),
        "created_at",
        "created_at",
    ),
    ChainSource(
        ChainKind.CONTRACT_PDF,
        ContractDocument,
        ("contract__order", "contract__terms_version", "sha256", "created_at"),
        "created_at",
        "created_at",
    ),
    ChainSource(
        ChainKind.MOVEMENT,
        LedgerEntry,
        ("order", "payment", "kind", "amount", "provider_id", "occurred_at", "created_at"),
        "occurred_at",
        "created_at",
    ),
)


def row_digest(values: tuple[Any, ...]) -> str:
    """Return the SHA-256 of a row's columns, the same on every database."""
    return _sha256([_plain(value) for value in values])


def link_hash(
    *, position: int, kind: str, row_id: int, row_at: datetime, digest: str, previous_hash: str
) -> str:
    """Return the SHA-256 of a link and of the one before."""
    return _sha256([position, kind, row_id, _plain(row_at), digest, previous_hash])


def extend_chain() -> int:
    """Link every row that is in no link yet; return how many. Two processes wait for each other."""
    added = 0
    while chunk := _extend():
        added += chunk
    return added


def _extend() -> int:
    with transaction.atomic():
        lock_names([_LOCK])
        last = ChainLink.objects.order_by("-position").first()
        position, previous = (last.position, last.hash) if last is not None else (0, "")
        links = []
        for source in SOURCES:
            linked = ChainLink.objects.filter(kind=source.kind, row_id=OuterRef("pk"))
            for key, moment, _written, *values in source.rows().filter(~Exists(linked))[:_AT_ONCE]:
                position += 1
                digest = row_digest(tuple(values))
                previous = link_hash(
                    position=position,
                    kind=source.kind,
                    row_id=key,
                    row_at=moment,
                    digest=digest,
                    previous_hash=previous,
                )
                links.append(
                    ChainLink(
                        position=position,
                        kind=source.kind,
                        row_id=key,
                        row_at=moment,
                        digest=digest,
                        hash=previous,
                    )
                )
        ChainLink.objects.bulk_create(links)
    return len(links)


def mail_month_heads(now: datetime) -> list[ChainHead]:
    """Keep the head of the month that is over and mail it to the owner and the accountant, once; of those before it too
    that have none because nothing ran for a month. None while the books are empty."""
    month = (shop_day(now).replace(day=1) - timedelta(days=1)).replace(day=1)
    if ChainHead.objects.filter(month=month).exists():
        return []
    extend_chain()
    with transaction.atomic():
        lock_names([_LOCK])
        last = ChainLink.objects.order_by("-position").first()
        if last is None or ChainHead.objects.filter(month=month).exists():
            return []
        heads = [
            ChainHead.objects.create(month=each, position=last.position, hash=last.hash)
            for each in _months_since_last_head(month)
        ]
        for head in heads:
            _mail_head(head)
    return heads


def _months_since_last_head(last: date) -> Iterator[date]:
    """The months after that of the last head, up to `last`; `last` alone when the year before it has no head."""
    a_year_before = last.replace(year=last.year - 1)
    kept = ChainHead.objects.filter(month__gte=a_year_before, month__lt=last).order_by("month").last()
    month = last if kept is None else _next_month(kept.month)
    while month <= last:
        yield month
        month = _next_month(month)


def _next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _mail_head(head: ChainHead) -> None:
    context = {"month": _month_in_words(head.month), "code": f"{head.position}:{head.hash}"}
    mail_workshop("books_head", context, once=head.month)
    accountant = ShopSettings.load().accountant_email
    if not accountant:
        return
    queue_mail(
        kind="books_head",
        to=accountant,
        language=SOURCE_LANGUAGE,
        context=context,
        dedupe_key=f"books_head:{head.month}:accountant",
    )


def is_head(code: str) -> bool:
    """Return whether a mailed code, `position:hash`, is a link of the chain."""
    position, _colon, digest = code.partition(":")
    return position.isdigit() and ChainLink.objects.filter(position=int(position), hash=digest).exists()


def _month_in_words(month: date) -> str:
    with translation.override(SOURCE_LANGUAGE):
        return day_in_words(month, "YEAR_MONTH_FORMAT")


def links() -> Iterator[ChainLink]:
    """Every link, the first one first. One query."""
    return ChainLink.objects.order_by("position").iterator(chunk_size=_AT_ONCE)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if value is None or isinstance(value, str | int):
        return value
    return amount_string(value) if hasattr(value, "quantize") else str(value)


def _sha256(values: list[Any]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
