"""The index of words: what is written of products, and the order and number of what a search reads of it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from catalog.models import Product, SearchEntry, SearchSpelling, SearchWord, Synonym
from catalog.selectors import search
from catalog.selectors.filters import Filters
from catalog.selectors.search import find_matches
from catalog.selectors.vocabulary import read_query
from catalog.services.categories import save_category
from catalog.services.products import delete_product, refresh_product, save_product
from catalog.services.search_index import index_products
from catalog.tests.factories import make_category, make_product
from catalog.tests.searching import found

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]
START = datetime(2026, 1, 1, tzinfo=UTC)


@given(text=st.text(max_size=60))
def test_any_text_is_a_query(text):
    if not SearchWord.objects.exists():
        make_product("Dragon vieux-cuivre")
    assert found(text) in ([], ["Dragon vieux-cuivre"])


def test_the_place_of_the_last_word_ranks_then_availability_then_age():
    lutin = make_category("lutins", name_fr="Lutin")
    plain = make_category("bust", name_fr="Bustes")
    Synonym.objects.create(language="fr", words="gnomide, lutin")
    rows = [
        ("Gnomide", plain, {}),
        ("Texte", plain, {"description_fr": "Une ligne.\nUn lutin"}),
        ("Accroche", plain, {"description_fr": "Un lutin.\nUne ligne"}),
        ("Rayon", lutin, {}),
        ("Lutin ancien", plain, {}),
        ("Lutin récent", plain, {}),
        ("Lutin vendu", plain, {"in_stock": False}),
    ]
    for number, (name, category, fields) in enumerate(rows):
        make_product(name, category=category, published_at=START + timedelta(hours=number), **fields)
    assert found("lutin") == [
        "Lutin récent",
        "Lutin ancien",
        "Lutin vendu",
        "Rayon",
        "Gnomide",
        "Accroche",
        "Texte",
    ]
    assert found("lutin ancien") == ["Lutin ancien"]


def test_an_unpublished_product_is_neither_found_nor_in_the_vocabulary():
    product = make_product("Zéphyrine")
    assert found("zephyrine") == ["Zéphyrine"]
    product.is_published = False
    save_product(product=product)
    assert found("zephyrine") == []
    assert not SearchWord.objects.filter(word="zephyrine").exists()
    assert not SearchSpelling.objects.filter(key="zephyrine").exists()


def words_of() -> dict[str, int]:
    return dict(SearchWord.objects.filter(language="fr").values_list("word", "pieces"))


def test_the_vocabulary_counts_products():
    category = make_category("bust", name_fr="Bustes")
    first = make_product("Dragon bleu", category=category)
    make_product("Dragon rouge", category=category)
    assert words_of() == {"dragon": 2, "bleu": 1, "rouge": 1, "bustes": 2}
    first.name_fr = "Renard bleu"
    save_product(product=first)
    assert words_of() == {"dragon": 1, "renard": 1, "bleu": 1, "rouge": 1, "bustes": 2}
    category.name_fr = "Têtes"
    save_category(category=category)
    assert words_of() == {"dragon": 1, "renard": 1, "bleu": 1, "rouge": 1, "tetes": 2}
    assert found("tête") == ["Dragon rouge", "Renard bleu"]
    delete_product(product=first)
    assert words_of() == {"dragon": 1, "rouge": 1, "tetes": 1}
    assert SearchEntry.objects.count() == 4


def test_a_product_that_is_refreshed_without_change_is_not_written_again(django_assert_num_queries):
    product = make_product("Dragon")
    row = Product.objects.select_related("category").get(pk=product.pk)
    # its entries
    with django_assert_num_queries(1):
        index_products(products=[row])
    refresh_product(product_id=product.pk)
    assert found("dragon") == ["Dragon"]


def test_very_many_matches_are_counted_up_to_the_cap_and_ordered(monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(search, "COUNT_CAP", 10)
    for number in range(24):
        fields = {"name_fr": f"Dragon {number}"} if number in (2, 5) else {"description_fr": "dragon"}
        name = fields.pop("name_fr", f"Pièce {number}")
        make_product(name, published_at=START + timedelta(hours=number), in_stock=number != 23, **fields)
    expected = ["Dragon 5", "Dragon 2", *(f"Pièce {number}" for number in range(22, 14, -1))]
    # the synonyms, the vocabulary; the entries, the products of the best levels, the newest entries, their products
    with django_assert_max_num_queries(6):
        matches = find_matches(read_query("dragon"), through=10)
    names = dict(Product.objects.values_list("pk", "name_fr"))
    assert ([names[key] for key in matches.keys], matches.capped) == (expected, True)


@pytest.mark.parametrize("many", [0, 10_000])
def test_very_many_matches_are_filtered(monkeypatch, many, django_assert_max_num_queries):
    """The same whether PostgreSQL walks or collects."""
    monkeypatch.setattr(search, "COUNT_CAP", 10)
    monkeypatch.setattr(search, "_MANY", many)
    monkeypatch.setattr(search, "_MANY_EACH", 0)
    first, second = make_category("bust"), make_category("noel")
    for number in range(40):
        make_product(
            f"Pièce {number}",
            category=first if number % 4 else second,
            description_fr="dragon rouge",
            # Drafted in the other order.
            created_at=START - timedelta(hours=number),
            published_at=START + timedelta(hours=number),
            stock_quantity=0 if number == 38 else 1,
            price="10.00" if number < 20 else "30.00",
        )
    make_product("Dragon", category=first, published_at=START, price="10.00")
    names = dict(Product.objects.values_list("pk", "name_fr"))
    newest = [f"Pièce {number}" for number in range(39, 0, -1) if number % 4]

    def shown(filters: Filters, category_id: int | None = None) -> tuple[list[str], bool]:
        # the synonyms, the vocabulary; how many products there are by category, the entries, the products of the best
        # levels, the newest that the filters leave
        with django_assert_max_num_queries(7):
            matches = find_matches(read_query("dragon"), filters, category_id)
        return [names[key] for key in matches.keys], matches.capped

    in_first = [name for name in newest if name != "Pièce 38"]
    assert shown(Filters(), first.pk) == (["Dragon", *in_first[:9]], True)
    assert shown(Filters({"availability": ("available",)}), second.pk) == (
        [f"Pièce {number}" for number in range(36, -1, -4)],
        False,
    )
    cheap = [name for name in newest if int(name.split()[1]) < 20]
    assert shown(Filters(price_max=20), first.pk) == (["Dragon", *cheap[:9]], True)
    assert shown(Filters({"promotion": ("yes",)})) == ([], False)
    if many == 0:
        two = find_matches(read_query("dragon rouge"), through=10)
        assert (names[two.keys[0]], two.capped) == ("Pièce 39", True)


def test_nothing_is_left_of_the_index_of_words_of_a_deleted_product():
    product = make_product("Dragon")
    SearchEntry.objects.filter(product=product).delete()
    assert found("dragon") == []
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO catalog_searchentry_words(catalog_searchentry_words) VALUES ('integrity-check')"
            )
