"""What search engines read of a page (schema.org, JSON-LD). Every figure is the one that the page shows.

Functions take plain values and give dictionaries; `{% json_ld data %}` writes them into the page. Addresses may be
paths: they are completed with `SITE_URL`. Ratings are of verified buyers' reviews alone (L111-7-2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings

from shop.core.law import HOME_COUNTRY, WITHDRAWAL_DAYS
from shop.core.money import CURRENCY, amount_string
from shop.core.site import absolute_url

Data = dict[str, Any]

_LISTED_PRODUCTS = 8
_LISTED_POSTS = 5
_SCHEMA = "https://schema.org"


_POSTCODE = re.compile(r"(\d{5})\s+(\S.*)\Z")


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to buy a product: its price, the former one that the page strikes (or None), the page's address with
    that choice made, its reference and a picture of it ("" where there is none), and the last day of the price."""

    url: str
    price: Decimal
    available: bool
    made_to_order: bool
    original_price: Decimal | None = None
    sku: str = ""
    image: str = ""
    valid_until: date | None = None


@dataclass(frozen=True, slots=True)
class DeliveryZone:
    """Countries (two letters) that a piece is sent to at one rate, in so many calendar days from dispatch."""

    countries: Sequence[str]
    rate: Decimal
    free_from: Decimal | None
    days_min: int
    days_max: int


@dataclass(frozen=True, slots=True)
class OfferDelivery:
    """How an offer is delivered. `handling_days` are calendar days from the order to the dispatch."""

    zones: Sequence[DeliveryZone]
    handling_days: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Review:
    """A published review of a product."""

    author: str
    rating: int
    title: str
    text: str
    published_on: date


def organization(
    *,
    name: str,
    logo: str,
    legal_name: str = "",
    email: str = "",
    phone: str = "",
    address_lines: Sequence[str] = (),
    elsewhere: Iterable[str] = (),
    countries: Sequence[str] = (),
    terms_path: str = "",
) -> Data:
    """Return the shop as a seller. `elsewhere` are its pages on other sites, `countries` those it delivers to: the
    return policy holds there for everything it sells.
    """
    data: Data = {
        "@context": _SCHEMA,
        "@type": "OnlineStore",
        "@id": f"{settings.SITE_URL}/#shop",
        "name": name,
        "url": absolute_url("/"),
        "logo": absolute_url(logo),
    }
    if countries:
        data["hasMerchantReturnPolicy"] = return_policy(countries=countries, terms_path=terms_path)
    if legal_name:
        data["legalName"] = legal_name
    if email:
        data["email"] = email
    if phone:
        data["telephone"] = phone
    if address_lines:
        data["address"] = _postal_address(address_lines)
    if links := [link for link in elsewhere if link]:
        data["sameAs"] = links
    return data


def return_policy(*, countries: Sequence[str], terms_path: str) -> Data:
    """Fourteen days from reception, sent back at the customer's expense, all sums paid back (L221-18, L221-23,
    L221-24); a faulty piece costs its buyer nothing (L217-11)."""
    data: Data = {
        "@type": "MerchantReturnPolicy",
        "applicableCountry": list(countries),
        "returnPolicyCountry": HOME_COUNTRY,
        "returnPolicyCategory": f"{_SCHEMA}/MerchantReturnFiniteReturnWindow",
        "merchantReturnDays": WITHDRAWAL_DAYS,
        "returnMethod": f"{_SCHEMA}/ReturnByMail",
        "returnFees": f"{_SCHEMA}/ReturnFeesCustomerResponsibility",
        "itemDefectReturnFees": f"{_SCHEMA}/FreeReturn",
        "refundType": f"{_SCHEMA}/FullRefund",
    }
    if terms_path:
        data["merchantReturnLink"] = absolute_url(terms_path)
    return data


def website(*, name: str, language: str, search_path: str) -> Data:
    """Return the site and its search; `search_path` is the catalogue's address in the page's language."""
    return {
        "@context": _SCHEMA,
        "@type": "WebSite",
        "name": name,
        "url": absolute_url("/"),
        "inLanguage": language,
        "publisher": {"@id": f"{settings.SITE_URL}/#shop"},
        "potentialAction": {
            "@type": "SearchAction",
            "target": {
                "@type": "EntryPoint",
                "urlTemplate": f"{absolute_url(search_path)}?search={{search_term_string}}",
            },
            "query-input": "required name=search_term_string",
        },
    }


