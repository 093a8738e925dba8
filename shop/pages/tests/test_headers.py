"""The headers of every kind of answer, marked as Mozilla's Observatory marks a site."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client

from accounts.tests.people import PASSWORD, make_admin, make_member
from catalog.selectors.addresses import product_url
from catalog.tests.factories import make_product
from orders.tests.factories import make_zones

pytestmark = pytest.mark.django_db
BEST = 125
HSTS = "max-age=63072000; includeSubDomains; preload"
NO_POLICY = "default-src *; base-uri *; frame-ancestors *"
PRIVATE = ("no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin")


def mark(answer: HttpResponseBase) -> int:
    """The Observatory's sum: what every site starts with, what a fault costs, what more than the usual earns."""
    policy = {
        name: values
        for name, *values in map(str.split, answer.get("Content-Security-Policy", NO_POLICY).split(";"))
    }
    sources = [source for values in policy.values() for source in values]
    safe = policy["default-src"] == policy["base-uri"] == ["'none'"] and {"*", "https:", "http:"}.isdisjoint(
        sources
    )
    mark = 100 + (10 if safe and "unsafe" not in " ".join(sources) else -25)
    mark += 5 if policy["frame-ancestors"] == ["'none'"] else -20
    mark += 5 if answer.get("Referrer-Policy") in PRIVATE else -5
    mark -= 0 if answer.get("X-Content-Type-Options") == "nosniff" else 5
    mark -= 0 if answer.get("Strict-Transport-Security") == HSTS else 20
    cookies = [cookie for cookie in answer.cookies.values() if cookie.value]
    good = all(cookie["secure"] and cookie["samesite"] == "Lax" for cookie in cookies)
    return mark + (5 if good else -40)


@pytest.fixture
def production(settings):
    """What `shop.settings.security` says without DEBUG (accounts/tests/test_cookies.py reads it)."""
    settings.DEBUG = False
    settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_PRELOAD = 63072000, True
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    make_zones()


def get(path: str, user: object = None, **headers: str) -> HttpResponse:
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    return client.get(path, secure=True, headers=headers)


def test_every_kind_of_answer_has_the_best_mark(production, monkeypatch):
    admin, member, product = make_admin(), make_member(), make_product(price="20.00")
    answers = {
        path: get(path) for path in ("/", "/produits", "/panier", "/checkout", "/contact", "/auth", "/faq")
    }
    answers |= {
        path: get(path) for path in ("/api/products", "/robots.txt", "/blog/atom.xml", product_url(product))
    }
    answers |= {path: get(path, member) for path in ("/espace-membre", "/api/me")}
    answers |= {
        path: get(path, admin) for path in ("/admin/produits", "/gestion/", "/gestion/core/auditentry/")
    }
    assert {answer.status_code for answer in answers.values()} <= {200, 302}
    credentials = {"mode": "signin", "email": member.email, "password": PASSWORD}
    answers["signing in"] = Client().post("/auth", credentials, secure=True)
    assert len(answers["signing in"].cookies) > 2
    answers |= {
        "404": get("/nothing"),
        "404 call": get("/api/nothing"),
        "403": get("/admin/produits", member),
    }
    answers |= {"401": get("/api/orders"), "405": Client().get("/auth/deconnexion", secure=True)}
    answers |= {"400": get("/api/products", host="other.test")}
    monkeypatch.setattr("shop.pages.views.members.render", lambda *args, **kwargs: 1 / 0)
    answers["500"] = get("/espace-membre", member)
    statuses = [int(name[:3]) for name in answers if name[:3].isdigit()]
    assert [answers[name].status_code for name in answers if name[:3].isdigit()] == statuses
    assert {name: mark(answer) for name, answer in answers.items()} == dict.fromkeys(answers, BEST)
    print(f"{len(answers)} kinds of answers, {BEST} points each")
