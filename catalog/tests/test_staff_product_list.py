"""The list of products for staff: order, pages, search and filters, and what each costs."""

from base64 import urlsafe_b64encode

import pytest
from django.utils import timezone

from catalog.models import Product
from catalog.tests.factories import make_category, make_image, make_product, make_variation
from catalog.tests.staff import PRODUCTS, names

pytestmark = pytest.mark.django_db


def test_list_is_newest_first_with_what_a_row_shows(admin):
    make_product("Ours", full_description="\nUn ours.\nAssis.", description="Court", featured=True)
    lynx = make_product("Lynx", price="25.00", original_price="30.00", in_stock=False)
    answer = admin.get(PRODUCTS)
    assert names(answer) == ["Lynx", "Ours"]
    assert answer["Cache-Control"] == "no-store"
    body = answer.json()
    assert (body["count"], body["next"], body["previous"], body["next_cursor"]) == (2, None, None, None)
    row, ours = body["results"]
    assert (row["id"], row["price"], row["original_price"], row["sold_out"]) == (
        lynx.pk,
        "25.00",
        "30.00",
        True,
    )
    assert (ours["summary"], ours["featured"], ours["sold_out"], ours["image"]) == (
        "Un ours.",
        True,
        False,
        None,
    )


@pytest.mark.both_engines
@pytest.mark.parametrize("ordering", ["newest", "oldest", "name", "-name", "price", "-price", "-updated"])
def test_pages_by_cursor_give_every_product_once_in_every_order(admin, ordering):
    moment = timezone.now()
    for number in range(7):
        make_product(f"pièce {number % 3}", price=f"{10 + number % 2}.00")
    # Equal moments, names and prices: the key decides.
    Product.objects.update(created_at=moment, updated_at=moment)
    whole = names(admin.get(PRODUCTS, {"ordering": ordering, "page_size": 50}))
    keys, cursor = [], ""
    for _page in range(4):
        body = admin.get(PRODUCTS, {"ordering": ordering, "page_size": 2, "cursor": cursor}).json()
        keys += [row["id"] for row in body["results"]]
        cursor = body["next_cursor"]
    assert cursor is None
    assert sorted(keys) == sorted(Product.objects.values_list("pk", flat=True))
    in_order = {product.pk: product.name for product in Product.objects.all()}
    assert [in_order[key] for key in keys] == whole


def test_names_are_ordered_without_regard_to_case_and_accents(admin):
    for name in ("Renard", "ours", "Œuf", "Écureuil"):
        make_product(name)
    assert names(admin.get(PRODUCTS, {"ordering": "name"})) == ["Écureuil", "Œuf", "ours", "Renard"]
    assert names(admin.get(PRODUCTS, {"ordering": "-name"})) == ["Renard", "ours", "Œuf", "Écureuil"]


def test_pages_by_number_lead_to_each_other(admin):
    for number in range(3):
        make_product(f"Pièce {number}")
    first = admin.get(PRODUCTS, {"page_size": 2}).json()
    second = admin.get(f"{PRODUCTS}?page=2&page_size=2").json()
    assert names(admin.get(first["next"])) == ["Pièce 0"] == [row["name"] for row in second["results"]]
    assert second["previous"] == f"{PRODUCTS}?page_size=2&page=1"


@pytest.mark.parametrize(
    "asked",
    [
        {"cursor": "bad"},
        {"cursor": "bnVsbA=="},
        {"cursor": "WyJuYW1lIiwgIngiLCAxXQ=="},
        {"cursor": "WyJuZXdlc3QiLCAiMjAyNiIsIDFd"},
        # The calendar's ends, half of a surrogate pair, NUL.
        {"cursor": "WyJuZXdlc3QiLCAiOTk5OS0xMi0zMVQyMzo1OTo1OS0xMjowMCIsIDFd"},
        {"ordering": "-updated", "cursor": "WyItdXBkYXRlZCIsICIwMDAxLTAxLTAxVDAwOjAwOjAwKzE0OjAwIiwgMV0="},
        {"ordering": "name", "cursor": "WyJuYW1lIiwgIlx1ZDgwMCIsIDFd"},
        {"ordering": "name", "cursor": "WyJuYW1lIiwgIlx1MDAwMCIsIDFd"},
        {"state": "sold"},
        {"page": "0"},
        {"page_size": "201"},
    ],
)
def test_list_refuses_what_it_does_not_know(admin, asked):
    answer = admin.get(PRODUCTS, asked)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_a_crafted_cursor_is_refused(admin):
    def status(text: str, ordering: str = "newest") -> int:
        cursor = urlsafe_b64encode(text.encode()).decode()
        return admin.get(PRODUCTS, {"ordering": ordering, "cursor": cursor}).status_code

    moment = '"2026-01-01T00:00:00+00:00"'
    for key, expected in (
        ("1", 200), (str(2**63 - 1), 200),
        ("0", 400), ("-1", 400), (str(2**63), 400), ("1.5", 400), ("true", 400), ('"1"', 400), ("null", 400),
    ):  # fmt: skip
        assert status(f'["newest", {moment}, {key}]') == expected, key
    # Of another order, and values that the order has not.
    assert status(f'["oldest", {moment}, 1]') == 400
    assert status('["name", "x", 1]', "name") == 200
    assert status('["name", 5, 1]', "name") == 400
    assert status('["price", "10.00", 1]', "price") == 200
    for price in ('"NaN"', '"Infinity"', '"x"', "10"):
        assert status(f'["price", {price}, 1]', "price") == 400, price
    assert status("[" * 450) == 400