def breadcrumb_list(breadcrumbs: Iterable[tuple[str, str | None]]) -> Data:
    """Return the breadcrumb trail; the last entry, the page itself, may have no address."""
    return {
        "@context": _SCHEMA,
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": position, "name": str(label)}
            | ({"item": absolute_url(url)} if url else {})
            for position, (label, url) in enumerate(breadcrumbs, start=1)
        ],
    }


def item_list(*, name: str, items: Iterable[tuple[str, str]]) -> Data:
    """Return the first products of a list, as (name, address)."""
    listed = list(items)[:_LISTED_PRODUCTS]
    return {
        "@context": _SCHEMA,
        "@type": "ItemList",
        "name": name,
        "numberOfItems": len(listed),
        "itemListElement": [
            {"@type": "ListItem", "position": position, "name": label, "url": absolute_url(url)}
            for position, (label, url) in enumerate(listed, start=1)
        ],
    }


def faq_page(questions: Iterable[tuple[str, str]]) -> Data | None:
    """Return the questions of a page with their answers, as (question, answer in plain words); None without any."""
    entries = [
        {"@type": "Question", "name": question, "acceptedAnswer": {"@type": "Answer", "text": answer}}
        for question, answer in questions
    ]
    return {"@context": _SCHEMA, "@type": "FAQPage", "mainEntity": entries} if entries else None


def product(
    *,
    product_id: int,
    name: str,
    description: str,
    url: str,
    category: str,
    images: Sequence[str],
    offers: Sequence[Offer],
    seller: str,
    sku: str = "",
    material: str = "",
    height_cm: Decimal | None = None,
) -> Data:
    """Return a product with an offer for each choice on its page, the one made at first before the others."""
    data: Data = {
        "@context": _SCHEMA,
        "@type": "Product",
        "@id": f"{absolute_url(url)}#product",
        "name": name,
        "description": description,
        "url": absolute_url(url),
        "category": category,
        "sku": sku or str(product_id),
        "image": [absolute_url(image) for image in images],
        "brand": {"@type": "Brand", "name": seller},
        "offers": [_offer(offer, seller) for offer in offers],
    }
    if material:
        data["material"] = material
    if height_cm:
        data["height"] = {"@type": "QuantitativeValue", "value": f"{height_cm:f}", "unitCode": "CMT"}
    return data


def with_delivery(data: Data, deliveries: Iterable[OfferDelivery], *, terms_path: str = "") -> Data:
    """Return a product's data with what its delivery costs, how long it takes and the right to send it back:
    `deliveries` are those of its offers, in their order. An offer without a zone stays as it is.
    """
    offers = [
        _delivered(offer, delivery, terms_path) if delivery.zones else offer
        for offer, delivery in zip(data["offers"], deliveries, strict=True)
    ]
    return {**data, "offers": offers}


@dataclass(frozen=True, slots=True)
class BlogPosting:
    """An article: its language, its pictures ("" for none), its author's public name, and its days."""

    title: str
    description: str
    url: str
    language: str
    author: str
    published_at: datetime | None
    changed_at: datetime | None = None
    image: str = ""
    section: str = ""
    keywords: Sequence[str] = ()
    words: int = 0


def blog_posting(post: BlogPosting, *, publisher: str) -> Data:
    """Return an article on its own page."""
    return {
        "@context": _SCHEMA,
        **_posting(post, publisher),
        "mainEntityOfPage": absolute_url(post.url),
        "publisher": _shop(publisher),
    }


def blog(*, name: str, url: str, language: str, posts: Iterable[BlogPosting], publisher: str) -> Data:
    """Return the list of articles with the first of them."""
    return {
        "@context": _SCHEMA,
        "@type": "Blog",
        "name": name,
        "url": absolute_url(url),
        "inLanguage": language,
        "publisher": {"@id": f"{settings.SITE_URL}/#shop"},
        "blogPost": [_posting(post, publisher) for post in list(posts)[:_LISTED_POSTS]],
    }


def _shop(name: str) -> Data:
    return {"@type": "Organization", "@id": f"{settings.SITE_URL}/#shop", "name": name}


