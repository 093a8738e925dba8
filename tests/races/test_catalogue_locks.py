"""Staff write the catalogue while its pieces are sold: products are locked in the order of their keys, before the rows
that stand behind them, so that nobody waits in a circle."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.people import make_admin
from blog.models import Campaign
from blog.services.newsletter.campaigns import copy_campaign
from blog.tests.subscribers import make_letter
from catalog.models import Category, Product, Promotion, PromotionState
from catalog.services import prices
from catalog.services.categories import delete_category, save_category
from catalog.services.prices import refresh_due_promotions
from catalog.services.product_import import FileLine, import_products
from catalog.services.product_removal import trash_products
from catalog.services.products import save_product
from catalog.services.promotions import delete_promotion, save_promotion, set_own_promotion
from catalog.services.staff_products import change_product, change_products
from catalog.services.stock import lock_products
from catalog.services.variant_grid import add_format
from catalog.tests.factories import make_category, make_product, make_promotion
from catalog.tests.staff import sent
from orders.tests.conftest import admin, staff_client  # noqa: F401 - fixtures
from orders.tests.factories import make_order, make_seller
from tests.races.concurrency import Started, deadlocks, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def pieces() -> tuple[Product, Product]:
    """Two pieces of two collections. A promotion of the second has begun, which nobody has recorded yet."""
    make_seller()
    first, second = make_product("Lune"), make_product("Soleil", category=make_category("astres"))
    begun = make_promotion(second, starts_at=timezone.now() + timedelta(days=1))
    moment = timezone.now() - timedelta(seconds=1)
    Promotion.objects.filter(pk=begun.pk).update(starts_at=moment, next_boundary=moment)
    return first, second


def describe(piece: Product) -> None:
    piece.description_fr = "Une pièce phosphorescente."
    save_product(product=piece)


def rename(piece: Product) -> None:
    category = Category.objects.get(pk=piece.category_id)
    category.name_fr = "Nocturnes"
    save_category(category=category)


def lock_in_the_opposite_order(first: Product, second: Product) -> None:
    with transaction.atomic():
        lock_products(product_ids=[second.pk])
        lock_products(product_ids=[first.pk])


def meet(write: Callable[[], Any], first: Callable[[], Any], then: Callable[[], Any]) -> Any:
    """What `write` gives, which waits for what a transaction locked with `first`, while that goes on with `then`."""
    with transaction.atomic():
        first()
        writing = Started(write)
        wait_until_blocked()
        then()
    return writing.value()


WRITERS: dict[str, Callable[[Product, Product], Any]] = {
    "product": lambda first, _: describe(first),
    "products": lambda first, _: change_products(
        product_ids=[first.pk], values={"weight_grams": 90}, actor=None
    ),
    "format": lambda first, _: add_format(product_id=first.pk, values={"name_fr": "Grand"}, actor=None),
    "file": lambda first, _: import_products(
        lines=[FileLine(2, first.pk, "", "", {"weight_grams": 90})], actor=None
    ),
    "trash": lambda first, _: trash_products(product_ids=[first.pk], actor=None),
    "collection": lambda first, _: rename(first),
    "promotion": lambda first, _: make_promotion(first, name="Autre"),
    "order of what is made to order": lambda first, second: make_order((second, 1), (first, 1)),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_who_waits_for_a_piece_holds_none_behind_it(pieces, writer):
    before = deadlocks()
    first, second = pieces
    locks = [partial(lock_products, product_ids=[piece.pk]) for piece in pieces]
    meet(partial(WRITERS[writer], first, second), *locks)
    assert deadlocks() == before


def test_control_two_pieces_locked_in_opposite_orders_wait_in_a_circle(pieces):
    before = deadlocks()
    locks = [partial(lock_products, product_ids=[piece.pk]) for piece in pieces]
    with pytest.raises(OperationalError):
        meet(partial(lock_in_the_opposite_order, *pieces), *locks)
    assert deadlocks() == before + 1


def test_a_promotion_deleted_while_its_pieces_are_sold():
    """The one that was written last stands behind the other in its table."""
    pieces = [make_product(name) for name in ("Lune", "Soleil")]
    promotion = make_promotion(*pieces)
    Product.objects.filter(pk=pieces[0].pk).update(weight_grams=90)
    locks = [partial(lock_products, product_ids=[piece.pk]) for piece in pieces]
    meet(partial(delete_promotion, promotion=promotion), *locks)
    assert not Product.objects.exclude(running_promotion=None).exists()


@pytest.mark.parametrize(
    ("change", "answer", "left"),
    [
        (lambda row: row.update(percent=40), 302, [(40, PromotionState.ENDED)]),
        (lambda row: row.delete(), 404, []),
    ],
    ids=("changed", "deleted"),
)
def test_a_promotion_ended_while_somebody_changes_it(client, change, answer, left):
    piece = make_product()
    promotion = make_promotion(piece)
    client.force_login(make_admin())
    end = partial(client.post, reverse("staff-promotions-end", args=[promotion.pk]))
    lock = partial(lock_products, product_ids=[piece.pk])
    assert meet(end, lock, partial(change, Promotion.objects.filter(pk=promotion.pk))).status_code == answer
    assert [(row.percent, row.state(timezone.now())) for row in Promotion.objects.all()] == left


def test_a_collection_renamed_while_one_of_its_pieces_is_described():
    """Both count words: the vocabulary has one writer at a time."""
    first, second = make_product("Lune"), make_product("Soleil")
    meet(partial(rename, first), partial(lock_products, product_ids=[second.pk]), partial(describe, second))
    assert Category.objects.get().name_fr == "Nocturnes"
    second.refresh_from_db()
    assert ("nocturnes" in second.search_text, "phosphorescente" in second.search_text) == (True, True)


@pytest.mark.parametrize("copied", [False, True])
def test_a_collection_deleted_while_a_letter_to_its_subscribers_is_saved(copied):
    """Without a lock the letter's own commit failed: what was typed was lost in an error page."""
    actor, category = make_admin(), make_category("bustes")
    if copied:
        Campaign.objects.filter(pk=make_letter(category=category).pk).update(state="sent")
        save = partial(copy_campaign, campaign_id=Campaign.objects.get().pk, actor=actor)
    else:
        save = partial(make_letter, category=category, actor=actor)
    with transaction.atomic():
        save()
        deleting = Started(partial(delete_category, category=category))
        wait_until_blocked()
    assert deleting.outcome().error.code == "category_in_use"
    assert Campaign.objects.get(state="draft").category == category


