"""Writing products: every change ends in `refresh_product`, which keeps what lists read and the price history right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import CheckConstraint, Model, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from catalog import pricing
from catalog.models import Product, ProductVariation, Variant
from catalog.selectors.addresses import SLUG_FALLBACK
from catalog.selectors.availability import listed_columns
from catalog.selectors.staff_search import index_text
from catalog.selectors.staff_variants import format_marks, format_variants
from catalog.selectors.variants import variants_of
from catalog.services.media import remove_model_files, retire_pictures
from catalog.services.notices import end_notices
from catalog.services.prices import record_prices, refresh_due_promotions
from catalog.services.promotions import rename_own_promotion
from catalog.services.reports import report_deletion, report_product, watch_stock
from catalog.services.search_index import index_products, remove_product, shown_text
from catalog.services.translations import TEXTS, TRANSLATED_COLUMNS, stale_texts
from shop.core.content_version import content_changed
from shop.core.languages import LANGUAGES, SOURCE_LANGUAGE
from shop.core.letters import slug_of
from shop.core.problems import InvalidFields, Problem
from shop.core.searching import folded
from shop.integrations.models import EventKind

_DERIVED = (
    *(f"sort_name_{language}" for language in LANGUAGES),
    *("published_at", "search_text", "price_from", "price_to", "crossed_out", "reduced_price"),
    *("running_promotion_id", "is_available", "is_ready", "has_small", "has_medium", "has_large"),
)
MOST_FORMATS = 50
_NAME = f"name_{SOURCE_LANGUAGE}"
_SEARCHED = ("name", "description", "full_description")


def save_product(
    *,
    product: Product,
    expected_updated_at: datetime | None = None,
    confirmed_texts: Collection[str] = (),
) -> Product:
    """Check and store a new or changed product, then refresh what depends on it.

    `expected_updated_at` is the version that the writer had before their eyes; `confirmed_texts` name the translated
    columns (`name_en`) that say what the French text says, though they did not change.
    Raises `Problem`: 400 `invalid` with messages by field, 409 `conflict` when somebody saved another version since.
    """
    refresh_due_promotions()
    with storing(product):
        variations: Sequence[ProductVariation] = ()
        stored: Mapping[str, Any] = {}
        if product.pk is not None:
            rows = Product.objects.select_for_update(no_key=True).filter(pk=product.pk)
            stored = rows.values("updated_at", "is_published", *TRANSLATED_COLUMNS).first() or {}
            if expected_updated_at is not None and stored.get("updated_at") != expected_updated_at:
                raise conflict()
            product.stale_texts = stale_texts(product, TEXTS, stored, confirmed_texts)
            variations = list(product.variations.all())
        _fill_slugs(product, stored)
        validate(product)
        check_prices(product=product, variations=variations)
        is_new = product.pk is None
        with watch_stock([product.pk]):
            product.save()
            if stored and stored[_NAME] != getattr(product, _NAME):
                rename_own_promotion(product=product)
            refresh_product(product_id=product.pk)
        report_product(product.pk, EventKind.PRODUCT_CREATED if is_new else EventKind.PRODUCT_UPDATED)
    product.refresh_from_db(fields=[*_DERIVED, "updated_at"])
    return product


def conflict() -> Problem:
    """The refusal of a change made on a version that is not the last one."""
    return Problem("conflict", _("Ce produit a été modifié entre-temps. Rechargez la page pour voir."), 409)


def save_variation(*, variation: ProductVariation) -> ProductVariation:
    """Check and store a variation; marked as default, it takes the mark from the others.

    Raises `Problem` (400 `invalid`), also when the difference would bring a price of the product below zero.
    """
    refresh_due_promotions()
    with transaction.atomic():
        product = locked_product(variation.product_id)
        validate(variation, without="product")
        check_prices(product=product, variations=[variation])
        if variation.is_default:
            product.variations.exclude(pk=variation.pk).filter(is_default=True).update(is_default=False)
        variation.save()
        refresh_product(product_id=product.pk)
        report_product(product.pk)
    return variation


def save_variant(*, variant: Variant) -> Variant:
    """Check and store a variant: its reference, its own price and stock, and what else differs from the product's.

    Raises `Problem` (400 `invalid`).
    """
    refresh_due_promotions()
    with storing(variant):
        product = locked_product(variant.product_id)
        validate(variant)
        with watch_stock([product.pk]):
            variant.save()
            refresh_product(product_id=product.pk)
        report_product(product.pk)
    return variant


@contextmanager
def storing(row: Model) -> Iterator[None]:
    """A transaction that writes a row. A reference that somebody else stored since it was checked is refused as the
    check refuses it."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        validate(row)
        raise