def _posting(post: BlogPosting, publisher: str) -> Data:
    """`publisher`: the shop's name, under which articles are signed that nobody's name is under."""
    data: Data = {
        "@type": "BlogPosting",
        "headline": post.title,
        "description": post.description,
        "url": absolute_url(post.url),
        "inLanguage": post.language,
        "author": _shop(publisher) if post.author == publisher else {"@type": "Person", "name": post.author},
        "datePublished": post.published_at,
        "dateModified": post.changed_at,
        "image": absolute_url(post.image) if post.image else None,
        "articleSection": post.section,
        "keywords": ", ".join(post.keywords),
        "wordCount": post.words,
    }
    return {name: value for name, value in data.items() if value}


def rating(*, average: Decimal, count: int, reviews: Iterable[Review]) -> Data:
    """Return what a product's data gains from its reviews. Never called without a real one."""
    scale = {"bestRating": 5, "worstRating": 1}
    return {
        "aggregateRating": {
            "@type": "AggregateRating",
            "ratingValue": f"{average:f}",
            "reviewCount": count,
            **scale,
        },
        "review": [
            {
                "@type": "Review",
                "author": {"@type": "Person", "name": review.author},
                "reviewRating": {"@type": "Rating", "ratingValue": review.rating, **scale},
                "name": review.title,
                "reviewBody": review.text,
                "datePublished": review.published_on.isoformat(),
            }
            for review in reviews
        ],
    }


def _offer(offer: Offer, seller: str) -> Data:
    availability = (
        "OutOfStock" if not offer.available else "MadeToOrder" if offer.made_to_order else "InStock"
    )
    data: Data = {
        "@type": "Offer",
        "url": absolute_url(offer.url),
        "price": amount_string(offer.price),
        "priceCurrency": CURRENCY,
        "availability": f"{_SCHEMA}/{availability}",
        "itemCondition": f"{_SCHEMA}/NewCondition",
        "seller": _shop(seller),
    }
    if offer.valid_until is not None:
        data["priceValidUntil"] = offer.valid_until.isoformat()
    if offer.sku:
        data["sku"] = offer.sku
    if offer.image:
        data["image"] = absolute_url(offer.image)
    if offer.original_price is not None:
        data["priceSpecification"] = {
            "@type": "UnitPriceSpecification",
            "priceType": f"{_SCHEMA}/StrikethroughPrice",
            "price": amount_string(offer.original_price),
            "priceCurrency": CURRENCY,
        }
    return data


def _delivered(offer: Data, delivery: OfferDelivery, terms_path: str) -> Data:
    price = Decimal(offer["price"])
    countries = [country for zone in delivery.zones for country in zone.countries]
    return {
        **offer,
        "shippingDetails": [
            _shipping(zone, price, delivery.handling_days) for zone in delivery.zones if zone.countries
        ],
        "hasMerchantReturnPolicy": return_policy(countries=countries, terms_path=terms_path),
    }


def _shipping(zone: DeliveryZone, price: Decimal, handling_days: tuple[int, int]) -> Data:
    is_free = zone.free_from is not None and price >= zone.free_from
    return {
        "@type": "OfferShippingDetails",
        "shippingRate": {
            "@type": "MonetaryAmount",
            "value": amount_string(Decimal(0) if is_free else zone.rate),
            "currency": CURRENCY,
        },
        "shippingDestination": [
            {"@type": "DefinedRegion", "addressCountry": country} for country in zone.countries
        ],
        "deliveryTime": {
            "@type": "ShippingDeliveryTime",
            "handlingTime": _days(*handling_days),
            "transitTime": _days(zone.days_min, zone.days_max),
        },
    }


def _days(low: int, high: int) -> Data:
    return {"@type": "QuantitativeValue", "minValue": low, "maxValue": high, "unitCode": "DAY"}


def _postal_address(lines: Sequence[str]) -> Data | str:
    """Return the address in its parts where a line is « 69001 Lyon », else as it is written."""
    for index, line in enumerate(lines):
        if found := _POSTCODE.match(line):
            return {
                "@type": "PostalAddress",
                "streetAddress": ", ".join(lines[:index]),
                "postalCode": found[1],
                "addressLocality": found[2],
                "addressCountry": HOME_COUNTRY,
            }
    return ", ".join(lines)
