"""The island tag, the props registry and their types in the API schema."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings as project
from django.core.exceptions import ImproperlyConfigured
from django.template import Context, Template, TemplateSyntaxError
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

from shop.core import islands
from shop.core.money import format_amount
from shop.core.tests.fake_build import write_manifest


class StampProps(serializers.Serializer):
    name = serializers.CharField()
    price = serializers.DecimalField(max_digits=10, decimal_places=2)
    shade = serializers.ChoiceField(choices=["raw", "painted"], allow_null=True)


class OtherProps(serializers.Serializer):
    name = serializers.CharField()


@pytest.fixture(autouse=True)
def built(settings, tmp_path):
    settings.ASSET_MANIFEST = write_manifest(tmp_path / "manifest.json")
    content = json.loads(settings.ASSET_MANIFEST.read_text())
    for name in ("stamp", "plain"):
        content["islands"][name] = {
            "file": f"build/islands/{name}-AAAAAAAA.js",
            "imports": ["build/c/react.js"],
        }
    settings.ASSET_MANIFEST.write_text(json.dumps(content))


@pytest.fixture(autouse=True)
def stamp(monkeypatch):
    monkeypatch.setattr(islands, "_registered", {"stamp": StampProps})
    monkeypatch.setattr(islands, "_discover", lambda: None)


def render(source, **context):
    return Template("{% load islands %}" + source).render(Context(context))


def props(**changes):
    return StampProps({"name": "Gardien", "price": "49.90", "shade": None} | changes)


def test_an_island_carries_its_props_and_what_the_server_rendered():
    html = render(
        '{% island "stamp" on="visible" props=stamp %}<p>{{ text }}</p>{% endisland %}',
        stamp=props(),
        text="1 < 2",
    )

    assert html == (
        '<x-island name="stamp" on="visible">'
        '<script type="application/json">{"name": "Gardien", "price": "49.90", "shade": null}</script>'
        "<div data-fallback><p>1 &lt; 2</p></div></x-island>"
    )


def test_props_cannot_close_their_script():
    html = render('{% island "stamp" props=stamp %}{% endisland %}', stamp=props(name="</script><b>"))

    assert html.count("</script>") == 1
    assert "\\u003C/script\\u003E\\u003Cb\\u003E" in html


def test_an_island_without_props_has_no_script():
    assert render('{% island "plain" on="idle" %}x{% endisland %}') == (
        '<x-island name="plain" on="idle"><div data-fallback>x</div></x-island>'
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{% island %}{% endisland %}", "needs its name in quotes"),
        ("{% island stamp %}{% endisland %}", "needs its name in quotes"),
        ('{% island "stamp" on="hover" %}{% endisland %}', "does not understand"),
        ('{% island "stamp" media="print" %}{% endisland %}', "does not understand"),
        ('{% island "stamp" preload %}{% endisland %}', "does not understand 'preload'"),
        ('{% island "plain" %}{% island "plain" %}{% endisland %}{% endisland %}', "holds another island"),
        ('{% island "nothing" %}{% endisland %}', "no island named 'nothing'"),
    ],
)
def test_a_wrong_tag_is_a_template_error(source, message):
    with pytest.raises(TemplateSyntaxError, match=message):
        render(source)


@pytest.mark.parametrize("wrong", [{"name": "Gardien"}, OtherProps({"name": "Gardien"}), None])
def test_props_are_the_registered_serializer_and_nothing_else(wrong):
    with pytest.raises(TypeError, match="The props of island 'stamp' are a StampProps"):
        render('{% island "stamp" props=stamp %}{% endisland %}', stamp=wrong)


def test_props_without_a_registered_serializer_are_refused():
    with pytest.raises(TypeError, match="'plain' has no registered props serializer"):
        render('{% island "plain" props=stamp %}{% endisland %}', stamp=props())


MODULES = [
    "/static/build/islands/stamp-AAAAAAAA.js",
    "/static/build/c/react.js",
    "/static/build/c/es-GGGGGGGG.js",
]


def test_preloading_fetches_the_island_its_imports_and_the_words_after_what_is_painted_first():
    with translation.override("es"):
        html = render('{% preload_island "stamp" %}')

    assert html.split("\n") == [
        f'<link rel="modulepreload" href="{url}" fetchpriority="low">' for url in MODULES
    ]


def test_a_script_gets_the_same_addresses_in_one_attribute():
    with translation.override("es"):
        assert render('{% island_modules "stamp" %}') == " ".join(MODULES)


def test_an_island_has_one_props_serializer():
    islands.island_serializer("stamp")(StampProps)

    with pytest.raises(ImproperlyConfigured, match="two props serializers: StampProps and OtherProps"):
        islands.island_serializer("stamp")(OtherProps)


def test_props_become_types_of_the_schema():
    schemas = SchemaGenerator(patterns=[]).get_schema(request=None, public=True)["components"]["schemas"]

    assert schemas["StampProps"]["required"] == ["name", "price", "shade"]
    assert schemas["StampProps"]["properties"]["price"]["type"] == "string"
    shade = schemas["StampProps"]["properties"]["shade"]
    assert shade["nullable"] is True
    enums = [part["$ref"].rsplit("/", 1)[1] for part in shade["oneOf"]]
    assert [schemas[enum]["enum"] for enum in enums] == [["raw", "painted"], [None]]


def test_no_template_puts_an_island_inside_an_island_or_a_form():
    """Read from the sources: a form around an island would swallow the island's own."""
    wrong = []
    for path in Path(project.BASE_DIR, "templates").rglob("*.html"):
        depth = 0
        for found in re.finditer(r"<form\b|</form>|{% (end)?island\b", path.read_text(encoding="utf-8")):
            if found[0] == "</form>":
                depth -= 1
            elif found[0] == "<form":
                depth += 1
            elif not found[1] and depth:
                wrong.append(path.name)
    assert wrong == []


def test_islands_and_server_write_amounts_alike():
    """The same cases are read by the test of the islands' formatter."""
    path = Path(project.BASE_DIR, "frontend_islands", "lib", "money.cases.json")
    cases = json.loads(path.read_text(encoding="utf-8"))

    assert sorted(cases) == ["de", "en", "es", "fr"]
    for language, amounts in cases.items():
        assert {amount: format_amount(Decimal(amount), language) for amount in amounts} == amounts
