"""Search: what is found, in what order, in which language; the same on both engines."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from catalog.models import CategoryKind, Product, SearchEntry, SearchSpelling, SearchWord, Synonym
from catalog.selectors import search
from catalog.selectors.filters import Filters
from catalog.selectors.search import find_matches
from catalog.selectors.vocabulary import clean_query, read_query, words_near
from catalog.services.categories import save_category
from catalog.services.products import delete_product, refresh_product, save_product
from catalog.services.search_index import rebuild_index
from catalog.tests.factories import make_category, make_product

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]
START = datetime(2026, 1, 1, tzinfo=UTC)


def found(text: str, language: str = "fr") -> list[str]:
    """The French names of what a text finds, the best first."""
    with override(language):
        keys = find_matches(read_query(clean_query(text))).keys
    names = dict(Product.objects.values_list("pk", "name_fr"))
    return [names[key] for key in keys]


def corrected(text: str, language: str = "fr") -> str:
    with override(language):
        return read_query(text).corrected


@pytest.fixture
def shop(db) -> None:
    bust = make_category("bust", name_fr="Bustes", name_en="Busts", name_de="Büsten")
    anime = make_category("dessins-animes", name_fr="Dessins animés", name_en="Cartoons")
    other = {"kind": CategoryKind.COLLECTION}
    noel = make_category("noel", name_fr="Noël", name_en="Christmas", **other)
    pokeball = make_category("pokeball", name_fr="Pokeball", **other)
    crochet = make_category("crochet", name_fr="Crochet", name_es="Ganchillo", **other)
    goodies = make_category("goodies", name_fr="Goodies", **other)
    for name, category, texts in (
        ("Dragon vieux-cuivre", bust, {"name_en": "Old Copper Dragon", "name_de": "Kupferdrache"}),
        ("Dragonnet guimauve", anime, {"description_fr": "Bébé dragon.\nÀ peindre", "name_en": "Dragonling"}),
        ("Rainette sous la feuille", anime, {"name_en": "Tree Frog Under a Leaf", "name_es": "Ranita"}),
        ("Lame d'automne", bust, {"description_en": "On your shelf", "name_en": "Autumn Blade"}),
        (
            "Cartographe des étoiles",
            bust,
            {"description_fr": "Elfe couronnée, 18 cm", "name_en": "Cartographer"},
        ),
        (
            "Boule « village enneigé »",
            noel,
            {"full_description_fr": "Cœur de neige", "name_en": "Snowy Bauble"},
        ),
        ("Lutin des paquets", noel, {"name_en": "Parcel Elf", "name_de": "Päckchenwichtel auf der Straße"}),
        ("Orbe des marées", pokeball, {"full_description_fr": "La porte d'un monde, sans clé."}),
        ("Lapin à la marguerite", crochet, {}),
        ("Horloge lune endormie", goodies, {}),
        ("Porte-clé renard", goodies, {"name_en": "Fox key ring"}),
    ):
        make_product(name, category=category, **texts)


DRAGONS = ["Dragon vieux-cuivre", "Dragonnet guimauve"]


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # What the collections sell is found as well.
        ("fr", "pokeball", ["Orbe des marées"]),
        ("fr", "noël", ["Lutin des paquets", "Boule « village enneigé »"]),
        ("fr", "NOEL", ["Lutin des paquets", "Boule « village enneigé »"]),
        ("fr", "crochet", ["Lapin à la marguerite"]),
        ("fr", "horloge", ["Horloge lune endormie"]),
        ("fr", "boule", ["Boule « village enneigé »"]),
        # Whole words and beginnings, never inside words or in another language.
        ("fr", "elf", ["Cartographe des étoiles"]),
        ("fr", "shelf", []),
        ("fr", "ard", []),
        ("fr", "drag", list(reversed(DRAGONS))),
        ("fr", "dr", list(reversed(DRAGONS))),
        ("fr", "porte-cle", ["Porte-clé renard"]),
        ("fr", "porte-clés", ["Porte-clé renard"]),
        ("fr", "portecle", ["Porte-clé renard"]),
        # Singular and plural.
        ("fr", "dragons", DRAGONS),
        ("fr", "dragon", list(reversed(DRAGONS))),
        ("fr", "lapins", ["Lapin à la marguerite"]),
        ("en", "blades", ["Lame d'automne"]),
        ("es", "ranitas", ["Rainette sous la feuille"]),
        ("de", "Kupferdrachen", ["Dragon vieux-cuivre"]),
        # Accents, ligatures, apostrophes, hyphens.
        ("fr", "ÉTOILE", ["Cartographe des étoiles"]),
        ("fr", "e\u0301toiles", ["Cartographe des étoiles"]),
        ("fr", "coeur", ["Boule « village enneigé »"]),
        ("fr", "cœur", ["Boule « village enneigé »"]),
        ("de", "strasse", ["Lutin des paquets"]),
        ("de", "STRAẞE", ["Lutin des paquets"]),
        ("fr", "d'automne", ["Lame d'automne"]),
        ("fr", "l’automne", ["Lame d'automne"]),
        ("fr", "la lame de l'automne", ["Lame d'automne"]),
        ("fr", "vieux cuivre", ["Dragon vieux-cuivre"]),
        ("fr", "vieux-cuivre", ["Dragon vieux-cuivre"]),
        # Typing errors.
        ("fr", "rainete", ["Rainette sous la feuille"]),
        ("fr", "dragn", DRAGONS),
        ("fr", "hrologe", ["Horloge lune endormie"]),
        ("fr", "elx", []),
        # Synonyms that the shop comes with.
        ("fr", "grenouille", ["Rainette sous la feuille"]),
        ("en", "keychain", ["Porte-clé renard"]),
        ("es", "amigurumi", ["Lapin à la marguerite"]),
        # Every word.
        ("fr", "dragon guimauve", ["Dragonnet guimauve"]),
        ("fr", "dragon horloge", []),
        # The French text where there is none in the language, and the French name.
        ("de", "marguerite", ["Lapin à la marguerite"]),
        ("en", "rainette", ["Rainette sous la feuille"]),
        ("en", "elf", ["Lutin des paquets", "Cartographe des étoiles"]),
        ("en", "shelves shelf", []),
        ("en", "shelf", ["Lame d'automne"]),
        ("en", "guimauves", ["Dragonnet guimauve"]),
        ("es", "couronnée", ["Cartographe des étoiles"]),
    ],
)
def test_a_query_finds(language, text, expected):
    assert found(text, language) == expected


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "text",
    [
        *(
            '"',
            "*",
            "OR",
            "NEAR(",
            'dragon" OR "x',
            "a:*",
            "!",
            "(",
            ")",
            "&",
            "|",
            "<->",
            "'",
            "\\",
            "%",
            "_",
            "^",
        ),
        *(
            "'; DROP TABLE catalog_product; --",
            "\x00",
            "\ud800",
            "{words}: x",
            "-dragon",
            "дракон",
            "अजगर",
            "🦊",
        ),
        *("a" * 10_000, '" * OR NEAR( ' * 1000, "a b " * 5000, "'" * 10_000, "-" * 10_000, "é-" * 5000),
    ],
)
def test_a_hostile_query_is_harmless(text):
    assert set(found(text)) <= set(Product.objects.values_list("name_fr", flat=True))


@given(text=st.text(max_size=60))
def test_any_text_is_a_query(text):
    if not SearchWord.objects.exists():
        make_product("Dragon vieux-cuivre")
    assert found(text) in ([], ["Dragon vieux-cuivre"])


@pytest.mark.usefixtures("shop")
def test_a_corrected_query_says_what_it_was_taken_for():
    assert corrected("dragn horloge") == "dragon horloge"
    assert corrected("dragon") == ""
    assert corrected("xyzzyq") == ""


@pytest.mark.usefixtures("shop")
def test_words_that_find_nothing_together_are_proposed_one_by_one():
    query = read_query("dragon horloge")
    assert list(find_matches(query).keys) == []
    assert {"dragon", "horloge"} <= set(words_near(query, 5))
    assert words_near(read_query("xyzzyq"), 5) == []


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
        make_product(name, category=category, created_at=START + timedelta(hours=number), **fields)
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


def words_of(language: str = "fr") -> dict[str, int]:
    return dict(SearchWord.objects.filter(language=language).values_list("word", "pieces"))


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


def test_a_rebuilt_index_is_the_one_that_was_written_step_by_step(shop):
    def everything():
        return (
            list(SearchEntry.objects.order_by("pk").values_list("pk", "product_id", "language", "words")),
            list(
                SearchWord.objects.order_by("language", "word").values_list(
                    "language", "word", "stem", "pieces"
                )
            ),
            sorted(SearchSpelling.objects.values_list("language", "key", "word__word")),
        )

    before = everything()
    rebuild_index(products=Product.objects.select_related("category").order_by("pk"))
    assert everything() == before
    assert found("dragn") == DRAGONS


def test_a_product_that_is_refreshed_without_change_is_not_written_again(django_assert_num_queries):
    product = make_product("Dragon")
    from catalog.services.search_index import index_product

    row = Product.objects.select_related("category").get(pk=product.pk)
    # its entries
    with django_assert_num_queries(1):
        index_product(product=row)
    refresh_product(product_id=product.pk)
    assert found("dragon") == ["Dragon"]


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("text", "queries"), [("dragon", 4), ("dragon cuivre vieux", 4), ("dragn", 5), ("xyzzyq", 3)]
)
def test_a_search_costs(django_assert_num_queries, text, queries):
    # the synonyms, the vocabulary, near words for unknown ones; the entries, the products
    with django_assert_num_queries(queries):
        find_matches(read_query(text))


def test_very_many_matches_are_counted_up_to_the_cap_and_ordered(monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(search, "COUNT_CAP", 10)
    for number in range(24):
        fields = {"name_fr": f"Dragon {number}"} if number in (2, 5) else {"description_fr": "dragon"}
        name = fields.pop("name_fr", f"Pièce {number}")
        make_product(name, created_at=START + timedelta(hours=number), in_stock=number != 23, **fields)
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
            created_at=START + timedelta(hours=number),
            stock_quantity=0 if number == 38 else 1,
            price="10.00" if number < 20 else "30.00",
        )
    make_product("Dragon", category=first, created_at=START, price="10.00")
    names = dict(Product.objects.values_list("pk", "name_fr"))
    newest = [f"Pièce {number}" for number in range(39, 0, -1) if number % 4]

    def shown(filters: Filters, category_id: int | None = None) -> tuple[list[str], bool]:
        # the synonyms, the vocabulary; how many products there are, the entries, the products of the best levels, the
        # newest that the filters leave
        with django_assert_max_num_queries(6):
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
