"""The catalogues' own tool: what it finds, keeps, refuses and compiles."""

import gettext

import messages
import pytest

PYTHON = """
from django.utils.translation import gettext_lazy as _, ngettext, npgettext, pgettext
TITLE = _("Panier")
def say(n):
    return ngettext("%(n)d article", "%(n)d articles", n) % {"n": n}
STATE = pgettext("order", "Ouvert")
COUNT = npgettext("cart", "%(n)d pièce", "%(n)d pièces", 2)
LONG = _(
    "Une phrase "
    "en deux morceaux."
)
"""
TEMPLATE = """{% load i18n %}
<h1>{% translate "Votre panier" %}</h1>
    <p title="{% translate 'Total' context 'cart' %}">
  {% blocktranslate count n=count trimmed %}
     {{ n }} produit
  {% plural %}
     {{ n }} produits
  {% endblocktranslate %}</p>
{{ _("Continuer") }}
{% comment %}{% translate "Oublié" %}{% endcomment %}
"""


@pytest.fixture
def root(tmp_path):
    """A small project with one module and one template."""
    for path, text in {"shop/cart.py": PYTHON, "templates/cart.html": TEMPLATE}.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return tmp_path


def catalogue(root, language):
    return messages.catalogue_path(language, root).read_text()


def extracted(root):
    return [message for message in messages.extract_messages(root) if message.id]


def translate_everything(root):
    """Every message translated by itself with a mark."""
    messages.update(root)
    for language in messages.TRANSLATED:
        given = {}
        for message in extracted(root):
            given[messages.key_of(message)] = (
                [f"{form} +" for form in message.id] if message.pluralizable else f"{message.id} +"
            )
        assert messages.fill(language, given, root) == []


def test_finds_every_message_of_modules_and_templates(root):
    assert sorted(
        (message.id, message.context) for message in extracted(root) if not message.pluralizable
    ) == [
        ("Continuer", None),
        ("Ouvert", "order"),
        ("Panier", None),
        ("Total", "cart"),
        ("Une phrase en deux morceaux.", None),
        ("Votre panier", None),
    ]
    assert sorted((message.id, message.context) for message in extracted(root) if message.pluralizable) == [
        (("%(n)d article", "%(n)d articles"), None),
        (("%(n)d pièce", "%(n)d pièces"), "cart"),
        (("%(n)s produit", "%(n)s produits"), None),
    ]


def test_leaves_tests_and_migrations_alone(root):
    for folder in ("shop/tests", "shop/migrations"):
        (root / folder).mkdir()
        (root / folder / "module.py").write_text('_("Jamais")')
    assert "Jamais" not in [message.id for message in extracted(root)]


def test_two_plurals_of_one_message_are_refused(root):
    (root / "shop/other.py").write_text('ngettext("%(n)d article", "%(n)d autres", 2)')
    with pytest.raises(ValueError, match="has two plurals"):
        messages.extract_messages(root)


def test_update_counts_what_is_left_to_translate(root):
    assert messages.update(root) == {"en": 9, "es": 9, "de": 9}


def test_update_twice_changes_nothing(root):
    messages.update(root)
    before = {language: catalogue(root, language) for language in messages.PLURALS}
    messages.update(root)
    assert {language: catalogue(root, language) for language in messages.PLURALS} == before
    assert "Date" not in before["en"]
    assert "cart.py" not in before["en"]


def test_update_keeps_translations_and_drops_what_is_gone(root):
    translate_everything(root)
    (root / "shop/cart.py").write_text('_("Panier")\n_("Nouveau")')
    assert messages.update(root) == {"en": 1, "es": 1, "de": 1}
    text = catalogue(root, "en")
    assert 'msgid "Panier"\nmsgstr "Panier +"' in text
    assert 'msgid "Nouveau"\nmsgstr ""' in text
    assert "Ouvert" not in text
    assert "fuzzy" not in text


def test_the_source_language_holds_its_plurals_only(root):
    messages.update(root)
    assert catalogue(root, "fr").count("\nmsgid ") == 3
    assert 'msgstr[1] "%(n)d articles"' in catalogue(root, "fr")


def test_missing_gives_what_fill_takes(root):
    messages.update(root)
    wanted = messages.missing("en", root)
    assert wanted["%(n)d article"] == ["", ""]
    assert wanted["order\x04Ouvert"] == ""
    messages.fill("en", {"%(n)d article": ["%(n)d item", "%(n)d items"], "order\x04Ouvert": "Open"}, root)
    assert set(wanted) - set(messages.missing("en", root)) == {"%(n)d article", "order\x04Ouvert"}


