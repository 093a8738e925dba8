"""The catalogue in Django's admin: saving goes through the services, refusals stand beside the field."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from catalog.models import (
    Category,
    CategoryPicture,
    PricePoint,
    Product,
    ProductImage,
    ProductVariation,
    Variant,
)
from catalog.tests.factories import (
    make_category,
    make_image,
    make_product,
    make_variation,
    picture,
    variant_of,
)
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db
PRODUCTS = "/gestion/catalog/product/"
CATEGORIES = "/gestion/catalog/category/"
PRICES = "/gestion/catalog/pricepoint/"


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


def upload(name: str = "a.jpg", kind: str = "JPEG") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, picture(kind).getvalue())


def form_of(response) -> dict[str, Any]:
    """What a browser would send back from this page."""
    sent: dict[str, Any] = {}
    context = response.context
    forms = [context["adminform"].form]
    for inline in context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.initial_forms]
    for form in forms:
        for bound in form:
            value = bound.value()
            if value is None or value is False or bound.html_name.endswith("upload"):
                continue
            if bound.html_name == "created_at":
                local = timezone.localtime(value)
                sent["created_at_0"], sent["created_at_1"] = f"{local:%Y-%m-%d}", f"{local:%H:%M:%S}"
                continue
            sent[bound.html_name] = "on" if value is True else value
    return sent


def change(client, address: str, **changes: Any):
    sent = form_of(client.get(address)) | changes
    return client.post(address, {name: value for name, value in sent.items() if value is not None})


def errors(response) -> list[str]:
    assert response.status_code == 200
    found = [
        message for messages in response.context["adminform"].form.errors.values() for message in messages
    ]
    for inline in response.context["inline_admin_formsets"]:
        found += list(inline.formset.non_form_errors())
        found += [
            message for form in inline.formset for messages in form.errors.values() for message in messages
        ]
    return found


def product_page(product: Product) -> str:
    return f"{PRODUCTS}{product.pk}/change/"


def test_a_changed_price_is_in_the_audit_trail_from_what_to_what(admin_client, admin_user):
    product = make_product(price="40.00")
    assert change(admin_client, product_page(product), price="45.00").status_code == 302
    entry = AuditEntry.objects.get(action="product.changed")
    assert (entry.actor_id, entry.subject_id) == (admin_user.pk, str(product.pk))
    assert (entry.before["price"], entry.after["price"]) == ("40.00", "45.00")


def test_the_list_is_found_like_the_shop_searches(admin_client):
    make_product("Élan des neiges", external_id="ext-7")
    lynx = make_product("Lynx", is_published=False)
    make_variation(lynx, sku="LYN-09")

    def found(text: str) -> list[str]:
        response = admin_client.get(PRODUCTS, {"q": text})
        assert response.status_code == 200
        return sorted(product.name for product in response.context["cl"].result_list)

    assert found("") == ["Lynx", "Élan des neiges"]
    assert found("elan") == ["Élan des neiges"]
    assert found("ext-7") == ["Élan des neiges"]
    assert found("LYN-09") == ["Lynx"]
    assert found("zébu") == []
    assert found("%") == []


def test_the_list_shows_prices_and_promotion(admin_client):
    product = make_product(price="129.00", promotion_active=True, promotion_type="buy_2_get_1")
    make_image(product)
    html = admin_client.get(PRODUCTS).content.decode()
    assert "129,00\u00a0€" in html
    assert "2 achetés, 1 offert" in html
    assert f"/media/products/{product.pk}-1-360.webp" in html


@pytest.mark.both_engines
def test_a_long_list_costs_no_more(admin_client, django_assert_max_num_queries):
    for number in range(8):
        make_image(make_product(f"Pièce {number}"))
    # session, user, count, products, photos, and what the filters and the date bar ask
    with django_assert_max_num_queries(10):
        admin_client.get(PRODUCTS)


def test_a_new_product(admin_client):
    category = make_category("bust")
    sent = {
        **form_of(admin_client.get(f"{PRODUCTS}add/")),
        "category": category.pk,
        "name_fr": "Ours boulanger",
        "name_en": "Baker Bear",
        "price": "89.00",
        "variations-TOTAL_FORMS": 1,
        "variations-0-name_fr": "Petit",
        "variations-0-price_adjustment": "-9.00",
        "variations-0-is_default": "on",
        "variations-0-sort_order": 1,
        "images-TOTAL_FORMS": 1,
        "images-0-upload": upload(),
        "images-0-alt_fr": "Un ours",
        "images-0-position": 0,
    }
    response = admin_client.post(f"{PRODUCTS}add/", sent)
    assert response.status_code == 302, errors(response)
    product = Product.objects.get()
    assert (product.name_fr, product.slug_en, product.price_from) == (
        "Ours boulanger",
        "baker-bear",
        Decimal("80.00"),
    )
    assert " boulanger" in product.search_text
    photo = ProductImage.objects.get()
    assert (photo.alt_fr, photo.position, photo.width) == ("Un ours", 1, 60)
    assert default_storage.exists(photo.file.name)
    assert PricePoint.objects.filter(variation=product.variations.get()).get().amount == Decimal("80.00")


def test_changing_a_price_records_it(admin_client):
    product = make_product(price="40.00")
    assert change(admin_client, product_page(product), price="35.00").status_code == 302
    assert Product.objects.get().price_from == Decimal("35.00")
    assert list(PricePoint.objects.order_by("pk").values_list("amount", flat=True)) == [
        Decimal("40.00"),
        Decimal("35.00"),
    ]


def test_saving_without_a_change_changes_nothing(admin_client):
    product = make_product(price="40.00", name_en="Blade")
    small = make_variation(product, "Petite", is_default=True)
    make_image(product)
    before = Product.objects.values().get()
    assert change(admin_client, product_page(product)).status_code == 302
    after = Product.objects.values().get()
    before.pop("updated_at"), after.pop("updated_at")
    # The admin's clock fields know no microseconds.
    before["created_at"] = before["created_at"].replace(microsecond=0)
    assert {name: value or "" for name, value in after.items()} == {
        name: value or "" for name, value in before.items()
    }
    assert ProductVariation.objects.get() == small
    # of the product alone and of its variation
    assert PricePoint.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"price": "-1"}, "Le prix doit être supérieur à 0,00 €."),
        ({"price": "0,00"}, "Le prix doit être supérieur à 0,00 €."),
        ({"original_price": "0"}, "Le prix doit être supérieur à 0,00 €."),
        ({"variations-0-price_override": "0"}, "Le prix doit être supérieur à 0,00 €."),
        (
            {"price": "NaN"},
            "Saisissez un montant en chiffres, avec deux décimales au plus, par exemple 49,90.",
        ),
        ({"name_fr": ""}, "Ce champ est obligatoire."),
        ({"variations-0-price_adjustment": "-500"}, "Cet écart donnerait un prix nul ou négatif."),
        ({"variations-1-is_default": "on"}, "Une seule variation peut être celle par défaut."),
        (
            {"variants-2-sku": "LAM-09"},
            "Cette référence est déjà celle d'une autre déclinaison.",
        ),
        ({"variants-0-price": "12.00"}, "Sans format, le prix est celui du produit."),
        ({"variants-1-price": "-1"}, "Le prix doit être supérieur à 0,00 €."),
        ({"variants-1-price": "0,00"}, "Le prix doit être supérieur à 0,00 €."),
        ({"variants-1-stock_quantity": "-1"}, "Assurez-vous que cette valeur est supérieure ou égale à 0."),
        (
            {"variants-1-production_days_min": "5"},
            "Indiquez les deux délais, le plus court d'abord, ou aucun.",
        ),
        ({"version": "2020-01-01T00:00:00+00:00"}, "Ce produit a été modifié entre-temps."),
        ({"version": ""}, "Ce produit a été modifié entre-temps."),
        ({"version": "yesterday"}, "Ce produit a été modifié entre-temps."),
    ],
)
def test_refusals_are_shown_on_the_page_and_change_nothing(admin_client, changes, message):
    product = make_product(price="40.00")
    make_variation(product, "Petite", is_default=True, sku="LAM-09", sort_order=1)
    make_variation(product, "Grande", sort_order=2)
    found = errors(change(admin_client, product_page(product), featured="on", **changes))
    assert any(message in text for text in found), found
    assert Product.objects.get().featured is False
    assert list(ProductVariation.objects.values_list("price_adjustment", "is_default")) == [
        (Decimal("0.00"), True),
        (Decimal("0.00"), False),
    ]
    assert sorted(Variant.objects.values_list("sku", "price", "stock_quantity")) == [
        ("", None, None),
        ("", None, None),
        ("LAM-09", None, None),
    ]


def variants_form(page, variant: Variant) -> str:
    """The prefix of this variant's form on the page of its product."""
    groups = page.context["inline_admin_formsets"]
    [formset] = [group.formset for group in groups if group.formset.prefix == "variants"]
    return next(form.prefix for form in formset.initial_forms if form.instance == variant)


