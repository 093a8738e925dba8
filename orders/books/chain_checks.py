"""What an audit finds in the chain over the books: broken links, changed or missing rows, heads that are no more."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Max
from django.utils.translation import gettext as _

from orders.books.audit_documents import Fault
from orders.books.chain import SOURCES, link_hash, links, row_digest
from orders.models import ChainHead, ChainKind, PurgedYear

JOINS_WITHIN = timedelta(days=1)
"""The chain grows every few minutes; a row that is not in it a day later never joined."""


def check_chain(now: datetime) -> Iterator[Fault]:
    """Every link follows the one before, every row is as it was linked or is too young to be, every head that was
    mailed is there.

    Seven queries. A row may be missing when its year was purged.
    """
    known: dict[tuple[str, int], tuple[int, str]] = {}
    hashes: dict[int, str] = {}
    purged_until = PurgedYear.objects.aggregate(end=Max("ends_at"))["end"]
    gone: set[tuple[str, int]] = set()
    position, previous = 0, ""
    for link in links():
        position += 1
        wanted = link_hash(
            position=position,
            kind=link.kind,
            row_id=link.row_id,
            row_at=link.row_at,
            digest=link.digest,
            previous_hash=previous,
        )
        if link.position != position or link.hash != wanted:
            yield Fault("books chain", str(position), _("le maillon ne suit pas le précédent"))
            position = link.position
        previous = link.hash
        hashes[link.position] = link.hash
        known[link.kind, link.row_id] = (link.position, link.digest)
        if purged_until is not None and link.row_at < purged_until:
            gone.add((link.kind, link.row_id))
    for source in SOURCES:
        for key, _moment, written, *values in source.rows().iterator(chunk_size=1000):
            found = known.pop((source.kind, key), None)
            if found is None and hashes and written < now - JOINS_WITHIN:
                yield Fault(source.kind, _subject(source.kind, values), _("n'a jamais rejoint la chaîne"))
            elif found is not None and found[1] != row_digest(tuple(values)):
                yield Fault(source.kind, _subject(source.kind, values), _("n'est plus ce qu'il était"))
    for (kind, row_id), (place, _digest) in known.items():
        if (kind, row_id) not in gone:
            yield Fault(kind, str(place), _("manque, la chaîne le connaît"))
    for head in ChainHead.objects.all():
        if hashes.get(head.position) != head.hash:
            yield Fault(
                "books head", f"{head.month:%Y-%m}", _("l'empreinte envoyée n'est plus dans la chaîne")
            )


def _subject(kind: ChainKind, values: list[object]) -> str:
    return str(values[4] if kind == ChainKind.MOVEMENT else values[0])
