"""Search: one form for both sides, parts of words, every word, no wildcards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.models import Product
from catalog.selectors import search
from catalog.tests.factories import make_category, make_product

pytestmark = pytest.mark.both_engines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Éléonore", "eleonore"),
        ("E\u0301le\u0301onore", "eleonore"),
        ("STRAßE", "strasse"),
        ("İstanbul", "istanbul"),
        ("ısı", "isi"),
        ("Cœur, Œuf & Ænigme", "coeur oeuf sign26 aenigme"),
        ("L'été – l’hiver", "l ete l hiver"),
        ("porte-clé", "porte cle"),
        ("Chibi / Pop", "chibi pop"),
        ("« village\u00a0enneigé »", "village enneige"),
        ("18,5 cm", "18 5 cm"),
        ("100% résine_v2\\", "100 sign25 resine sign5f v2 sign5c"),
        ("ﬁgurine №5 ™", "figurine no5 tm"),
        ("re\u00adnard\u200d", "renard"),
        ("a\x00b\ud800c\u202ed", "a b cd"),
        ("🦊 ❤️", "sign1f98a sign2764"),
        ("  \t\n ", ""),
    ],
)
def test_both_sides_are_brought_to_one_form(text, expected):
    assert search.normalise(text) == expected


@given(st.text())
def test_only_letters_and_digits_are_left_and_normalising_again_changes_nothing(text):
    once = search.normalise(text)
    assert search.normalise(once) == once
    assert not set(once) & set("%_\\'\x00")


def test_a_query_is_trimmed_and_cut():
    assert search.clean_query("  dragon  ") == "dragon"
    assert search.clean_query("a" * 5000) == "a" * 200
    assert search.clean_query("dra\x00gon\ud800\r\n") == "dragon"


def test_words_are_looked_for_once_and_not_without_end():
    assert search.query_words("Dragon dragon DRAGÓN feu") == ["dragon", "feu"]
    assert len(search.query_words(" ".join(f"w{number}" for number in range(50)))) == 8


def test_a_text_is_stored_as_its_words():
    assert search.index_text(["Figurine, figurines !", "", "L'ours figurine"]) == " figurines l ours"


@given(
    st.lists(st.text(alphabet="abcé -'ß%_", max_size=12), max_size=6),
    st.text(alphabet="abcé'ß%_", max_size=5),
)
def test_leaving_out_beginnings_of_words_loses_no_match(texts, query):
    everything = "".join(f" {word}" for text in texts for word in search.normalise(text).split())
    kept = search.index_text(texts)
    for word in search.query_words(query):
        assert (search.pattern(word) in kept) == (search.pattern(word) in everything)


@pytest.fixture
def products(db) -> dict[str, Product]:
    category = make_category("bust", name_fr="Bustes", name_en="Busts")
    return {
        "dragon": make_product(
            "Dragon Vieux-Cuivre",
            category=category,
            description_fr="Trois cents ans d'orgueil.",
            full_description_fr="100% résine, peint à la main",
        ),
        "elf": make_product(
            "Éloïse l'elfe", category=category, name_de="Elfe an der Straße", full_description_en="A heart"
        ),
        "fox": make_product("Renard 🦊", category=category, description_fr="Cœur_tendre"),
    }


def found(products: dict[str, Product], text: str) -> set[str]:
    names = {product.pk: name for name, product in products.items()}
    words = search.query_words(text)
    return {
        names[pk] for pk in search.having_words(Product.objects.all(), words).values_list("pk", flat=True)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dragon", {"dragon"}),
        ("DRAGON", {"dragon"}),
        ("ragon", {"dragon"}),
        ("vieux cuivre", {"dragon"}),
        ("cuivre vieux", {"dragon"}),
        ("vieux-cuivre", {"dragon"}),
        ("dragon elfe", set()),
        ("orgueil", {"dragon"}),
        ("resine", {"dragon"}),
        ("RÉSINE", {"dragon"}),
        ("re\u0301sine", {"dragon"}),
        ("eloise", {"elf"}),
        ("ÉLOÏSE", {"elf"}),
        ("l'elfe", {"elf"}),
        ("l’elfe", {"elf"}),
        ("strasse", {"elf"}),
        ("STRAẞE", {"elf"}),
        ("heart", {"elf"}),
        ("coeur", {"fox"}),
        ("🦊", {"fox"}),
        ("bustes", {"dragon", "elf", "fox"}),
        ("busts", {"dragon", "elf", "fox"}),
        ("%", {"dragon"}),
        ("100%", {"dragon"}),
        ("_", {"fox"}),
        ("r_n", set()),
        ("r%n", set()),
        ("\\", set()),
        ("' OR 1=1 --", set()),
        # Up to two letters: only at the beginning of a word.
        ("el", {"elf"}),
        ("lf", set()),
        ("dr cu", {"dragon"}),
    ],
)
def test_search(products, text, expected):
    assert found(products, text) == expected
