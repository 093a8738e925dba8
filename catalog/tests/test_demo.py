"""The demonstration catalogue, loaded."""

from decimal import Decimal

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import Q
from django.test import override_settings
from django.utils import timezone

from catalog.demo.loader import load_catalogue, load_categories
from catalog.models import (
    Category,
    CategoryFeature,
    PricePoint,
    Product,
    ProductImage,
    ProductModel,
    ProductVariation,
    Promotion,
    Variant,
)
from catalog.selectors.products import find_product
from shop.core.demo import demo_parts

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def catalogue(django_db_setup, django_db_blocker, tmp_path_factory):
    """Loaded once for all tests that read it, and taken back at their end."""
    media = tmp_path_factory.mktemp("media")
    with override_settings(MEDIA_ROOT=media), django_db_blocker.unblock(), transaction.atomic():
        load_catalogue()
        yield
        transaction.set_rollback(True)


def counts() -> list[int]:
    models = (Category, CategoryFeature, Product, ProductVariation, ProductImage, PricePoint)
    return [model._default_manager.count() for model in models]


def crossed_out(key: str) -> dict[tuple[str, str], Decimal | None]:
    product = find_product(Product.objects.get(external_id=f"demo:{key}").pk)
    return {
        (offer.sku, offer.finish): offer.original_price
        for offer in product.offers
        if offer.original_price is not None
    }


def test_what_staff_changed_stays():
    load_categories()
    Category.objects.filter(slug="bust").update(name_fr="Nos bustes")
    Category.objects.filter(slug="noel").delete()
    assert load_categories() == 1
    assert Category.objects.get(slug="bust").name_fr == "Nos bustes"
    assert load_categories() == 0


def test_a_new_shop_can_have_the_categories_alone(capsys):
    call_command("load_categories")
    assert capsys.readouterr().out == "14 categories added.\n"
    assert (Category.objects.count(), Product.objects.count()) == (14, 0)


def test_the_catalogue_comes_before_the_orders():
    names = [part.name for part in demo_parts()]
    assert names.index("catalog.demo.loader.load_catalogue") < names.index("orders.demo.load_orders")


def test_a_real_shop_is_not_filled_with_demonstrations(settings):
    settings.DEBUG = False
    with pytest.raises(CommandError, match="only with --force"):
        call_command("load_demo")
    assert not Product.objects.exists()


def test_of_the_dated_promotions_one_runs_and_one_is_scheduled_and_loading_again_adds_none(catalogue):
    now = timezone.now()
    dated = Promotion.objects.filter(product=None).order_by("starts_at")
    assert [promotion.state(now) for promotion in dated] == ["running", "planned"]
    reduced = Product.objects.filter(running_promotion__in=dated)
    assert set(reduced.values_list("external_id", "price_from", "crossed_out")) == {
        ("demo:dragon-vieux-cuivre", Decimal("74.80"), Decimal("179.00")),
        ("demo:accord-d-orage", Decimal("114.75"), Decimal("135.00")),
    }
    before = list(dated.values_list("pk", "starts_at", "ends_at"))
    load_catalogue()
    assert list(dated.values_list("pk", "starts_at", "ends_at")) == before


def test_everything_is_loaded_once(catalogue):
    loaded = counts()
    assert loaded[:4] == [14, 6, 25, 6]
    load_catalogue()
    assert counts() == loaded
    assert len(default_storage.listdir("products")[1]) == loaded[4]
    # The crossed-out prices are what the description of the demonstration says of each: lawful, capped, hidden.
    assert crossed_out("lame-d-automne") == {("LAM-P", "painted"): Decimal("149.00")}
    assert crossed_out("boule-village-enneige") == {("BOU", ""): Decimal("35.00")}
    assert crossed_out("sorciere-de-minuit") == {("SOR-P", "painted"): Decimal("79.00")}
    assert crossed_out("rainette-sous-la-feuille") == {}
    assert crossed_out("promeneuse-de-la-dune") == {
        ("PRD-09", ""): Decimal("59.00"),
        ("PRD-12", ""): Decimal("79.00"),
        ("PRD-18", ""): Decimal("124.00"),
    }
    product = Product.objects.get(external_id="demo:lame-d-automne")
    assert (product.price_from, product.price_to) == (Decimal("62.00"), Decimal("129.00"))
    assert " autumn" in product.search_text
    assert all(image.alt_fr and image.alt_de for image in ProductImage.objects.all())


def test_every_variant_on_sale_is_told_apart(catalogue):
    """Each has a reference, a packed weight, and a photo of its own finish."""
    shown = [
        (product, offer)
        for product in (find_product(pk) for pk in Product.objects.values_list("pk", flat=True))
        for offer in product.offers
    ]
    assert len({offer.sku for _, offer in shown}) == len(shown) == Variant.objects.count() == 42
    assert not Variant.objects.filter(Q(sku="") | Q(weight_grams=None)).exists()
    for product, offer in shown:
        assert offer.has_own_images, offer.sku
        assert product.photos[offer.images[0]].finish == offer.finish, offer.sku


def test_the_demonstration_has_three_models(catalogue):
    assert sorted(ProductModel.objects.values_list("product__external_id", flat=True)) == [
        "demo:golem-de-poche",
        "demo:ours-boulanger",
        "demo:veilleuse-des-bois",
    ]


def test_a_finish_and_a_format_have_their_own_delay_stock_and_size(catalogue):
    hibou, alchemist = (
        {offer.sku: offer for offer in find_product(Product.objects.get(external_id=f"demo:{key}").pk).offers}
        for key in ("hibou-archiviste", "apprenti-alchimiste")
    )
    assert [(offer.available, offer.stock) for offer in hibou.values()] == [(False, 0), (True, None)]
    assert [offer.production_days.high for offer in hibou.values()] == [28, 14]
    assert {sku: (offer.height_cm, offer.dimensions) for sku, offer in alchemist.items()} == {
        "APA-09": (Decimal("9.0"), "9 × 6 × 5,3\u00a0cm"),
        "APA-12": (Decimal("12.0"), "12 × 8 × 7\u00a0cm"),
        "APA-18": (Decimal("18.0"), "18 × 12 × 10,5\u00a0cm"),
    }
    ready = Product.objects.filter(is_ready=True, source="demo").values_list("external_id", flat=True)
    assert {"demo:veilleuse-des-bois", "demo:lapin-marguerite", "demo:ours-boulanger"} <= set(ready)
    assert "demo:mage-des-cimes" not in ready
