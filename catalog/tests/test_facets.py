"""`Product.facets`, which the database computes, and the indexes that counts and the gallery read."""

from decimal import Decimal

import pytest
from django.db import connection

from catalog.models import FACETS, Facet, Product
from catalog.selectors import cards, filters
from catalog.tests.factories import make_product

pytestmark = pytest.mark.django_db


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("columns", "facet"),
    [
        ({"is_available": True}, Facet.AVAILABLE),
        ({"is_ready": True}, Facet.READY),
        ({"has_small": True}, Facet.SMALL),
        ({"has_medium": True}, Facet.MEDIUM),
        ({"has_large": True}, Facet.LARGE),
        ({"painted_price": Decimal(9)}, Facet.PAINTED),
        ({"unpainted_price": Decimal(9)}, Facet.UNPAINTED),
        ({"crossed_out": Decimal(99)}, Facet.REDUCED),
    ],
)
def test_a_changed_column_changes_its_facet_alone(columns, facet):
    make_product()
    row = Product.objects.all()
    row.update(is_available=False)
    assert row.get().facets == 0
    row.update(**columns)
    assert row.get().facets == facet
    assert [bit for bit, condition in FACETS.items() if row.filter(condition).exists()] == [facet]


def plan_of(statement: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
        return [row[3] for row in cursor.fetchall()]


def test_counts_are_read_from_their_index_without_sorting(django_assert_num_queries):
    make_product()
    with django_assert_num_queries(2) as captured:
        filters.product_groups()
    assert plan_of(captured.captured_queries[-1]["sql"]) == [
        "SCAN catalog_product USING INDEX product_facets"
    ]


def test_the_gallery_is_read_in_the_order_of_its_index(django_assert_max_num_queries):
    make_product()
    with django_assert_max_num_queries(7) as captured:
        cards.daily_gallery()
    plans = [plan_of(query["sql"]) for query in captured.captured_queries[:3]]
    assert plans == [
        [f"SEARCH catalog_product USING INDEX product_drawn ({condition})"]
        for condition in ("is_available=? AND <expr>>?", "is_available=? AND <expr><?", "is_available=?")
    ]
