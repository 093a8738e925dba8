"""The data blocks of every public page: complete by schema.org's and Google's rules, and equal to what is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone, translation

from catalog.tests.factories import change_product, change_variant
from orders.models import DeliveryStop
from shop.core.dates import day_range_in_words
from shop.core.money import format_amount
from shop.pages.tests.reading import Document
from shop.pages.tests.whole_shop import NAMES, WholeShop

pytestmark = pytest.mark.django_db

LANGUAGES = ("fr", "en", "es", "de")
SITE = "http://localhost:8000"

# By type: what schema.org or Google require, then what Google recommends. Left out on purpose: gtin and mpn (pieces
# made by hand have none), priceValidUntil (no price here has an end that is known), audience.
RULES: dict[str, tuple[set[str], set[str]]] = {
    "OnlineStore": (
        {"name", "url"},
        {"logo", "sameAs", "legalName", "email", "telephone", "address", "hasMerchantReturnPolicy"},
    ),
    "Organization": ({"name"}, {"@id"}),
    "PostalAddress": ({"streetAddress", "addressLocality"}, {"postalCode", "addressCountry"}),
    "WebSite": ({"name", "url"}, {"potentialAction", "inLanguage", "publisher"}),
    "SearchAction": ({"target", "query-input"}, set()),
    "EntryPoint": ({"urlTemplate"}, set()),
    "BreadcrumbList": ({"itemListElement"}, set()),
    "ItemList": ({"itemListElement"}, {"name", "numberOfItems"}),
    "ListItem": ({"position", "name"}, set()),
    "Product": (
        {"name", "image", "offers"},
        {"description", "sku", "brand", "url", "category"},
    ),
    "Brand": ({"name"}, set()),
    "Offer": (
        {"price", "priceCurrency"},
        {"availability", "itemCondition", "url", "seller", "shippingDetails", "hasMerchantReturnPolicy"},
    ),
    "UnitPriceSpecification": ({"price", "priceCurrency", "priceType"}, set()),
    "OfferShippingDetails": ({"shippingRate", "shippingDestination"}, {"deliveryTime"}),
    "MonetaryAmount": ({"value", "currency"}, set()),
    "DefinedRegion": ({"addressCountry"}, set()),
    "ShippingDeliveryTime": (set(), {"handlingTime", "transitTime"}),
    "QuantitativeValue": ({"unitCode"}, set()),
    "MerchantReturnPolicy": (
        {"applicableCountry", "returnPolicyCategory", "merchantReturnDays", "returnPolicyCountry"},
        {"returnMethod", "returnFees", "refundType", "merchantReturnLink", "itemDefectReturnFees"},
    ),
    "AggregateRating": ({"ratingValue", "reviewCount"}, {"bestRating", "worstRating"}),
    "Review": ({"author", "reviewRating"}, {"datePublished", "reviewBody", "name"}),
    "Rating": ({"ratingValue"}, {"bestRating", "worstRating"}),
    "Person": ({"name"}, set()),
    "FAQPage": ({"mainEntity"}, set()),
    "Question": ({"name", "acceptedAnswer"}, set()),
    "Answer": ({"text"}, set()),
}
EXPECTED = {
    "home": ["OnlineStore", "WebSite", "ItemList"],
    "list": ["BreadcrumbList", "ItemList"],
    "list of a category": ["BreadcrumbList", "ItemList"],
    "second page": ["BreadcrumbList", "ItemList"],
    "second page of a category": ["BreadcrumbList", "ItemList"],
    "collection": ["BreadcrumbList", "ItemList"],
    "product": ["BreadcrumbList", "Product"],
    "product with formats": ["BreadcrumbList", "Product"],
    "sold out product": ["BreadcrumbList", "Product"],
    "faq": ["BreadcrumbList", "FAQPage"],
}


def read(client: Client, path: str) -> Document:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return Document(answer.content.decode())


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a block that has a type, from the outside in."""
    if isinstance(value, list):
        for entry in value:
            yield from nodes(entry)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for entry in value.values():
            yield from nodes(entry)