def test_a_variants_own_stock_price_and_size(admin_client):
    product = make_product(price="69.00", category=make_category("figurines", offers_formats=True))
    small = variant_of(product, make_variation(product, "Petite", is_default=True))
    form = variants_form(admin_client.get(product_page(product)), small)
    changes = {
        "stock_quantity": "0",
        "price": "49,90",
        "sku": "LAM-09",
        "height_cm": "9.5",
        "production_days_min": "3",
        "production_days_max": "5",
    }
    response = change(
        admin_client, product_page(product), **{f"{form}-{name}": value for name, value in changes.items()}
    )
    assert response.status_code == 302, errors(response)
    small.refresh_from_db()
    assert (small.stock_quantity, small.price, small.sku, small.height_cm) == (
        0,
        Decimal("49.90"),
        "LAM-09",
        Decimal("9.5"),
    )
    product.refresh_from_db()
    assert (product.price_from, product.is_available, product.is_ready) == (Decimal("49.90"), False, False)
    assert PricePoint.objects.filter(variation=small.variation).latest("starts_at", "pk").amount == Decimal(
        "49.90"
    )


def test_a_format_deleted_with_a_change_of_its_variant(admin_client):
    product = make_product(price="69.00")
    small = variant_of(product, make_variation(product, "Petite"))
    form = variants_form(admin_client.get(product_page(product)), small)
    response = change(
        admin_client, product_page(product), **{"variations-0-DELETE": "on", f"{form}-stock_quantity": "4"}
    )
    assert response.status_code == 302, errors(response)
    assert [row.variation for row in product.variants.all()] == [None]