def test_fill_refuses_what_the_sources_do_not_have(root):
    messages.update(root)
    assert messages.fill("en", {"Inconnu": "Unknown", "Panier": "Cart"}, root) == ["Inconnu"]
    assert "Inconnu" not in catalogue(root, "en")
    assert 'msgid "Panier"\nmsgstr "Cart"' in catalogue(root, "en")


def test_a_complete_catalogue_passes(root):
    translate_everything(root)
    assert messages.check(root) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('msgstr "Panier +"', 'msgstr ""', ["en: untranslated: 'Panier'"]),
        ('msgid "Panier"\nmsgstr "Panier +"\n', "", ["en: missing: 'Panier'"]),
        ('msgid "Panier"', 'msgid "Corbeille"', ["en: unused: 'Corbeille'", "en: missing: 'Panier'"]),
        (
            'msgid "Panier"',
            '#, fuzzy\nmsgid "Panier"',
            ["en: fuzzy: 'Panier'", "en: untranslated: 'Panier'"],
        ),
        ('msgid "Panier"', '#~ msgid "Vieux"\n#~ msgstr "Old"\n\nmsgid "Panier"', ["en: obsolete: 'Vieux'"]),
        (
            'msgstr[1] "%(n)d articles +"',
            'msgstr[1] "articles +"',
            ["en: placeholders or tags differ: '%(n)d article' -> 'articles +'"],
        ),
        ('msgstr[1] "%(n)d articles +"', 'msgstr[1] ""', ["en: untranslated: '%(n)d article'"]),
        (
            'msgstr "Panier +"',
            'msgstr "<b>Panier</b>"',
            ["en: placeholders or tags differ: 'Panier' -> '<b>Panier</b>'"],
        ),
        (
            'msgstr "Panier +"',
            'msgstr "Cart by E-mail"',
            ["en: say email: 'Panier'"],
        ),
        ('msgstr "Panier +"', 'msgstr "Installment"', ["en: say it with one l: 'Panier'"]),
        ("plural=(n != 1);", "plural=(n > 1);", ["en: Plural-Forms must be nplurals=2; plural=(n != 1);"]),
    ],
)
def test_each_fault_of_a_catalogue_is_named(root, old, new, expected):
    translate_everything(root)
    path = messages.catalogue_path("en", root)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert messages.check(root) == expected


def test_a_missing_catalogue_is_named(root):
    translate_everything(root)
    messages.catalogue_path("de", root).unlink()
    assert messages.check(root) == ["de: locale/de/LC_MESSAGES/django.po is missing"]


@pytest.mark.parametrize(
    ("language", "said", "instead"),
    [
        ("en", "Attach your images", "picture"),
        ("en", "Our host", "hosting provider"),
        ("en", "Deleted format no. 7", "size"),
        ("es", "administración tributaria y contable", "asesoría contable"),
        ("de", "Ihre Note", "Sterne, Bewertung"),
        ("de", "Der Zusteller", "Paketdienst"),
        ("de", "Der Zustand", "Status"),
        ("de", "Als Prüfwerte", "Hashwert"),
        ("de", "Nie bestätigte Anmeldungen", "Registrierung"),
        ("de", "Finanzverwaltung und Buchhaltung", "Steuerberatung"),
    ],
)
def test_a_language_keeps_to_one_word_for_one_thing(root, language, said, instead):
    translate_everything(root)
    path = messages.catalogue_path(language, root)
    path.write_text(path.read_text().replace('msgstr "Panier +"', f'msgstr "{said}"'))
    assert messages.check(root) == [f"{language}: say {instead}: 'Panier'"]


@pytest.mark.parametrize(
    "text",
    ["Total : 3", "Vraiment ?", "« ici »", "Bravo !", "0,50 €", "5 Mo au plus", "jusqu'à %(weight)s kg"],
)
def test_french_wants_no_break_spaces(root, text):
    (root / "shop/cart.py").write_text(f'_("{text}")')
    translate_everything(root)
    assert messages.check(root) == [
        f"sources: {text!r} has a plain space where French wants a no-break space"
    ]


def test_compiles_what_gettext_reads(root):
    translate_everything(root)
    assert len(messages.compile_catalogues(root)) == 4
    assert messages.compile_catalogues(root) == []
    english = gettext.translation("django", root / "locale", ["en"])
    assert english.gettext("Panier") == "Panier +"
    assert english.pgettext("order", "Ouvert") == "Ouvert +"
    assert english.ngettext("%(n)d article", "%(n)d articles", 0) == "%(n)d articles +"
    french = gettext.translation("django", root / "locale", ["fr"])
    assert french.ngettext("%(n)d article", "%(n)d articles", 0) == "%(n)d article"
    assert french.ngettext("%(n)d article", "%(n)d articles", 2) == "%(n)d articles"
