"""Search: what is found, in what order, in which language; the same on both engines."""

import pytest
from django.utils.translation import override

from catalog.models import CategoryKind, Product
from catalog.selectors.search import find_matches
from catalog.selectors.vocabulary import read_query, words_near
from catalog.tests.factories import make_category, make_product
from catalog.tests.searching import found

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db, pytest.mark.usefixtures("shop")]


def corrected(text: str, language: str = "fr") -> str:
    with override(language):
        return read_query(text).corrected


@pytest.fixture(scope="module")
def shop(module_rows) -> None:
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
        (
            "Lutin des paquets",
            noel,
            {
                "full_description_fr": "Une figurine de nos mains.",
                "name_en": "Parcel Elf",
                "name_de": "Päckchenwichtel auf der Straße",
            },
        ),
        ("Orbe des marées", pokeball, {"full_description_fr": "La porte d'un monde, sans clé."}),
        ("Lapin à la marguerite", crochet, {}),
        ("Horloge lune endormie", goodies, {"description_es": "Bufanda de rayas"}),
        ("Porte-clé renard", goodies, {"name_en": "Fox key ring"}),
    ):
        make_product(name, category=category, **texts)


DRAGONS = ["Dragon vieux-cuivre", "Dragonnet guimauve"]


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
        ("fr", "lapin-à-la-marguerite", ["Lapin à la marguerite"]),
        # Two words as one, one as two, and signs between them.
        ("fr", "poké ball", ["Orbe des marées"]),
        ("fr", "orbe poke balls", ["Orbe des marées"]),
        ("fr", "horlogelune", ["Horloge lune endormie"]),
        ("fr", "dragon & guimauve", ["Dragonnet guimauve"]),
        ("fr", "dragon+guimauve", ["Dragonnet guimauve"]),
        # What everything here is says nothing beside another word, and as ever alone.
        ("fr", "figurine horloge", ["Horloge lune endormie"]),
        ("fr", "statuettes dragons", DRAGONS),
        ("fr", "dragonnet guimauve figurine", ["Dragonnet guimauve"]),
        ("en", "frog figure", ["Rainette sous la feuille"]),
        ("es", "figurita ranita", ["Rainette sous la feuille"]),
        ("de", "Kupferdrachen-Figürchen", ["Dragon vieux-cuivre"]),
        ("de", "Kupferdrachenfigur", ["Dragon vieux-cuivre"]),
        ("fr", "figurine", ["Lutin des paquets"]),
        ("fr", "nos figurines", ["Lutin des paquets"]),
        ("fr", "figurine gnome", []),
        # Typing errors.
        ("fr", "rainete", ["Rainette sous la feuille"]),
        ("fr", "dragn", DRAGONS),
        ("fr", "hrologe", ["Horloge lune endormie"]),
        ("fr", "elx", []),
        # Synonyms that the shop comes with.
        ("fr", "grenouille", ["Rainette sous la feuille"]),
        ("en", "keychain", ["Porte-clé renard"]),
        ("es", "amigurumi", ["Lapin à la marguerite"]),
        # Not what is spelled nearly alike: « rayas ».
        ("es", "ranas", ["Rainette sous la feuille"]),
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


def test_a_corrected_query_says_what_it_was_taken_for():
    assert corrected("dragn horloge") == "dragon horloge"
    assert corrected("horlogelune endormie") == "horloge lune endormie"
    assert corrected("dragon") == ""
    assert corrected("poké ball") == ""
    assert corrected("xyzzyq") == ""
    # Staff wrote what it means.
    assert corrected("ranas", "es") == ""
    assert corrected("rays", "es") == "rayas"


def test_words_that_find_nothing_together_are_proposed_one_by_one():
    query = read_query("dragon horloge")
    assert list(find_matches(query).keys) == []
    assert {"dragon", "horloge"} <= set(words_near(query, 5))
    assert words_near(read_query("xyzzyq"), 5) == []


@pytest.mark.parametrize(
    ("text", "queries"), [("dragon", 4), ("dragon cuivre vieux", 4), ("dragn", 5), ("xyzzyq", 3)]
)
def test_a_search_costs(django_assert_num_queries, text, queries):
    # the synonyms, the vocabulary, near words for unknown ones; the entries, the products
    with django_assert_num_queries(queries):
        find_matches(read_query(text))
