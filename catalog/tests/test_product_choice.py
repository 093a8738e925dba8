"""The product page with a choice made by its address: drawn by the server, with and without JavaScript."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.core.cache import cache

from catalog.models import Product, ProductVariation, Variant
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_category,
    make_image,
    make_product,
    make_variation,
    variant_of,
)
from catalog.tests.pages import page

pytestmark = pytest.mark.django_db
NBSP = "\u00a0"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
# The closure, the delivery line (zones with their rates), the menu and the season's entry.
HEADER_QUERIES = 4


class Shop:
    """A piece of two formats and two finishes: the large one painted is dear, slow and tall; the small one raw is sold
    out."""

    def __init__(self) -> None:
        category = make_category("mangas", offers_finishes=True, offers_formats=True)
        with time_machine.travel(NOW - timedelta(days=60), tick=False):
            self.product = make_product(
                "Lame",
                "149.00",
                category=category,
                painted_price="149.00",
                unpainted_price="62.00",
                dimensions="9 × 4 cm",
                height_cm=Decimal("9.0"),
                weight="120 g",
                production_days_min=3,
                production_days_max=5,
            )
            self.small = make_variation(self.product, "9 cm", is_default=True, sort_order=1)
            self.large = make_variation(self.product, "18 cm", price_adjustment="40.00", sort_order=2)
        with time_machine.travel(NOW, tick=False):
            change_product(self.product, painted_price=Decimal("129.00"), original_price=Decimal("149.00"))
            change_variant(
                self.variant(self.large, "painted"),
                sku="LAM-18-P",
                stock_quantity=2,
                dimensions="18 × 8 cm",
                height_cm=Decimal("18.0"),
                weight="480 g",
                production_days_min=21,
                production_days_max=28,
            )
            change_variant(self.variant(self.small, "unpainted"), stock_quantity=0)
        for position, fields in enumerate(
            ({"finish": "painted"}, {"finish": "painted", "variation": self.large}, {}), start=1
        ):
            make_image(
                self.product,
                position,
                alt_fr=f"Photo {position}",
                derivatives={"widths": [360], "subject": [0.1, 0.9]},
                **fields,
            )
        self.url = f"/produit/{self.product.pk}-lame"

    def variant(self, row: ProductVariation | None, finish: str) -> Variant:
        return variant_of(self.product, row, finish)

    def query(self, finish: str, row: ProductVariation) -> str:
        return f"{self.url}?finition={finish}&format={row.pk}"


@pytest.fixture(scope="module", autouse=True)
def shop(module_rows) -> Shop:
    return Shop()


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def price_of(html: str) -> str:
    [found] = re.findall(r'<p class="buy__price">(.*?)</p>', html, re.DOTALL)
    return words(found).replace(NBSP, " ")


def photos(html: str) -> list[str]:
    [strip] = re.findall(r'<ul class="gallery__strip".*?</ul>', html, re.DOTALL)
    return re.findall(r'<img[^>]* alt="(Photo \d)"', strip)


def specs(html: str) -> dict[str, str]:
    [found] = re.findall(r'<section class="product__specs".*?</section>', html, re.DOTALL)
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", found))


def chosen(html: str) -> list[str]:
    inputs = re.findall(r'<input class="radio-card__input"[^>]*>', html)
    return [re.search(r'value="(.*?)"', row).group(1) for row in inputs if " checked" in row]


@pytest.mark.both_engines
def test_without_a_choice_the_page_shows_the_first_one(client, shop):
    html = page(client, shop.url)
    assert price_of(html) == "129,00 € Ancien prix : 149,00 € PROMO"
    assert chosen(html) == ["painted", str(shop.small.pk)]
    assert photos(html) == ["Photo 1", "Photo 3"]
    assert specs(html) == {
        "Dimensions": "9 × 4 cm",
        "Poids": "120 g",
        "Délai de fabrication": "3 à 5 jours",
    }
    assert '<p class="button-reason">' not in html
    assert 'class="gallery__note"' not in html
    assert 'data-replay="add"' in html


@pytest.mark.both_engines
def test_a_choice_shows_what_is_its_own(client, shop):
    html = page(client, shop.query("painted", shop.large))
    assert price_of(html) == "169,00 € Ancien prix : 189,00 € PROMO Plus que 2 en stock"
    assert chosen(html) == ["painted", str(shop.large.pk)]
    # Its very own photo first, one of the other format not at all.
    assert photos(html)[0] == "Photo 2"
    assert specs(html) == {
        "Référence": "LAM-18-P",
        "Dimensions": "18 × 8 cm",
        "Poids": "480 g",
        "Délai de fabrication": "3 à 4 semaines",
    }
    assert "<strong>En stock</strong>, prête à partir" in html
    assert "18" in re.findall(r'<svg class="size-ruler".*?</svg>', html, re.DOTALL)[0]
    assert "9" in re.findall(r'<svg class="size-ruler".*?</svg>', page(client, shop.url), re.DOTALL)[0]


def test_half_a_choice_is_filled_in_with_the_first_one(client, shop):
    assert chosen(page(client, f"{shop.url}?finition=unpainted")) == ["unpainted", str(shop.small.pk)]
    assert chosen(page(client, f"{shop.url}?format={shop.large.pk}")) == ["painted", str(shop.large.pk)]


def test_a_choice_without_photos_of_its_own_says_so_and_shows_the_others(client, shop):
    shop.product.images.filter(finish="").delete()
    html = page(client, shop.query("unpainted", shop.large))
    assert (
        f"Pas encore de photo en version «{NBSP}18 cm · Non peint{NBSP}»{NBSP}: les photos montrent une autre"
        " version." in html
    )
    assert photos(html) == ["Photo 1", "Photo 2"]
    shop.product.images.all().delete()
    cache.clear()
    bare = page(client, shop.query("unpainted", shop.large))
    assert "Pas encore de photo" not in bare
    assert '<span class="picture-empty">' in bare


def test_where_there_is_no_choice_no_photo_of_it_is_missed(client, shop):
    """A finish of the photo alone: its price was cleared, or its collection offers none any more."""
    plain = make_product("Golem", category=shop.product.category)
    make_image(plain, finish="painted", alt_fr="Photo 1")
    html = page(client, f"/produit/{plain.pk}-golem")
    assert "Pas encore de photo" not in html
    assert 'alt="Photo 1"' in html


@pytest.mark.both_engines
def test_a_choice_that_is_sold_out_says_so_and_offers_its_own_notice(client, shop):
    raw = shop.variant(shop.small, "unpainted")
    html = page(client, shop.query("unpainted", shop.small))
    assert '<p class="button-reason">Rupture de stock</p>' in html
    assert 'data-replay="add"' not in html
    assert f'<input type="hidden" name="product_id" value="{shop.product.pk}">' in html
    assert f'<input type="hidden" name="variant_id" value="{raw.pk}">' in html
    assert price_of(html) == "62,00 €"


@pytest.mark.both_engines
def test_every_choice_that_is_sold_out_is_linked_from_the_others(client, shop):
    html = page(client, shop.url)
    assert 'name="variant_id"' not in html
    links = re.findall(r'<a href="([^"]*)#notice-email">(.*?)</a>', html)
    assert [(url.replace("&amp;", "&"), label) for url, label in links] == [
        (shop.query("unpainted", shop.small), "9 cm · Non peint")
    ]
    assert 'id="notice-email"' in page(client, links[0][0].replace("&amp;", "&"))


def test_a_product_of_which_nothing_is_left_has_one_form_and_no_links(client, shop):
    change_product(shop.product, in_stock=False)
    cache.clear()
    html = page(client, shop.url)
    assert f'<input type="hidden" name="variant_id" value="{shop.variant(shop.small, "painted").pk}">' in html
    assert "En rupture, me prévenir" not in html
    assert html.count('id="notice-email"') == 1


@pytest.mark.parametrize(
    "query",
    [
        "finition=golden",
        "format=999999",
        "format=abc",
        "format=0",
        "format=" + "9" * 40,
        "finition=painted&format=999999",
        "finition=%00",
        "format=%D9%A3",
    ],
)
def test_a_choice_that_the_product_does_not_have_leads_to_its_page(client, shop, query):
    response = client.get(f"{shop.url}?{query}")
    assert (response.status_code, response["Location"]) == (302, shop.url)
    of_a_letter = client.get(f"{shop.url}?utm_source=lettre&{query}&utm_campaign=noel")
    assert of_a_letter["Location"] == f"{shop.url}?utm_source=lettre&utm_campaign=noel"


def test_a_format_of_another_product_and_a_finish_that_is_not_on_sale_lead_to_the_page(client, shop):
    foreign = make_variation(make_product("Golem"))
    assert client.get(f"{shop.url}?format={foreign.pk}")["Location"] == shop.url
    change_product(shop.product, unpainted_price=None)
    cache.clear()
    assert client.get(shop.query("unpainted", shop.large))["Location"] == shop.url


def test_another_name_leads_to_the_address_with_the_same_choice(client, shop):
    response = client.get(f"/produit/{shop.product.pk}-ancien?finition=painted&format={shop.large.pk}")
    assert (response.status_code, response["Location"]) == (301, shop.query("painted", shop.large))


@pytest.mark.both_engines
def test_each_choice_is_cached_as_a_page_of_its_own(client, shop, settings, django_assert_num_queries):
    settings.PAGE_CACHE_SECONDS = 60
    addresses = [
        shop.url,
        *(shop.query(finish, row) for finish in ("painted", "unpainted") for row in (shop.small, shop.large)),
    ]
    first = [page(client, address) for address in addresses]
    with django_assert_num_queries(0):
        again = [page(client, address) for address in addresses]
        part = client.get(addresses[2]).content
    assert again == first
    assert part.decode() == first[2]
    assert [price_of(html)[:8].strip() for html in first] == [
        "129,00 €",
        "129,00 €",
        "169,00 €",
        "62,00 €",
        "102,00 €",
    ]


@pytest.mark.both_engines
def test_the_fragment_is_the_parts_that_depend_on_the_choice(client, shop):
    address = shop.query("painted", shop.large)
    response = client.get(address, headers={"X-Fragment": "choice"})
    html = response.content.decode()
    assert response.status_code == 200
    assert "X-Fragment" in response["Vary"]
    assert re.findall(r'data-part="(\w+)"', html) == ["gallery", "details", "specs"]
    assert "<html" not in html
    assert "<h1" not in html
    assert photos(html)[0] == "Photo 2"
    assert specs(html)["Référence"] == "LAM-18-P"
    whole = client.get(address)
    assert whole.content.decode().count("<dt>Référence</dt>") == 1
    assert "X-Fragment" in whole["Vary"]
    assert "<html" in whole.content.decode()
    again = client.get(address, headers={"X-Fragment": "choice"})
    assert again.content == response.content
    assert client.get(f"{shop.url}?finition=golden", headers={"X-Fragment": "choice"}).status_code == 302


def product_data(html: str) -> dict:
    blocks = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    return next(block for text in blocks if (block := json.loads(text))["@type"] == "Product")


@pytest.mark.both_engines
def test_search_engines_get_one_offer_a_variant_whatever_choice_is_made(client, shop):
    offers = product_data(page(client, shop.url))["offers"]
    site = "http://localhost:8000"
    photo = f"{site}/media/products/{shop.product.pk}-%s.jpg"
    found = [
        (
            offer["url"],
            offer["price"],
            offer.get("sku"),
            offer["image"],
            offer["availability"].rpartition("/")[2],
        )
        for offer in offers
    ]
    assert found == [
        (f"{site}{shop.query('painted', shop.small)}", "129.00", None, photo % 1, "MadeToOrder"),
        (f"{site}{shop.query('unpainted', shop.small)}", "62.00", None, photo % 3, "OutOfStock"),
        (f"{site}{shop.query('painted', shop.large)}", "169.00", "LAM-18-P", photo % 2, "InStock"),
        (f"{site}{shop.query('unpainted', shop.large)}", "102.00", None, photo % 3, "MadeToOrder"),
    ]
    other = product_data(page(client, shop.query("unpainted", shop.large)))
    assert [offer["url"] for offer in other["offers"]] == [row[0] for row in found]


def test_the_address_of_every_choice_for_search_engines_is_the_bare_one(client, shop):
    for address in (shop.url, shop.query("unpainted", shop.large)):
        html = page(client, address)
        assert f'<link rel="canonical" href="http://localhost:8000{shop.url}">' in html
        assert f'<meta property="og:url" content="http://localhost:8000{shop.url}">' in html


def test_a_choice_is_made_without_javascript(client, shop):
    html = page(client, shop.url)
    [form] = re.findall(r'<form class="buy stack".*?</form>', html, re.DOTALL)
    assert f'method="get" action="{shop.url}"' in form
    names = re.findall(r'<input class="radio-card__input" type="radio" name="(\w+)" value="(\w+)"', form)
    assert names == [
        ("finition", "painted"),
        ("finition", "unpainted"),
        ("format", str(shop.small.pk)),
        ("format", str(shop.large.pk)),
    ]
    [fallback] = re.findall(r"<noscript[^>]*>(.*?)</noscript>", form, re.DOTALL)
    assert '<button class="button" type="submit">Afficher ce choix</button>' in fallback
    # What a browser then asks for.
    response = client.get(shop.url, {"finition": "unpainted", "format": shop.large.pk})
    assert chosen(response.content.decode()) == ["unpainted", str(shop.large.pk)]


def test_a_product_without_a_choice_has_no_button_for_one(client):
    product = make_product("Golem")
    html = page(client, f"/produit/{product.pk}-golem")
    assert "Afficher ce choix" not in html
    assert product_data(html)["offers"][0]["url"] == f"http://localhost:8000/produit/{product.pk}-golem"


def test_names_of_choices_are_in_the_visitors_language(client, shop):
    shop.product.images.filter(finish="").delete()
    ProductVariation.objects.filter(pk=shop.large.pk).update(name_de="18 cm hoch")
    html = page(client, f"/de/produkt/{shop.product.pk}-lame?finition=unpainted&format={shop.large.pk}")
    assert "18 cm hoch · Unbemalt" in html


@pytest.mark.both_engines
def test_more_variants_cost_no_more_queries(client, shop, django_assert_max_num_queries):
    def count() -> int:
        cache.clear()
        # product, variants with formats, photos, promotions, prices over time, similar products (picked ones, others of
        # the category: none, so no photos of them), reviews, the shop's settings, countries where delivery stops: 10;
        # zones with weight steps, territories and closures for dates, and again for installments as fragments are not
        # cached here: 6
        with django_assert_max_num_queries(16 + HEADER_QUERIES) as queries:
            page(client, shop.query("painted", shop.large))
        return len(queries)

    page(client, shop.url)  # what is kept longer than the pages is read
    before = count()
    for number in range(5):
        make_variation(shop.product, f"{number + 20} cm", sort_order=number + 3)
    assert Product.objects.get(pk=shop.product.pk).variants.count() == 14
    assert count() == before


@pytest.mark.both_engines
def test_with_its_default_sold_out_the_page_opens_on_the_first_that_can_be_bought(client, shop):
    change_variant(shop.variant(shop.small, "painted"), stock_quantity=0)
    html = page(client, shop.url)
    assert chosen(html) == ["painted", str(shop.large.pk)]
    assert price_of(html) == "169,00 € Ancien prix : 189,00 € PROMO Plus que 2 en stock"
    assert f'<link rel="canonical" href="http://localhost:8000{shop.url}">' in html
    [data] = re.findall(r'<script type="application/ld\+json">(\{[^<]*"@type": ?"Product".*?)</script>', html)
    first, *_ = json.loads(data)["offers"]
    # What is told of the product is still told of its default.
    assert (first["price"], first["availability"]) == ("129.00", "https://schema.org/OutOfStock")
    assert chosen(page(client, shop.query("painted", shop.small))) == ["painted", str(shop.small.pk)]


@pytest.mark.both_engines
def test_with_everything_sold_out_the_page_opens_on_the_default(client, shop):
    change_product(shop.product, in_stock=False)
    assert chosen(page(client, shop.url)) == ["painted", str(shop.small.pk)]
