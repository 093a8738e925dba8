"""The catalogue in Django's admin: saving goes through the services, refusals stand beside the field."""

from decimal import Decimal

import pytest

from catalog.models import (
    PricePoint,
    Product,
    ProductImage,
    ProductVariation,
    Variant,
)
from catalog.tests.factories import (
    make_image,
    make_product,
    make_variation,
    variant_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]
PRODUCTS = "/gestion/catalog/product/"
CATEGORIES = "/gestion/catalog/category/"
PRICES = "/gestion/catalog/pricepoint/"


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


def test_the_products_own_fields_are_only_looked_at_and_lead_to_the_staffs_page(admin_client):
    product = make_product(price="40.00")
    before = Product.objects.values().get()
    page = admin_client.get(product_page(product))
    assert not page.context["adminform"].form.fields
    assert f'href="/admin/produits/{product.pk}"' in page.content.decode()
    sent = {"price": "1.00", "name_fr": "Autre"}
    assert admin_client.post(product_page(product), sent).status_code == 403
    assert Product.objects.values().get() == before
    assert admin_client.get(f"{PRODUCTS}add/").status_code == 403
    assert admin_client.post(f"{PRODUCTS}{product.pk}/delete/", {"post": "yes"}).status_code == 403
    for action in ("delete_selected", "publish", "unpublish"):
        admin_client.post(PRODUCTS, {"action": action, "_selected_action": [product.pk], "post": "yes"})
    assert Product.objects.values().get() == before


def test_photos_formats_and_variants_are_only_looked_at(admin_client):
    product = make_product(price="40.00")
    small = make_variation(product, "Petite", is_default=True, sku="LAM-09")
    make_image(product)
    before = [
        list(model.objects.order_by("pk").values()) for model in (ProductImage, ProductVariation, Variant)
    ]
    page = admin_client.get(product_page(product))
    shown = {group.formset.prefix: group for group in page.context["inline_admin_formsets"]}
    assert {name for name, group in shown.items() if group.has_change_permission} == set()
    changes = {
        "images-TOTAL_FORMS": "1", "images-INITIAL_FORMS": "1", "images-0-id": product.images.get().pk,
        "images-0-product": product.pk, "images-0-DELETE": "on", "images-0-alt_fr": "Autre",
        "variations-TOTAL_FORMS": "2", "variations-INITIAL_FORMS": "1", "variations-0-id": small.pk,
        "variations-0-product": product.pk, "variations-0-name_fr": "Autre", "variations-1-name_fr": "Ajoutée",
        "variants-TOTAL_FORMS": "1", "variants-INITIAL_FORMS": "1", "variants-0-product": product.pk,
        "variants-0-id": variant_of(product, small).pk, "variants-0-stock_quantity": "9",
    }  # fmt: skip
    assert admin_client.post(product_page(product), changes).status_code == 403
    after = [
        list(model.objects.order_by("pk").values()) for model in (ProductImage, ProductVariation, Variant)
    ]
    assert after == before


def test_prices_over_time_are_only_looked_at(admin_client):
    product = make_product("Élan", price="40.00")
    make_product("Lynx", price="50.00")
    point = PricePoint.objects.get(product_id=product.pk)
    listed = admin_client.get(PRICES)
    assert len(listed.context["cl"].result_list) == 2
    for page in (listed, admin_client.get(f"{PRICES}{point.pk}/change/")):
        assert "Produit n°" in page.content.decode()
        assert "roduct id" not in page.content.decode()
    assert list(admin_client.get(PRICES, {"q": "elan"}).context["cl"].result_list) == [point]
    assert list(admin_client.get(PRICES, {"q": str(product.pk)}).context["cl"].result_list) == [point]
    assert list(admin_client.get(PRICES, {"q": "9" * 30}).context["cl"].result_list) == []
    assert admin_client.get(f"{PRICES}add/").status_code == 403
    assert admin_client.post(f"{PRICES}{point.pk}/change/", {"amount": "1"}).status_code == 403
    assert admin_client.post(f"{PRICES}{point.pk}/delete/", {"post": "yes"}).status_code == 403
    assert PricePoint.objects.get(pk=point.pk).amount == Decimal("40.00")


def test_pages_of_the_admin_need_no_inline_style(admin_client):
    product = make_product()
    make_image(product)
    for address in (PRODUCTS, product_page(product), CATEGORIES, PRICES):
        assert " style=" not in admin_client.get(address).content.decode()