def test_variants_are_neither_added_nor_deleted_by_hand(admin_client):
    product = make_product()
    only = variant_of(product)
    changes = {
        "variants-TOTAL_FORMS": "2",
        "variants-0-DELETE": "on",
        "variants-1-product": product.pk,
        "variants-1-sku": "NEW",
        "variants-1-in_stock": "on",
    }
    change(admin_client, product_page(product), **changes)
    assert list(product.variants.values_list("pk", "sku")) == [(only.pk, "")]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (upload("a.svg"), "Type de fichier non supporté"),
        (upload("a.png"), "Fichier invalide"),
        (None, "Choisissez un fichier."),
    ],
)
def test_a_refused_photo(admin_client, file, message):
    product = make_product()
    changes = {
        "images-TOTAL_FORMS": 1,
        "images-0-position": 3,
        "images-0-alt_fr": "Un ours",
        "images-0-product": product.pk,
        "images-0-upload": file,
    }
    assert message in errors(change(admin_client, product_page(product), **changes))
    assert not ProductImage.objects.exists()
    assert not default_storage.exists("products")


def test_another_default_variation(admin_client):
    product = make_product()
    make_variation(product, "Petite", is_default=True, sort_order=1)
    make_variation(product, "Grande", sort_order=2)
    response = change(
        admin_client,
        product_page(product),
        **{"variations-0-is_default": None, "variations-1-is_default": "on"},
    )
    assert response.status_code == 302, errors(response)
    assert dict(ProductVariation.objects.values_list("name_fr", "is_default")) == {
        "Petite": False,
        "Grande": True,
    }


