"""Strangers cannot fill the cache of whole pages: only addresses that the shop itself writes take a place."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from catalog.tests.factories import make_category, make_product
from orders.tests.factories import make_finished_product, make_zones
from shop.core import boundaries
from shop.core.fragment_cache import FragmentCache
from shop.core.public_pages import PublicPageMiddleware, is_later_page, public_page

LOCMEM = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "page-addresses"}
HOT = ("/", "/produits", "/produits?sort=price", "/en/products?page=2", "/produits?page=2&sort=name")
SORTS = ("price", "price-desc", "name")


@pytest.fixture(autouse=True)
def no_boundaries(monkeypatch):
    """No app names a moment at which pages change: that would ask the database."""
    monkeypatch.setattr(boundaries, "_registry", {})


@pytest.fixture
def page_cache(settings, monkeypatch):
    settings.PAGE_CACHE_SECONDS = 60
    page_cache = FragmentCache(256)
    monkeypatch.setattr("shop.core.public_pages.page_cache", page_cache)
    return page_cache


@pytest.fixture(params=["file", "redis"])
def shared(request, settings):
    """Both homes of the content's version; the pages themselves are in the memory of the process with either."""
    if request.param == "redis":
        settings.REDIS_URL = "redis://127.0.0.1:9"
        settings.CACHES = {"default": LOCMEM, "shared": LOCMEM}


@pytest.fixture
def made(page_cache, shared):
    """Answers a GET through the cache; gives the list of the addresses that a view had to be asked for."""
    asked = []

    @public_page(params={"page": is_later_page, "sort": SORTS.__contains__}, fragments=("results",))
    def view(request):
        asked.append(request.get_full_path())
        return HttpResponse(f"{request.path} {request.headers.get('X-Fragment')}")

    ask = PublicPageMiddleware(view)
    requests = RequestFactory()

    def get(address, fragment=None, **extra):
        headers = {} if fragment is None else {"X-Fragment": fragment}
        return ask(requests.get(address, headers=headers, **extra))

    get.asked = asked
    return get


def junk(number):
    """An address that no page of the shop leads to, in eleven ways."""
    return [
        (f"/produits?sort=x{number}", None),
        (f"/produits?page=2&page={number + 2}", None),
        (f"/produits?page=0{number}", None),
        (f"/produits?page=-{number}", None),
        (f"/produits?sort=price&sort=price&n={number}", None),
        (f"/produits?utm_source={number}", None),
        (f"/produits?categorie={number}&sort=price", None),
        (f"/produits?Sort={number}", None),
        ("/produits", f"x{number}"),
        ("/produits?sort=price", f"results{number}"),
        (f"/?page={number}%20", None),
    ][number % 11]


def test_flood_of_unknown_addresses_takes_no_place_and_drops_no_hot_page(made, page_cache):
    for address in HOT:
        made(address)
    for number in range(1100):
        assert made(*junk(number)).status_code == 200
    assert len(page_cache) == len(HOT)

    made.asked.clear()
    for address in HOT:
        made(address)
    assert made.asked == []


def test_walk_through_more_pages_than_fit_drops_no_page_that_was_asked_for_twice(made, page_cache):
    for address in (*HOT, *HOT):
        made(address)
    for number in range(1100):
        made(f"/produit/{number}")
    assert len(page_cache) == 256

    made.asked.clear()
    for address in HOT:
        made(address)
    assert made.asked == []


def test_pages_asked_for_again_make_room_for_one_another(page_cache):
    page_cache = FragmentCache(4)
    for name in "abcdef":
        page_cache.put(name, name, "1", seconds=60)
        page_cache.find(name, "1")

    assert len(page_cache) == 4
    assert [name for name in "abcdef" if page_cache.find(name, "1")] == ["c", "d", "e", "f"]


@pytest.mark.parametrize(
    "address",
    [
        "/produits?sort=%70rice",
        "/produits?sort=price&",
        "/produits?&&sort=price",
        "/produits?sort=price&SORT=price",
    ],
)
def test_address_written_otherwise_takes_no_place(made, page_cache, address):
    """Links to other languages repeat the query: nobody writes into a page that others get."""
    assert made(address).status_code == 200
    assert len(page_cache) == 0


def test_part_and_whole_and_http_and_https_are_kept_apart(made, page_cache):
    bodies = {made("/produits").content, made("/produits", "results").content}
    assert bodies == {b"/produits None", b"/produits results"}
    assert made("/produits", "RESULTS").content == b"/produits RESULTS"
    made("/produits", secure=True)

    assert len(page_cache) == 3


@pytest.mark.both_engines
@pytest.mark.django_db(transaction=True)
def test_real_pages_are_kept_under_their_own_addresses_alone(client, page_cache, django_assert_num_queries):
    make_zones()
    category = make_category("mangas")
    for number in range(30):
        make_product(f"Piece {number}", category=category)
    finished = make_finished_product()
    page = client.get(f"/produit/{finished.pk}", follow=True).request["PATH_INFO"]
    own = [
        "/produits", "/produits?sort=price", "/produits?category=mangas&page=2", "/de/produkte?page=2", page,
        f"{page}?finition=painted",
    ]  # fmt: skip
    for address in own:
        assert client.get(address).status_code == 200
    kept = len(page_cache)
    assert kept == len(own)

    for query in (
        "sort=unknown", "sort=newest", "sort=", "categorie=", "sort=unknown&sort=unknown", "page=1", "page=",
        "category=", "page=2&page=2",
    ):  # fmt: skip
        assert client.get(f"/produits?{query}").status_code == 200
    assert (
        client.get("/produits?sort=unknown").context["sorts"]
        == client.get("/produits?sort=").context["sorts"]
    )
    usual = client.get("/produits").content
    assert client.get("/produits", headers={"X-Fragment": "other"}).content == usual
    for unknown in ("finition=gold", "finition=painted&format=9", "format=x"):
        answer = client.get(f"{page}?{unknown}")
        assert (answer.status_code, answer["Location"]) == (302, page)
    assert client.get("/produits?category=mangas&categorie=anything").status_code == 200
    assert client.get("/produits?category=unknown").status_code == 404
    assert client.get("/produits?page=999").status_code == 404
    assert len(page_cache) == kept

    with django_assert_num_queries(0):
        for address in own:
            assert client.get(address).status_code == 200
        etag = client.get(page).headers["ETag"]
        assert client.get(page, headers={"if-none-match": etag}).status_code == 304
        assert client.head(page).status_code == 200
