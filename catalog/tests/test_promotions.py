"""Promotions in the shop: what is charged follows the clock, lists and history follow the job."""

import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog.models import Product, Promotion
from catalog.selectors.cards import read_cards_of
from catalog.selectors.products import find_product
from catalog.selectors.promotions import next_change
from catalog.selectors.sellables import SellableKey, find_sellables
from catalog.services import prices
from catalog.services.prices import refresh_due_promotions, refresh_prices
from catalog.services.products import save_product
from catalog.services.promotions import delete_promotion, end_promotion, save_promotion, set_own_promotion
from catalog.tests.factories import change_product, make_category, make_product, make_promotion
from catalog.tests.promotions import END, LONG_AGO, SECOND, START, at, charged, history, listed
from shop.core.problems import Problem

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.mark.parametrize(
    ("moment", "price"),
    [(START - SECOND, "100.00"), (START, "80.00"), (END - SECOND, "80.00"), (END, "100.00")],
)
def test_what_is_charged_follows_the_clock_to_the_second_without_any_job(planned, moment, price):
    product, _promotion = planned
    assert charged(product, moment) == Decimal(price)
    with at(moment):
        detail = find_product(product.pk)
    assert detail.selected.price == Decimal(price)
    # The reduction may be shown before it is recorded: the history before it is known.
    assert detail.selected.original_price == (Decimal("100.00") if price == "80.00" else None)


def test_the_job_records_each_boundary_at_its_own_moment_however_late(planned):
    product, promotion = planned
    with at(START + timedelta(hours=2)):
        assert refresh_due_promotions() == 1
        assert refresh_due_promotions() == 0
        assert listed(product) == ("80.00", "100.00", "PROMO")
    with at(END + timedelta(days=1)):
        refresh_due_promotions()
        assert listed(product) == ("100.00", None, "")
    assert history(product) == [("100.00", LONG_AGO), ("80.00", START), ("100.00", END)]
    promotion.refresh_from_db()
    assert promotion.next_boundary is None


@pytest.mark.parametrize(
    ("recorded", "moment", "price", "original", "badge", "seconds"),
    [
        (LONG_AGO, START - SECOND, "100.00", None, "", 1),
        (LONG_AGO, START, "80.00", "100.00", "PROMO", 60),
        (START, END, "100.00", None, "", 60),
        (LONG_AGO, END, "100.00", None, "", 60),
    ],
)
def test_l112_1_lists_name_the_price_of_the_cart_before_the_job_has_come(
    planned, client, django_assert_num_queries, recorded, moment, price, original, badge, seconds
):
    product, _promotion = planned
    refresh_due_promotions(now=recorded)
    with at(moment):
        assert listed(product) == (price, original, badge)
        assert charged(product, moment) == Decimal(price)
        [row] = client.get("/api/products").json()["results"]
        suggestions = client.get("/api/search/suggestions", {"q": product.name})
        [suggested] = suggestions.json()["products"]
        # Nobody's browser keeps the price beyond the boundary.
        assert suggestions["Cache-Control"] == f"public, max-age={seconds}"
        with django_assert_num_queries(1 if seconds == 1 else 4):
            read_cards_of([product.pk])
    assert (row["price_from"], row["original_price"], suggested["price_from"]) == (price, original, price)
    product.refresh_from_db()
    # Reading writes nothing.
    assert str(product.price_from) == ("80.00" if recorded == START else "100.00")


def test_a_job_that_missed_start_and_end_records_both(planned):
    product, _promotion = planned
    refresh_due_promotions(now=END + timedelta(days=9))
    assert history(product) == [("100.00", LONG_AGO), ("80.00", START), ("100.00", END)]
    assert listed(product) == ("100.00", None, "")