def test_removing_a_photo_and_a_variation(admin_client, run_on_commit):
    product = make_product(price="69.00", category=make_category("figurines", offers_formats=True))
    make_variation(product, "Petite", price_override="49.00", sort_order=1)
    make_variation(product, "Grande", sort_order=2)
    make_image(product)
    with run_on_commit():
        response = change(
            admin_client, product_page(product), **{"variations-0-DELETE": "on", "images-0-DELETE": "on"}
        )
    assert response.status_code == 302, errors(response)
    assert not ProductImage.objects.exists()
    assert Product.objects.get().price_from == Decimal("69.00")


def test_only_variations_of_the_product_can_be_photographed(admin_client):
    product, other = make_product(), make_product("Autre")
    own, foreign = make_variation(product), make_variation(other)
    photo = make_image(product)
    assert (
        change(admin_client, product_page(product), **{"images-0-variation": foreign.pk}).status_code == 200
    )
    assert change(admin_client, product_page(product), **{"images-0-variation": own.pk}).status_code == 302
    photo.refresh_from_db()
    assert photo.variation == own


def test_deleting_products(admin_client):
    product, other = make_product(), make_product("Autre")
    assert admin_client.post(f"{PRODUCTS}{product.pk}/delete/", {"post": "yes"}).status_code == 302
    admin_client.post(PRODUCTS, {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"})
    assert not Product.objects.exists()
    assert PricePoint.objects.count() == 2


def test_publishing_several(admin_client):
    products = [make_product(f"Pièce {number}") for number in range(2)]
    chosen = {"_selected_action": [product.pk for product in products]}
    admin_client.post(PRODUCTS, {"action": "unpublish", **chosen})
    assert not Product.objects.filter(is_published=True).exists()
    admin_client.post(PRODUCTS, {"action": "publish", **chosen})
    assert not Product.objects.filter(is_published=False).exists()


def test_a_category(admin_client, run_on_commit):
    category = make_category("mangas", name_fr="Mangas")
    product = make_product("Ours", category=category)
    address = f"{CATEGORIES}{category.pk}/change/"
    with run_on_commit():
        response = change(admin_client, address, name_fr="Animés", new_picture=upload())
    assert response.status_code == 302, errors(response)
    assert Product.objects.get(pk=product.pk).search_text == " animes ours"
    assert CategoryPicture.objects.get().category == category
    assert "Fichier invalide" in errors(change(admin_client, address, new_picture=upload("a.png")))
    html = admin_client.get(CATEGORIES).content.decode()
    assert "Animés" in html


def test_a_category_with_products_is_not_deleted(admin_client):
    category = make_product().category
    admin_client.post(f"{CATEGORIES}{category.pk}/delete/", {"post": "yes"})
    assert Category.objects.get() == category


def test_prices_over_time_are_only_looked_at(admin_client):
    product = make_product("Élan", price="40.00")
    make_product("Lynx", price="50.00")
    point = PricePoint.objects.get(product_id=product.pk)
    assert len(admin_client.get(PRICES).context["cl"].result_list) == 2
    assert list(admin_client.get(PRICES, {"q": "elan"}).context["cl"].result_list) == [point]
    assert list(admin_client.get(PRICES, {"q": str(product.pk)}).context["cl"].result_list) == [point]
    assert list(admin_client.get(PRICES, {"q": "9" * 30}).context["cl"].result_list) == []
    assert admin_client.get(f"{PRICES}{point.pk}/change/").status_code == 200
    assert admin_client.get(f"{PRICES}add/").status_code == 403
    assert admin_client.post(f"{PRICES}{point.pk}/change/", {"amount": "1"}).status_code == 403
    assert admin_client.post(f"{PRICES}{point.pk}/delete/", {"post": "yes"}).status_code == 403
    assert PricePoint.objects.get(pk=point.pk).amount == Decimal("40.00")


def test_pages_of_the_admin_need_no_inline_style(admin_client):
    product = make_product()
    make_image(product)
    for address in (PRODUCTS, product_page(product), CATEGORIES, PRICES):
        assert " style=" not in admin_client.get(address).content.decode()
