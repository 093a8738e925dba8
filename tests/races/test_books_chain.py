"""Two jobs that link the books at one moment: each row is in one link, each month has one head and one mail of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from orders.books import chain
from orders.books.audit import audit_books
from orders.books.chain import extend_chain, mail_month_heads
from orders.models import ChainHead, ChainLink
from orders.tests.factories import make_order, pay_order
from shop.core.models import OutgoingMail
from tests.races.concurrency import Outcome, Rendezvous, run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def at_once(monkeypatch: pytest.MonkeyPatch, job: Callable[[], Any], *, locked: bool) -> list[Outcome]:
    """Two of a job, both about to write; the lock makes the first wait in vain for the second."""
    inside = Rendezvous(0.5 if locked else 30.0)

    def meet(write: Callable[..., Any], *links: Any, **head: Any) -> Any:
        if head or links != ([],):
            inside.enter()
        return write(*links, **head)

    for manager, name in ((ChainLink.objects, "bulk_create"), (ChainHead.objects, "create")):
        monkeypatch.setattr(manager, name, partial(meet, getattr(manager, name)))
    if not locked:
        monkeypatch.setattr(chain, "lock_names", lambda names: None)
    outcomes = run_concurrently([job, job])
    assert inside.together == (0 if locked else 2)
    return outcomes


@pytest.mark.parametrize("locked", [True, False], ids=["locked", "control"])
def test_two_who_extend_the_chain_link_each_row_once(monkeypatch: pytest.MonkeyPatch, locked: bool) -> None:
    pay_order(make_order())
    outcomes = at_once(monkeypatch, extend_chain, locked=locked)
    if locked:
        assert sorted(values(outcomes)) == [0, 2]
    else:
        assert [type(each.error) for each in outcomes if each.error] == [IntegrityError]
    assert list(ChainLink.objects.values_list("position", flat=True)) == [1, 2]
    assert list(audit_books(timezone.now(), with_provider=False).faults) == []


@pytest.mark.parametrize("locked", [True, False], ids=["locked", "control"])
def test_two_who_keep_the_head_of_a_month_mail_it_once(monkeypatch: pytest.MonkeyPatch, locked: bool) -> None:
    pay_order(make_order())
    extend_chain()
    job = partial(mail_month_heads, datetime(2099, 12, 1, 5, tzinfo=UTC))
    outcomes = at_once(monkeypatch, job, locked=locked)
    if locked:
        assert sorted(len(heads) for heads in values(outcomes)) == [0, 1]
    else:
        assert [type(each.error) for each in outcomes if each.error] == [IntegrityError]
    assert (ChainHead.objects.count(), OutgoingMail.objects.filter(kind="books_head").count()) == (1, 1)