def test_a_product_that_fails_keeps_no_other_from_its_start(planned, monkeypatch):
    product, promotion = planned
    with at(LONG_AGO):
        broken = make_product("Cassé", price="50.00")
    fill = prices._fill_columns

    def fail(row, *rest):
        if row.pk == broken.pk:
            raise ValueError("unforeseen")
        return fill(row, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(prices, "_fill_columns", fail)
        for _again in range(2):
            with pytest.raises(ValueError, match="unforeseen"):
                refresh_due_promotions(now=START)
            columns = Product.objects.order_by("pk").values_list("price_from", flat=True)
            assert [*columns] == [Decimal("80.00"), Decimal("50.00")]
    promotion.refresh_from_db()
    assert promotion.next_boundary == START
    refresh_due_promotions(now=START + SECOND)
    assert [history(row)[1:] for row in (product, broken)] == [[("80.00", START)], [("40.00", START)]]


def test_a_price_changed_before_the_late_job_is_recorded_after_the_start(planned):
    product, _promotion = planned
    later = START + timedelta(minutes=5)
    product.refresh_from_db()
    product.price = Decimal("90.00")
    with at(later):
        save_product(product=product)
    assert history(product) == [("100.00", LONG_AGO), ("80.00", START), ("72.00", later)]


def test_l112_1_1_a_late_job_adds_no_price_to_what_was_recorded_since(planned):
    product, _promotion = planned
    later = END + timedelta(days=1)
    product.refresh_from_db()
    product.price = Decimal("110.00")
    with at(later):
        save_product(product=product)
    recorded = [("100.00", LONG_AGO), ("80.00", START), ("100.00", END), ("110.00", later)]
    assert history(product) == recorded
    # A job that began before that save: it would take 88.00, which nobody was asked, for the price of the promotion.
    refresh_prices(product_ids=[product.pk], moments=[START, END, later + timedelta(hours=1)])
    assert history(product) == recorded


def test_a_start_in_the_past_counts_from_now_on():
    with at(LONG_AGO):
        product = make_product(price="100.00")
    with at(START):
        make_promotion(product, starts_at=LONG_AGO + SECOND)
    assert history(product) == [("100.00", LONG_AGO), ("80.00", START)]


def test_ended_now_it_gives_the_full_price_back_at_once(planned):
    product, promotion = planned
    with at(START + SECOND):
        refresh_due_promotions()
        promotion.refresh_from_db()
        end_promotion(promotion=promotion)
    promotion.refresh_from_db()
    assert (promotion.is_active, promotion.ends_at) == (True, START + SECOND)
    assert charged(product, START + SECOND) == Decimal("100.00")
    assert history(product)[-1] == ("100.00", START + SECOND)
    assert listed(product) == ("100.00", None, "")


def test_a_planned_one_ended_never_starts(planned):
    product, promotion = planned
    with at(LONG_AGO + SECOND):
        end_promotion(promotion=promotion)
    assert charged(product, START) == Decimal("100.00")
    assert Promotion.objects.get().is_active is False


def test_deleted_it_leaves_the_prices_it_made_recorded(planned):
    product, promotion = planned
    with at(START + SECOND):
        delete_promotion(promotion=promotion)
    assert history(product) == [("100.00", LONG_AGO), ("80.00", START), ("100.00", START + SECOND)]
    assert listed(product) == ("100.00", None, "")


def test_a_product_s_own_goes_before_its_category_s_and_leaves_it_the_place_afterwards(planned):
    product, _promotion = planned
    with at(START - SECOND):
        own = set_own_promotion(product=product, promotion_active=True, promotion_type="buy_4_get_3")
    with at(START):
        refresh_due_promotions()
        assert listed(product) == ("100.00", None, "4 ACHETÉS 3 OFFERTS")
    with at(START + SECOND):
        end_promotion(promotion=own)
        assert listed(product) == ("80.00", "100.00", "PROMO")


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"type": "percent"}, "percent", "Indiquez le pourcentage."),
        ({"type": "amount"}, "amount", "Indiquez le montant."),
        ({"type": "buy_n_get_m"}, "buy_quantity", "Indiquez la quantité à acheter."),
        ({"type": "buy_n_get_m", "buy_quantity": 2}, "get_quantity", "Indiquez la quantité offerte."),
        (
            {"type": "buy_n_get_m", "buy_quantity": 1, "get_quantity": 2},
            "get_quantity",
            "La quantité offerte ne peut pas dépasser la quantité achetée.",
        ),
        (
            {"type": "percent", "percent": 20, "starts_at": START, "ends_at": START},
            "ends_at",
            "La fin doit venir après le début.",
        ),
    ],
)
def test_what_is_incomplete_is_refused_with_a_sentence(fields, field, message):
    with pytest.raises(Problem) as refused:
        save_promotion(promotion=Promotion(name="Soldes", **fields))
    assert refused.value.errors[field] == [message]
    assert not Promotion.objects.exists()