def test_an_offer_written_with_its_piece_and_by_itself():
    piece = make_product(promotion_active=True, promotion_type="buy_2_get_1")
    offer = Promotion.objects.get()
    switch_off = partial(
        set_own_promotion, product=piece, promotion_active=False, promotion_type="buy_2_get_1"
    )
    meet(partial(save_promotion, promotion=offer), partial(lock_products, product_ids=[piece.pk]), switch_off)
    assert Promotion.objects.get().is_active is True


def test_a_piece_shown_beside_another_that_is_being_sold_waits_for_nobody():
    """A row that names a product keeps nobody from changing it, nor waits for who does."""
    first, second = make_product("Lune"), make_product("Soleil")
    with transaction.atomic():
        lock_products(product_ids=[first.pk])
        show = partial(change_product, product_id=second.pk, values={"picked_similar": [first]}, actor=None)
        Started(show).value()
    assert list(second.picked_similar.all()) == [first]


def test_what_a_begun_promotion_changed_is_told_with_its_pieces_locked(pieces, monkeypatch):
    """Their waiting events are in no order of their own."""
    found: list[BaseException | None] = []

    def lock_soon() -> None:
        with transaction.atomic():
            Product.objects.select_for_update(nowait=True).get(pk=pieces[1].pk)

    monkeypatch.setattr(prices, "report_products", lambda _: found.append(Started(lock_soon).outcome().error))
    refresh_due_promotions()
    assert [type(error) for error in found] == [OperationalError]


def saved_page(staff: Client, row: Category | Promotion, **changes: Any) -> Callable[[], str]:
    """Save the row's page, opened now; where it leads."""
    page = f"/admin/{'categories' if isinstance(row, Category) else 'promotions'}/{row.pk}"
    body = sent(staff, page, **changes)
    return lambda: staff.post(page, body)["Location"]


PAGES: dict[str, Callable[[Client, Product], Callable[[], Any]]] = {
    "collection": lambda staff, piece: saved_page(staff, piece.category, name_fr="Nocturnes"),
    "promotion": lambda staff, piece: saved_page(staff, make_promotion(piece), name="Autre"),
    "promotion ended": lambda staff, piece: partial(
        staff.post, f"/admin/promotions/{make_promotion(piece).pk}/terminer"
    ),
    "promotion deleted": lambda staff, piece: partial(
        staff.post, f"/admin/promotions/{make_promotion(piece).pk}/supprimer"
    ),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_records_what_is_due_before_it_locks_its_pieces(staff_client, page):  # noqa: F811
    make_seller()
    first, second = make_product("Lune"), make_product("Soleil", category=make_category("astres"))
    save = PAGES[page](staff_client, first)
    begun = make_promotion(second, starts_at=timezone.now() + timedelta(days=1))
    moment = timezone.now() - timedelta(seconds=1)
    Promotion.objects.filter(pk=begun.pk).update(starts_at=moment, next_boundary=moment)
    before = deadlocks()
    meet(save, *(partial(lock_products, product_ids=[piece.pk]) for piece in (first, second)))
    assert deadlocks() == before


def test_the_page_of_an_offer_waits_for_its_piece_before_it_locks_the_offer(staff_client):  # noqa: F811
    piece = make_product(promotion_active=True, promotion_type="buy_2_get_1")
    save = saved_page(staff_client, Promotion.objects.get(), is_active="false")
    write = partial(set_own_promotion, product=piece, promotion_active=True, promotion_type="buy_3_get_1")
    before = deadlocks()
    meet(save, partial(lock_products, product_ids=[piece.pk]), write)
    assert deadlocks() == before
    offer = Promotion.objects.get()
    assert (offer.is_active, offer.type) == (False, "buy_3_get_1")


@pytest.mark.parametrize("changes", [{"name_fr": "Nocturnes"}, {"name_fr": "Nocturnes", "slug": "nocturnes"}])
def test_a_piece_added_to_a_collection_whose_page_renames_it(staff_client, changes):  # noqa: F811
    """The new piece has counted its words, and names its collection at the commit."""
    first = make_product("Lune")
    save = saved_page(staff_client, first.category, **changes)
    new = partial(make_product, "Soleil", description_fr="Une pièce phosphorescente.")
    assert meet(save, new, lambda: None) == "/admin/categories"
    assert "nocturnes" in Product.objects.get(pk=first.pk).search_text