def block(page: Document, kind: str) -> dict[str, Any]:
    [found] = [data for data in page.data if data["@type"] == kind]
    return found


def shown_amount(amount: str, language: str) -> str:
    """As the page's text is read here: every space is one plain space."""
    return " ".join(format_amount(Decimal(amount), language).split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_block_of_every_page_is_complete(client: Client, whole_shop: WholeShop, language: str) -> None:
    for kind, path in whole_shop.pages(language).items():
        page = read(client, path)
        assert [data["@type"] for data in page.data] == EXPECTED.get(kind, ["BreadcrumbList"]), kind
        for data in page.data:
            assert data["@context"] == "https://schema.org"
            for node in nodes(data):
                required, recommended = RULES[node["@type"]]
                # A picture that does not exist can't be named.
                known = {"image"} if kind == "sold out product" and node["@type"] == "Product" else set()
                missing = {name for name in required | recommended if node.get(name) in (None, "", [])}
                assert missing <= known, (path, node["@type"])
        for text in re.findall(r'"(?:url|item|image|logo|@id)": "([^"]*)"', str(page.data).replace("'", '"')):
            assert text.startswith(("http://", "https://")), (path, text)


def test_pages_of_one_visitor_have_no_data(client: Client, whole_shop: WholeShop) -> None:
    for path in (whole_shop.buying_pages("fr") | whole_shop.closed_pages("fr")).values():
        kinds = {data["@type"] for data in read(client, path).data}
        assert kinds <= {"BreadcrumbList", "ItemList"}, path


@pytest.mark.parametrize("language", LANGUAGES)
def test_breadcrumbs_are_those_that_are_shown(client: Client, whole_shop: WholeShop, language: str) -> None:
    for kind, path in whole_shop.pages(language).items():
        if kind == "home":
            continue
        page = read(client, path)
        items = block(page, "BreadcrumbList")["itemListElement"]
        trail = page.first("nav", "breadcrumb")
        assert [item["position"] for item in items] == list(range(1, len(items) + 1))
        assert trail.text == " ".join(item["name"] for item in items)
        links = [f"{SITE}{element.attributes['href']}" for element in page.all("a")]
        assert all(item["item"] in links for item in items[:-1]), path
        assert "item" not in items[-1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["home", "list", "second page", "collection"])
def test_lists_name_the_first_pieces_shown(
    client: Client, whole_shop: WholeShop, language: str, kind: str
) -> None:
    page = read(client, whole_shop.pages(language)[kind])
    items = block(page, "ItemList")["itemListElement"]
    names = [name.text for name in page.all("*", "card__name")]
    assert 1 <= len(items) <= 8
    assert [item["name"] for item in items] == names[: len(items)]
    hrefs = {f"{SITE}{link.attributes['href']}" for link in page.all("a")}
    assert {item["url"] for item in items} <= hrefs


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_product_says_what_its_page_shows(client: Client, whole_shop: WholeShop, language: str) -> None:
    page = read(client, whole_shop.pages(language)["product"])
    data = block(page, "Product")
    assert data["name"] == page.first("h1").text == NAMES[language]
    assert data["category"] in page.first("p", "category-label").text
    assert data["description"].splitlines()[0] == page.first("p", "lead").text
    photos = [link.attributes["href"] for link in page.all("a", "gallery__photo")]
    # The page shows the photos of the choice made at first; the product has those of every choice.
    assert data["image"][: len(photos)] == [f"{SITE}{photo}" for photo in photos]
    assert [offer["image"] for offer in data["offers"]] == [data["image"][0], data["image"][1]]
    assert data["material"] in page.text
    assert data["url"] == page.links("canonical")[0].attributes["href"]
    painted, unpainted = data["offers"]
    # The choice made at first, with its struck price, then the other one.
    assert shown_amount(painted["price"], language) in page.first("p", "buy__price").text
    struck = painted["priceSpecification"]["price"]
    assert page.first("s", "price-was").text.endswith(shown_amount(struck, language))
    assert (painted["price"], struck, unpainted["price"]) == ("129.00", "149.00", "42.00")
    details = [detail.text for detail in page.all("span", "radio-card__detail")]
    assert details == [shown_amount(offer["price"], language) for offer in data["offers"]]
    assert "priceSpecification" not in unpainted
    assert [offer["url"].rpartition("?")[2] for offer in data["offers"]] == [
        "finition=painted",
        "finition=unpainted",
    ]
    assert {offer["availability"] for offer in data["offers"]} == {"https://schema.org/MadeToOrder"}


def shipping_to(country: str, offer: dict[str, Any]) -> dict[str, Any]:
    region = {"@type": "DefinedRegion", "addressCountry": country}
    (found,) = [way for way in offer["shippingDetails"] if region in way["shippingDestination"]]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_delivery_is_what_page_and_terms_say(client: Client, whole_shop: WholeShop, language: str) -> None:
    page = read(client, whole_shop.pages(language)["product"])
    terms = read(client, whole_shop.pages(language)["terms"]).text
    painted, unpainted = block(page, "Product")["offers"]
    at_home = [shipping_to("FR", offer) for offer in (painted, unpainted)]
    # 129.00 is delivered free of charge, 42.00 is not: the page says from where.
    assert [shipping["shippingRate"]["value"] for shipping in at_home] == ["0.00", "9.99"]
    limit = shown_amount("50.00", language).replace(",00", "").replace(".00", "")
    assert limit in page.first("p", "shipping-line").text
    near = [way for way in unpainted["shippingDetails"] if way["shippingRate"]["value"] == "9.99"]
    # Some of the fourteen countries have a holiday more: the carrier takes longer there.
    assert len([region for way in near for region in way["shippingDestination"]]) == 14
    assert "13" in page.first("p", "shipping-line").text
    away = shipping_to("US", painted)
    assert shown_amount(away["shippingRate"]["value"], language) in terms
    assert shown_amount("9.99", language) in terms
    time = at_home[0]["deliveryTime"]
    today = timezone.localdate()
    with translation.override(language):
        first, last = (
            today + timedelta(days=time["handlingTime"][bound] + time["transitTime"][bound])
            for bound in ("minValue", "maxValue")
        )
        assert " ".join(day_range_in_words(first, last).split()) in page.text
    returns = painted["hasMerchantReturnPolicy"]
    assert returns["merchantReturnDays"] == 14
    assert re.search(r"\b14\b", page.first("p", "shipping-line").text)
    assert returns["merchantReturnLink"] == f"{SITE}{whole_shop.pages(language)['terms']}"


def test_each_offer_is_handled_in_its_own_time(client: Client, whole_shop: WholeShop) -> None:
    """The small format is in stock and leaves at once; the large one takes a hundred days to make."""
    large = whole_shop.golem.variations.get(is_default=False)
    change_variant(
        whole_shop.golem.variants.get(variation=large), production_days_min=100, production_days_max=120
    )
    change_product(whole_shop.golem, stock_quantity=None)
    change_variant(whole_shop.golem.variants.get(variation__is_default=True), stock_quantity=3)
    offers = block(read(client, whole_shop.pages("fr")["product with formats"]), "Product")["offers"]
    handled = [shipping_to("FR", offer)["deliveryTime"]["handlingTime"]["minValue"] for offer in offers]
    assert [offer["price"] for offer in offers] == ["20.00", "74.50"]
    assert handled[0] < 10
    assert handled[1] >= 100


def test_nothing_is_promised_to_countries_without_delivery(client: Client, whole_shop: WholeShop) -> None:
    DeliveryStop.objects.create(country="US", reason="Douane")
    for kind, data_type in (("product", "Product"), ("home", "OnlineStore")):
        page = read(client, whole_shop.pages("fr")[kind])
        written = str(block(page, data_type))
        assert "'CA'" in written
        assert "'US'" not in written


def test_formats_are_offers_too(client: Client, whole_shop: WholeShop) -> None:
    page = read(client, whole_shop.pages("fr")["product with formats"])
    offers = block(page, "Product")["offers"]
    formats = [field.attributes["value"] for field in page.all("input", name="format")]
    assert [offer["url"].rpartition("?")[2] for offer in offers] == [f"format={pk}" for pk in formats]
    assert [offer["price"] for offer in offers] == ["20.00", "74.50"]
    assert {offer["availability"] for offer in offers} == {"https://schema.org/InStock"}


def test_a_sold_out_piece_says_so_in_both(client: Client, whole_shop: WholeShop) -> None:
    page = read(client, whole_shop.pages("fr")["sold out product"])
    [offer] = block(page, "Product")["offers"]
    assert offer["availability"] == "https://schema.org/OutOfStock"
    assert "Rupture de stock" in page.text


def test_only_real_reviews_are_rated(client: Client, whole_shop: WholeShop) -> None:
    page = read(client, whole_shop.pages("fr")["product"])
    data = block(page, "Product")
    rating = data["aggregateRating"]
    assert (rating["ratingValue"], rating["reviewCount"]) == ("4.50", 2)
    assert page.first("p", "reviews__average").text.startswith("4,5 sur 5, 2 avis publiés")
    assert [review["name"] for review in data["review"]] == [
        title.text for title in page.all("h3", "review__title")
    ]
    for review in data["review"]:
        assert review["reviewBody"] in page.text
        assert review["author"]["name"] in page.text
        stars = f"Note : {review['reviewRating']['ratingValue']} sur 5"
        labels = [element.attributes["aria-label"] for element in page.all("span", "stars")]
        assert stars in [" ".join(label.split()) for label in labels]
    # A review of the demonstration is shown, and counts for nothing.
    other = read(client, whole_shop.pages("fr")["product with formats"])
    assert "Un avis de démonstration." in other.text
    assert {"aggregateRating", "review"} & set(block(other, "Product")) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_and_answers_are_those_of_the_page(
    client: Client, whole_shop: WholeShop, language: str
) -> None:
    page = read(client, whole_shop.pages(language)["faq"])
    entries = block(page, "FAQPage")["mainEntity"]
    asked = [" ".join(entry["name"].split()) for entry in entries]
    assert asked == [summary.text for summary in page.all("summary")]
    answers = [element.text for element in page.all("div", "prose")]
    for entry in entries:
        # Tables and lists are read cell by cell: the words are compared, not the gaps between them.
        words = re.sub(r"[\s·.]", "", entry["acceptedAnswer"]["text"])
        assert words in [re.sub(r"[\s·.]", "", answer) for answer in answers], entry["name"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shop_is_the_one_of_its_settings(client: Client, whole_shop: WholeShop, language: str) -> None:
    page = read(client, whole_shop.pages(language)["home"])
    shop = block(page, "OnlineStore")
    hrefs = [link.attributes.get("href") for link in page.all("a")]
    assert shop["sameAs"] == ["https://instagram.example.com/etabli", "https://facebook.example.com/etabli"]
    assert set(shop["sameAs"]) <= set(hrefs)
    assert f"mailto:{shop['email']}" in hrefs
    notice = read(client, whole_shop.pages(language)["legal notice"]).text
    for value in (shop["legalName"], shop["telephone"], *list(shop["address"].values())[1:-1]):
        assert value in notice
    returns = shop["hasMerchantReturnPolicy"]
    assert len(returns["applicableCountry"]) == 50
    site = block(page, "WebSite")
    assert (site["name"], site["inLanguage"]) == (shop["name"], language)
    address = site["potentialAction"]["target"]["urlTemplate"].replace("{search_term_string}", "Golem")
    found = read(client, address.removeprefix(SITE))
    assert found.first("html").attributes["lang"] == language
    assert found.first("input", id="recherche").attributes["value"] == "Golem"
    assert dict(settings.LANGUAGES).keys() == set(LANGUAGES)