def test_of_what_depends_on_the_type_nothing_is_asked_before_there_is_one():
    with pytest.raises(Problem) as refused:
        save_promotion(promotion=Promotion(name="Soldes", type=""))
    assert refused.value.errors == {"type": ["Ce champ ne peut pas être vide."]}


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "everything", "percent": 20},
        {"type": "percent"},
        {"type": "percent", "percent": 100},
        {"type": "percent", "percent": 20, "buy_quantity": 2, "get_quantity": 1},
        {"type": "amount", "amount": Decimal("0.00")},
        {"type": "buy_2_get_1"},
        {"type": "percent", "percent": 20, "starts_at": START, "ends_at": START},
    ],
)
def test_the_database_refuses_what_makes_no_sense(fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        Promotion.objects.create(name="Soldes", **fields)


def test_the_own_promotion_has_no_dates():
    with pytest.raises(IntegrityError), transaction.atomic():
        Promotion.objects.create(
            name="Soldes", type="percent", percent=20, product=make_product(), starts_at=START
        )


def test_written_by_the_names_of_the_product_it_is_its_own_undated_one():
    product = make_product()
    own = set_own_promotion(product=product, promotion_active=True, promotion_type="buy_2_get_1")
    assert (own.product, own.buy_quantity, own.get_quantity, own.starts_at, own.ends_at) == (
        product, 2, 1, None, None,
    )  # fmt: skip
    set_own_promotion(product=product, promotion_active=False, promotion_type="buy_3_get_1")
    assert [(row.type, row.is_active) for row in Promotion.objects.all()] == [("buy_3_get_1", False)]
    set_own_promotion(product=product, promotion_active=False, promotion_type="")
    assert not Promotion.objects.exists()
    with pytest.raises(Problem, match=r"Choisissez le type de la promotion\."):
        set_own_promotion(product=product, promotion_active=True, promotion_type="")


def test_it_is_called_as_its_product_is():
    product = make_product("Golem")
    own = set_own_promotion(product=product, promotion_active=True, promotion_type="buy_2_get_1")
    other = make_promotion(product, name="Golem")
    change_product(product, name_fr="Golem d'hiver")
    for row in (own, other):
        row.refresh_from_db()
    assert (own.name, other.name) == ("Golem d'hiver", "Golem")


def test_one_without_a_start_starts_as_it_is_switched_on():
    """And so goes before one that runs longer; it stood behind all that have a date."""
    product, now = make_product(price="100.00"), timezone.now()
    make_promotion(product, percent=20, starts_at=now - timedelta(days=7))
    off = make_promotion(product, percent=30, is_active=False)
    assert (off.starts_at, charged(product, now)) == (None, Decimal("80.00"))
    off.is_active = True
    save_promotion(promotion=off, now=now)
    assert (off.starts_at, charged(product, now)) == (now, Decimal("70.00"))
    save_promotion(promotion=off, now=now + timedelta(hours=1))
    # One that ran without a start already keeps its place.
    Promotion.objects.filter(pk=off.pk).update(starts_at=None)
    off.refresh_from_db()
    save_promotion(promotion=off, now=now + timedelta(hours=1))
    assert (off.starts_at, charged(product, now + timedelta(hours=1))) == (None, Decimal("80.00"))
    ended = make_promotion(product, ends_at=now - timedelta(days=1))
    assert ended.starts_at is None


def test_the_next_change_is_the_first_start_or_end_of_an_active_one(planned):
    _product, promotion = planned
    assert next_change(LONG_AGO) == START
    assert next_change(START) == END
    assert next_change(END) is None
    promotion.is_active = False
    save_promotion(promotion=promotion)
    assert next_change(LONG_AGO) is None


def test_what_is_charged_costs_four_queries_under_a_reduction(planned, django_assert_num_queries):
    product, _promotion = planned
    make_promotion(product, starts_at=START)
    find_sellables([SellableKey(product.pk, None, "")])
    # Rows with their promotions, formats, photos; and the prices over time, for the crossed-out one.
    with django_assert_num_queries(4):
        found = find_sellables([SellableKey(product.pk, None, "")], now=START)
    assert [sellable.unit_price for sellable in found.values()] == [Decimal("80.00")]


def test_a_category_of_many_is_refreshed_in_batches(monkeypatch):
    monkeypatch.setattr("catalog.services.prices.BATCH", 10)
    category = make_category()
    for number in range(21):
        make_product(f"Lame {number}")
    with CaptureQueriesContext(connection) as asked:
        make_promotion(categories=[category])
    assert set(Product.objects.values_list("price_from", flat=True)) == {Decimal("32.00")}
    # Three batches of seven, and fourteen for the promotion with its categories.
    own = [query for query in asked if "SAVEPOINT" not in query["sql"]]
    assert len(own) <= 3 * 7 + 14


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_record_a_start_once(planned):
    product, _promotion = planned

    def work():
        try:
            refresh_due_promotions(now=END)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert history(product) == [("100.00", LONG_AGO), ("80.00", START), ("100.00", END)]
    assert listed(product) == ("100.00", None, "")
