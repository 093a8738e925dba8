"""What search engines read of a page (schema.org, JSON-LD). Every figure is the one that the page shows.

Functions take plain values and give dictionaries; `{% json_ld data %}` writes them into the page. Addresses may be
paths: they are completed with `SITE_URL`. Ratings are of verified buyers' reviews alone (L111-7-2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.conf import settings

from shop.core.money import CURRENCY, amount_string
from shop.core.site import absolute_url

Data = dict[str, Any]

WITHDRAWAL_DAYS = 14
_LISTED_PRODUCTS = 8
_SCHEMA = "https://schema.org"


def organization(
    *, name: str, logo: str, email: str = "", phone: str = "", address_lines: Sequence[str] = ()
) -> Data:
    """The shop as a seller, with the return policy that holds for everything it sells (L221-18: 14 days)."""
    data: Data = {
        "@context": _SCHEMA,
        "@type": "OnlineStore",
        "@id": f"{settings.SITE_URL}/#shop",
        "name": name,
        "url": absolute_url("/"),
        "logo": _absolute(logo),
        "hasMerchantReturnPolicy": {
            "@type": "MerchantReturnPolicy",
            "applicableCountry": "FR",
            "returnPolicyCategory": f"{_SCHEMA}/MerchantReturnFiniteReturnWindow",
            "merchantReturnDays": WITHDRAWAL_DAYS,
            "returnMethod": f"{_SCHEMA}/ReturnByMail",
        },
    }
    if email:
        data["email"] = email
    if phone:
        data["telephone"] = phone
    if address_lines:
        data["address"] = ", ".join(address_lines)
    return data


def website(*, name: str, language: str, search_path: str) -> Data:
    """The site and its search; `search_path` is the catalogue's address in the page's language."""
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
    """The breadcrumb trail; the last entry, the page itself, may have no address."""
    return {
        "@context": _SCHEMA,
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": position, "name": str(label)}
            | ({"item": _absolute(url)} if url else {})
            for position, (label, url) in enumerate(breadcrumbs, start=1)
        ],
    }


def item_list(*, name: str, items: Iterable[tuple[str, str]]) -> Data:
    """The first products of a list, as (name, address)."""
    return {
        "@context": _SCHEMA,
        "@type": "ItemList",
        "name": name,
        "itemListElement": [
            {"@type": "ListItem", "position": position, "name": label, "url": _absolute(url)}
            for position, (label, url) in enumerate(list(items)[:_LISTED_PRODUCTS], start=1)
        ],
    }


def faq_page(questions: Iterable[tuple[str, str]]) -> Data | None:
    """The questions of a page with their answers, as (question, answer in plain words); None without any."""
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
    low: Decimal,
    high: Decimal | None,
    available: bool,
    made_to_order: bool,
    seller: str,
    sku: str = "",
    material: str = "",
    height_cm: Decimal | None = None,
) -> Data:
    """A product with its offer: one price, or the range that the page shows as « de X € à Y € »."""
    availability = "OutOfStock" if not available else "MadeToOrder" if made_to_order else "InStock"
    offer: Data = {
        "url": _absolute(url),
        "priceCurrency": CURRENCY,
        "availability": f"{_SCHEMA}/{availability}",
        "itemCondition": f"{_SCHEMA}/NewCondition",
        "seller": {"@type": "Organization", "@id": f"{settings.SITE_URL}/#shop", "name": seller},
    }
    if high is None or high == low:
        offer |= {"@type": "Offer", "price": amount_string(low)}
    else:
        offer |= {"@type": "AggregateOffer", "lowPrice": amount_string(low), "highPrice": amount_string(high)}
    data: Data = {
        "@context": _SCHEMA,
        "@type": "Product",
        "@id": f"{_absolute(url)}#product",
        "name": name,
        "description": description,
        "url": _absolute(url),
        "category": category,
        "sku": sku or str(product_id),
        "image": [_absolute(image) for image in images],
        "brand": {"@type": "Brand", "name": seller},
        "offers": offer,
    }
    if material:
        data["material"] = material
    if height_cm:
        data["height"] = {"@type": "QuantitativeValue", "value": f"{height_cm:f}", "unitCode": "CMT"}
    return data


def rating(*, average: Decimal, count: int, reviews: Iterable[tuple[str, int, str, str, date]]) -> Data:
    """What a product's data gains from its reviews: average, count and some reviews, as (author, rating, title, text,
    day of publication). Never called without a real review."""
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
                "author": {"@type": "Person", "name": author},
                "reviewRating": {"@type": "Rating", "ratingValue": value, **scale},
                "name": title,
                "reviewBody": text,
                "datePublished": published.isoformat(),
            }
            for author, value, title, text, published in reviews
        ],
    }


def _absolute(url: str) -> str:
    return absolute_url(url) if url.startswith("/") else url