def write_format(*, variation: ProductVariation, given: Mapping[str, Any]) -> None:
    """Write `in_stock` and `sku` of a format where they are given: both are those of its variants.

    Raises `Problem` (400 `invalid`).
    """
    if "in_stock" not in given and "sku" not in given:
        return
    rows = variation.variants.order_by("finish", "pk")
    variants = format_variants(variation.product, variation.pk, rows)
    stored = format_marks(variants)
    # What an answer says of several variants is not written over them when it comes back.
    changed = {name: given[name] for name, value in stored.items() if given.get(name, value) != value}
    if "sku" in changed and len(variants) > 1:
        message = _(
            "Ce format existe en plusieurs finitions\u00a0: donnez la référence de chaque déclinaison."
        )
        raise Problem("invalid", message, errors={"sku": [message]})
    for row in variants if changed else ():
        for name, value in changed.items():
            setattr(row, name, value)
        save_variant(variant=row)


def free_references(wanted: Iterable[tuple[Variant, str]]) -> None:
    """Take the references away in the database that are about to change: variants may exchange theirs, which are saved
    one after the other. Call it in the transaction that saves them all."""
    Variant.objects.filter(pk__in=[row.pk for row, sku in wanted if row.sku != sku]).update(sku="")


def refuse_same_name(name: str, others: Iterable[str]) -> None:
    """Refuse a format's name that another one of the piece has, whatever its case and accents: nobody could tell them
    apart. Raises `Problem` (400 `invalid`)."""
    if folded(name) in map(folded, others):
        message = _("Un autre format de cette pièce porte déjà ce nom.")
        raise Problem("invalid", message, errors={"name": [message]})


def delete_variation(*, variation: ProductVariation) -> None:
    """Remove a variation. Its prices over time stay, and who waits for it is told; the variants of a product's last one
    are the product's without formats, so that units that orders hold of them come back to what is sold."""
    refresh_due_promotions()
    with transaction.atomic():
        product = locked_product(variation.product_id)
        if not product.variations.exclude(pk=variation.pk).exists():
            # Left by formats that were added before variants moved along.
            product.variants.filter(variation=None).delete()
            variation.variants.update(variation=None, price=None)
        end_notices(variation=variation)
        variation.delete()
        refresh_product(product_id=product.pk)
        report_product(product.pk)


def delete_product(*, product: Product) -> None:
    """Remove a product with its variations and pictures. Its prices over time stay."""
    with transaction.atomic():
        # With its key: whoever names it waits, and finds it gone.
        list(Product.objects.select_for_update().filter(pk=product.pk))
        report_deletion(product)
        images = list(product.images.all())
        remove_model_files(product=product)
        remove_product(product_id=product.pk)
        product.delete()
        retire_pictures(images)
        content_changed()


def refresh_product(*, product_id: int, now: datetime | None = None) -> None:
    """Bring the denormalised columns of a product up to date and record prices that changed.

    To be called after any write to a product, its variations or its category that did not go through this module.
    `now` is when a changed price began, and a piece that is on sale for the first time was published.
    """
    refresh_products(product_ids=[product_id], now=now)


def refresh_products(*, product_ids: Collection[int], now: datetime | None = None) -> None:
    """As `refresh_product`, for all of them at once: one query for each that shows something else, and those of one."""
    with transaction.atomic():
        rows = Product.objects.select_for_update(no_key=True, of=("self",)).select_related("category")
        products = list(rows.filter(pk__in=product_ids).order_by("pk"))
        if not products:
            return
        before = {product.pk: _derived(product) for product in products}
        variants = complete_variants(products=products)
        moment = now or timezone.now()
        record_prices(products=products, variants=variants, moments=[moment])
        for product in products:
            if product.is_published and product.published_at is None:
                product.published_at = moment
            product.search_text = search_text(product)
            columns = {**sort_names(product), **listed_columns(product, variants[product.pk])}
            for name, value in columns.items():
                setattr(product, name, value)
            changed = dict(_derived(product).items() - before[product.pk].items())
            if changed:
                # Not `save()`: a refresh is no new version of the product.
                Product.objects.filter(pk=product.pk).update(**changed)
        index_products(products=products)
        content_changed()


def refresh_undated_products() -> None:
    """Date what the version before `published_at` published while both ran, during an update: it would stay before all
    others, or behind them. One query when there is nothing."""
    keys = list(Product.objects.filter(is_published=True, published_at=None).values_list("pk", flat=True))
    if keys:
        refresh_products(product_ids=keys)


def _derived(product: Product) -> dict[str, Any]:
    return {name: getattr(product, name) for name in _DERIVED}


def complete_variants(*, products: Collection[Product]) -> dict[int, list[Variant]]:
    """Add the variants that these products lack, and return all by product: one a format on sale and finish on sale.
    Two queries, up to three more when some were missing; with the products locked by the caller."""
    keys = [product.pk for product in products]
    variants = variants_of(keys)
    formats: dict[int, list[int | None]] = {pk: [] for pk in keys}
    rows = ProductVariation.objects.filter(product__in=keys).order_by("pk")
    for product_id, variation_id in rows.values_list("product_id", "pk"):
        formats[product_id].append(variation_id)
    placed = [
        row for product in products for row in _placed(product, formats[product.pk], variants[product.pk])
    ]
    if not placed:
        return variants
    Variant.objects.bulk_update([row for row in placed if row.pk], ("variation", "finish"))
    Variant.objects.bulk_create([row for row in placed if not row.pk])
    return variants | variants_of({row.product_id for row in placed})