def test_list_is_searched_and_filtered(admin):
    bust = make_category("bust")
    elan = make_product("Élan des neiges", external_id="ext-7", category=bust)
    lynx = make_product("Lynx", is_published=False)
    make_variation(lynx, sku="LYN-09")
    make_product("Ours", featured=True, stock_quantity=0)

    def found(**asked: str) -> list[str]:
        return sorted(names(admin.get(PRODUCTS, asked)))

    assert found(search="elan") == ["Élan des neiges"]
    assert found(search="ext-7") == ["Élan des neiges"]
    assert found(search="LYN-09") == ["Lynx"]
    assert found(search=str(elan.pk)) == ["Élan des neiges"]
    assert found(search="zébu") == found(search="%zzz") == []
    assert found(category="bust") == found(category=str(bust.pk)) == ["Élan des neiges"]
    assert found(state="hidden") == ["Lynx"]
    assert found(state="published") == ["Ours", "Élan des neiges"]
    assert found(state="featured") == ["Ours"]
    assert found(state="sold_out") == ["Ours"]
    assert found(state="archived") == found(state="trashed") == found(state="promoted") == []
    assert admin.get(PRODUCTS, {"category": "nulle-part"}).json()["code"] == "unknown_category"


@pytest.mark.both_engines
@pytest.mark.parametrize("is_published", [True, False])
@pytest.mark.parametrize(
    ("search", "is_found"),
    [
        ("rago", True),
        ("DRAGONS rouge", True),
        # In another language than the other word, and in the category's name.
        ("rouge hobbit", True),
        ("buste", True),
        # One letter or two begin a word.
        ("d", True),
        ("r", True),
        ("ag", False),
        # Words that the shop's index leaves out, alone and beside one that it has.
        ("avec", True),
        ("dragon avec", True),
        ("dragon sans", False),
        # Letters that it does not have.
        ("дракон", True),
        ("ракон dragon", True),
        ("rouge zebu", False),
    ],
)
def test_a_search_finds_parts_of_words_of_every_product(admin, search, is_found, is_published):
    product = make_product(
        "Les dragons d'argile",
        description_fr="Rouge, avec écailles. Дракон",
        name_en="Hobbit friend",
        is_published=is_published,
        category=make_category("toys", name_fr="Bustes"),
    )
    make_product("Ours", is_published=is_published, category=make_category("games"))
    assert names(admin.get(PRODUCTS, {"search": search})) == [product.name] * is_found


@pytest.mark.both_engines
def test_a_part_of_very_many_words_finds_them_all(admin):
    words = [f"bou{letter}{other}" for letter in "bcdfglm" for other in "aeiouy"]
    for number in range(2):
        make_product(f"Pièce {number}", full_description_fr=" ".join(words[number::2]), name_en="Zebra")
    assert names(admin.get(PRODUCTS, {"search": "ou"})) == []
    assert names(admin.get(PRODUCTS, {"search": "bou"})) == ["Pièce 1", "Pièce 0"]
    assert names(admin.get(PRODUCTS, {"search": "bou zebra bouby"})) == ["Pièce 1"]


@pytest.mark.both_engines
def test_list_costs_no_more_with_more_products(admin, django_assert_num_queries):
    for number in range(8):
        make_image(make_product(f"Pièce {number}", promotion_active=True, promotion_type="buy_2_get_1"))
    # session, person; count, products, photos
    with django_assert_num_queries(5):
        assert len(names(admin.get(PRODUCTS))) == 8
