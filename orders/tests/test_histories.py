"""Some histories at every run; `HISTORIES=10000 make bench` plays ten thousand. On PostgreSQL those
of the audit are played, of the same pieces."""

from __future__ import annotations

import os
from time import perf_counter

import pytest

from orders.tests.factories import make_product, make_seller, make_zones
from orders.tests.histories import OrderHistories
from orders.tests.installments import offer_installments
from orders.tests.memory_provider import MemoryProvider
from shop.core.tests.histories import play


@pytest.mark.django_db
def test_no_history_of_orders_breaks_the_books(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_seller()
    make_zones()
    offer_installments()
    OrderHistories.products = [
        make_product("Golem", "30.00", stock_quantity=5, promotion_active=True, promotion_type="buy_2_get_1"),
        make_product("Hibou", "79.99"),
        make_product("Renard", "0.70", stock_quantity=3),
    ]
    OrderHistories.started_with = {product.pk: product.stock_quantity for product in OrderHistories.products}
    OrderHistories.provider = MemoryProvider()
    OrderHistories.provider.install(monkeypatch)
    OrderHistories.played.clear()

    def tell(line: str) -> None:
        with capsys.disabled():
            print(f"  {line}", flush=True)

    OrderHistories.tell = staticmethod(tell)
    began = perf_counter()
    histories = play(OrderHistories, usually=10, steps=14)
    played = OrderHistories.played
    seconds = perf_counter() - began
    assert played["histories"] >= histories
    # The histories went where they were meant to go; a handful of them need not have.
    for kind in ("paid", "refunds", "refunds refused", "sent", "disputes"):
        assert played[kind] > 0 or histories < 30, played
    if "HISTORIES" in os.environ:
        told = ", ".join(f"{kind}: {count}" for kind, count in played.most_common())
        tell(f"{told}; {seconds:.0f} s")
