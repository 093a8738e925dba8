"""One reference that two people give to two rows at one instant: the second is told so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from catalog.models import Product, Variant
from catalog.services import products, variant_grid
from catalog.services.staff_products import change_product
from catalog.services.variant_grid import GridRow, add_format, grid_version, save_grid
from catalog.tests.factories import make_product, make_variation, variant_of
from shop.core.models import AuditEntry
from shop.core.problems import InvalidFields
from tests.races.concurrency import Meeting, run_concurrently

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

TAKEN = "Cette référence est déjà celle d'une autre déclinaison."


@pytest.fixture(autouse=True)
def checked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody stores before both were found free."""
    meeting, check = Meeting(2), products.validate

    def meet(row, *args, **options):
        check(row, *args, **options)
        if getattr(row, "sku", "") or getattr(row, "external_id", ""):
            meeting.wait()

    monkeypatch.setattr(products, "validate", meet)
    monkeypatch.setattr(variant_grid, "validate", meet)


def refusal_of_one(*calls: Callable[[], object]) -> dict[str, list[str]]:
    errors = [outcome.error for outcome in run_concurrently(calls) if outcome.error is not None]
    assert [type(error) for error in errors] == [InvalidFields], errors
    assert (errors[0].code, errors[0].status) == ("invalid", 400)
    return errors[0].errors


def test_an_identifier_is_one_products():
    rows = [make_product(price="20.00"), make_product(price="20.00")]
    values = {"external_id": "ERP-1", "price": "30.00"}
    calls = [partial(change_product, product_id=row.pk, values=values, actor=None) for row in rows]
    assert refusal_of_one(*calls) == {
        "external_id": ["Un objet Produit avec ce champ Identifiant externe existe déjà."]
    }
    stored = sorted((row.external_id or "", str(row.price)) for row in Product.objects.all())
    assert stored == [("", "20.00"), ("ERP-1", "30.00")]
    assert AuditEntry.objects.filter(action="product.changed").count() == 1


def test_a_reference_of_a_format_is_one_variants():
    rows = [make_product(), make_product()]
    values = {"name_fr": "Grand", "sku": "REF-1"}
    calls = [partial(add_format, product_id=row.pk, values=values, actor=None) for row in rows]
    assert refusal_of_one(*calls) == {"__all__": [TAKEN]}
    assert list(Variant.objects.exclude(variation=None).values_list("sku", flat=True)) == ["REF-1"]


def test_a_reference_of_the_grid_is_one_variants():
    owners = [make_product(), make_product()]
    variants = [variant_of(product, make_variation(product, "Grand")) for product in owners]

    def save(row: Variant) -> None:
        formats, rows = list(row.product.variations.all()), list(row.product.variants.all())
        save_grid(
            product_id=row.product_id,
            rows=[GridRow(row.pk, {"sku": "REF-1", "weight_grams": 800})],
            version=grid_version(formats, rows, []),
            actor=None,
        )

    refused = refusal_of_one(*(partial(save, row) for row in variants))
    stored = {row.pk: (row.sku, row.weight_grams) for row in Variant.objects.exclude(variation=None)}
    [lost] = [pk for pk, columns in stored.items() if columns == ("", None)]
    assert refused == {f"rows.{lost}.sku": [TAKEN]}
    assert sorted(stored.values(), key=str) == [("", None), ("REF-1", 800)]
    assert AuditEntry.objects.filter(action="product.variants_changed").count() == 1