def _placed(product: Product, formats: Sequence[int | None], known: Iterable[Variant]) -> list[Variant]:
    """The rows to store for each format and finish on sale to have its variant. The first format has those that were
    sold without one, and a finish that which is not sold any more because finishes came or went: the same rows, so that
    nothing is counted twice, and what orders hold of them comes back to what is sold."""
    rows = list(known)
    before = [(row.variation_id, row.finish) for row in rows]
    finishes = pricing.offered_finishes(product) or ("",)
    if formats and all(row.variation_id is None for row in rows):
        for row in rows:
            row.variation_id = formats[0]
    for variation_id in formats or [None]:
        own = {row.finish: row for row in rows if row.variation_id == variation_id}
        has_some = not own.keys().isdisjoint(finishes)
        unsold = [row for row in own.values() if row.finish not in finishes and not (has_some and row.finish)]
        spare = min(unsold, key=lambda row: (row.finish != "", row.stock_quantity is None), default=None)
        for finish in finishes:
            if finish in own:
                continue
            if spare is None:
                spare = Variant(product=product, variation_id=variation_id)
                rows.append(spare)
            spare.finish, spare = finish, None
    places = zip_longest(rows, before)
    return [row for row, place in places if place != (row.variation_id, row.finish)]


def search_text(product: Product) -> str:
    """The words of the product and its category in every language."""
    texts = [getattr(product, f"{field}_{language}") for field in _SEARCHED for language in LANGUAGES]
    texts += [getattr(product.category, f"name_{language}") for language in LANGUAGES]
    return index_text(text for text in texts if text)


def sort_names(product: Product) -> dict[str, str]:
    """What the columns `sort_name_*` of a product are to hold."""
    longest = Product.sort_name_fr.field.max_length
    return {
        f"sort_name_{language}": folded(shown_text(product, "name", language))[:longest]
        for language in LANGUAGES
    }


def check_prices(*, product: Product, variations: Iterable[ProductVariation]) -> None:
    """Refuse a product of which some variation in some finish would cost nothing or less: it would not be on sale.

    Raises `Problem` (400 `invalid`).
    """
    bases: list[Decimal] = [pricing.base_price(product, finish) for finish in ("", "painted", "unpainted")]
    for variation in variations:
        if variation.price_override is None and min(bases) + variation.price_adjustment <= 0:
            message = _("Cet écart donnerait un prix nul ou négatif.")
            raise Problem("invalid", message, errors={"price_adjustment": [message]})


def locked_product(product_id: int) -> Product:
    """The row, locked, with its category. Raises `Product.DoesNotExist`."""
    # `of`: the category's row is only read.
    return (
        Product.objects.select_for_update(no_key=True, of=("self",))
        .select_related("category")
        .get(pk=product_id)
    )


def _fill_slugs(product: Product, stored: Mapping[str, Any]) -> None:
    """An address for each language that has a name, kept when staff typed one or visitors may know it: that of a hidden
    product follows the name that it was made of."""
    is_hidden = stored.get("is_published") is False
    for language in LANGUAGES:
        name, slug = getattr(product, f"name_{language}"), getattr(product, f"slug_{language}")
        former = stored.get(f"name_{language}") if is_hidden else None
        if name and (not slug or (former and slug == _slug_of(former, language))):
            setattr(product, f"slug_{language}", _slug_of(name, language))


def _slug_of(name: str, language: str) -> str:
    return slug_of(name, language)[:180].strip("-") or SLUG_FALLBACK


def validate(row: Model, without: str = "") -> None:
    """Raises `Problem` (400 `invalid`) for what the row itself can tell.

    `without` names a field whose constraints the caller keeps."""
    # Of a translated text each language is checked: the column it started from repeats the current one.
    names = {field.name for field in row._meta.get_fields()}
    repeated = {name for name in names if f"{name}_{LANGUAGES[0]}" in names}
    try:
        row.full_clean(exclude=repeated, validate_constraints=False)
        _validate_constraints(row, exclude={*repeated, without})
    except ValidationError as error:
        raise InvalidFields(error.message_dict) from error


def _validate_constraints(row: Model, exclude: set[str]) -> None:
    """Ask for all conditions of a row in one query: one each takes half of the time that saving a product takes.

    Raises ValidationError."""
    checks = [rule for rule in row._meta.constraints if isinstance(rule, CheckConstraint)]
    conditions = Q(*(rule.condition for rule in checks))
    unread = {field.name for field in row._meta.concrete_fields} - conditions.referenced_base_fields
    try:
        if checks:
            CheckConstraint(condition=conditions, name="all").validate(type(row), row, exclude=unread)
        for rule in row._meta.constraints:
            if rule not in checks:
                rule.validate(type(row), row, exclude=exclude)
    except ValidationError:
        # Each for itself, which tells the words and the field.
        row.validate_constraints(exclude=exclude)
