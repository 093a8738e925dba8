"""What an article's Markdown becomes."""

import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from blog.markup import (
    cited_products,
    picture_files,
    reading_minutes,
    render_article,
    word_count,
)
from blog.selectors.articles import article_url, render_values
from blog.tests.articles import make_article, make_picture
from catalog.selectors.addresses import product_url
from catalog.tests.factories import make_product


def html(text: str) -> str:
    return str(render_article(text, {}, {}).html)


@pytest.mark.parametrize(("words", "minutes"), [(0, 1), (1, 1), (200, 1), (201, 2), (400, 2), (401, 3)])
def test_reading_minutes_are_words_by_two_hundred_rounded_up(words, minutes):
    assert reading_minutes(words) == minutes


def test_word_count_counts_what_is_read():
    assert word_count("## Un titre\n\n**Deux** [mots](/faq) ![une image](/media/blog/a.jpg)\n\n- trois") == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**fort** *doux*", "<p><strong>fort</strong> <em>doux</em></p>\n"),
        ("- un\n- deux", "<ul>\n<li>un</li>\n<li>deux</li>\n</ul>\n"),
        ("un\n\n---", "<p>un</p>\n<hr>\n"),
        ("# Un\n\n### Deux\n\n##### Trois", '<h2 id="un">Un</h2>\n<h3>Deux</h3>\n<h4>Trois</h4>\n'),
        ("[a](https://example.com)", '<p><a href="https://example.com" rel="noopener">a</a></p>\n'),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>\n"),
        ("![a](https://example.com/x.jpg)", "<p></p>\n"),
        ("![a](/media/blog/autre.jpg)", "<p></p>\n"),
    ],
)
@pytest.mark.django_db
def test_render_article_gives_what_the_shop_allows_and_nothing_else(text, expected):
    assert html(text) == expected


def test_headings_have_names_of_their_own():
    body = render_article("## La résine\n\n## La résine\n\n## ？\n\nLe **four**\nest chaud\n---", {}, {})
    assert [(heading.text, heading.anchor) for heading in body.headings] == [
        ("La résine", "la-resine"),
        ("La résine", "la-resine-2"),
        ("？", "partie"),
        # A rule right below a text makes a heading of its lines.
        ("Le four est chaud", "le-four-est-chaud"),
    ]


@pytest.mark.django_db
def test_headings_have_no_name_of_the_page_around_them(client):
    make_article()
    article = make_article(content_fr="## Chapitre un\n\n## Chapitre deux", products=[make_product().pk])
    page = client.get(article_url(article)).content.decode()
    words = [name for name in re.findall(r' id="([^"]+)"', page) if "-" not in name]
    assert {"contenu", "sommaire", "live"} < {*words}
    body = render_article("\n\n".join(f"## {name}" for name in [*words, "A lire"]), {}, {})
    assert {heading.anchor for heading in body.headings}.isdisjoint(re.findall(r' id="([^"]+)"', page))


@pytest.mark.django_db
def test_pictures_of_the_shop_are_figures_with_their_caption():
    make_picture("atelier")
    body = render_values({"content_fr": '![L\'atelier "vu"](/media/blog/atelier.jpg "Un <b>soir</b>")'}, "fr")
    assert str(body.html).startswith('<figure class="article__figure"><picture><source type="image/avif"')
    assert 'alt="L&#x27;atelier &quot;vu&quot;"' in body.html
    assert "<figcaption>Un &lt;b&gt;soir&lt;/b&gt;</figcaption></figure>" in body.html
    assert "<p>" not in body.html


@pytest.mark.django_db
def test_a_picture_within_a_sentence_is_no_figure():
    make_picture("atelier")
    body = render_values({"content_fr": "Voici ![x](/media/blog/atelier.jpg) là."}, "fr")
    assert "<figure" not in body.html
    assert "<p>Voici <picture>" in body.html


def test_places_that_somebody_typed_show_nothing():
    assert html("\ue0007\ue001").strip() == ""


@pytest.mark.django_db
def test_a_picture_in_a_heading_names_the_table_below_by_its_words_and_stays_out_of_attributes():
    make_picture("atelier")
    table = "|a|\n|-|\n|1|"
    text = f"![Le four](/media/blog/atelier.jpg)\n\n## Le four ![chaud](/media/blog/atelier.jpg)\n\n{table}"
    body = str(render_values({"content_fr": f"{text}\n\n## \ue0000\ue001Froid\n\n{table}"}, "fr").html)
    assert re.findall('<table aria-label="([^"]*)">', body) == ["Le four chaud", "Froid"]
    assert body.count("<picture>") == 2


class Seen(HTMLParser):
    """What a browser makes of a text: elements, attributes, addresses."""

    def __init__(self, body: str) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()
        self.addresses: list[str] = []
        self.feed(body)

    def handle_starttag(self, tag, attrs):
        self.found |= {(tag, name) for name, _value in attrs} or {(tag, "")}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


HOSTILE = (
    "<script>alert(1)</script>", "<ScRiPt src=//x.test/a.js>", "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>", "<math><mi//xlink:href='data:x,<script>'>",
    "<a href='javascript:alert(1)'>a</a>", "[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))", "[a](<java&#x0A;script:alert(1)>)", "[a](&#106;avascript:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)", "[a](vbscript:msgbox(1))", "[a](file:///etc/passwd)",
    "<javascript:alert(1)>", "![a](javascript:alert(1))", "![a](http://169.254.169.254/)",
    "![a](data:image/svg+xml,<svg onload=alert(1)>)", '[a](/x "onmouseover=alert(1)")',
    '[a](/x" onmouseover="alert(1))', "<iframe srcdoc='<script>alert(1)</script>'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<form action=//x.test><button>",
    "<style>@import '//x.test'</style>", "<base href=//x.test>", "<meta http-equiv=refresh content=0>",
    "<!--><img src=x onerror=alert(1)>-->", "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "&lt;img src=x onerror=alert(1)&gt;",
    "`<img src=x onerror=alert(1)>`", "[a]: javascript:alert(1)\n\n[a]",
    "## <img src=x onerror=alert(1)>\n\n|a|\n|-|\n|b|",
    "<details open ontoggle=alert(1)>", "<template><script>alert(1)</script></template>",
)  # fmt: skip


@pytest.mark.django_db
def test_what_would_run_or_be_fetched_is_text_and_what_looks_like_it_stays():
    for hostile in HOSTILE:
        seen = Seen(html(f"Avant {hostile}\n\n{hostile}\n\nAprès 10 < 12 cm, 3 > 2 & {{{{ 7*7 }}}}"))
        assert {tag for tag, _name in seen.found} <= {
            *("p", "a", "h2", "code", "div", "table", "thead", "tbody", "tr", "th", "td"),
        }, hostile
        assert {name for _tag, name in seen.found} <= {
            *("", "href", "title", "rel", "id", "class", "tabindex", "role", "aria-label"),
        }, hostile
        assert {urlsplit(address).scheme for address in seen.addresses} <= {"", "http"}, hostile
    assert html("10 < 12 cm & {{ 7*7 }}") == "<p>10 &lt; 12 cm &amp; {{ 7*7 }}</p>\n"


@pytest.mark.django_db
def test_a_link_to_a_product_alone_is_a_card_and_within_a_sentence_a_link():
    piece = make_product("Hibou")
    hidden = make_product("Secret", is_published=False)
    text = f"[Hibou]({product_url(piece)})\n\nVoir [Hibou](/produit/{piece.pk}).\n\n[Secret](/produit/{hidden.pk})"
    assert cited_products(text) == [piece.pk, hidden.pk]
    english = f"[Owl](http://localhost:8000/en/product/{piece.pk}-owl?format=1)"
    assert cited_products(english) == [piece.pk]
    body = str(render_values({"content_fr": text}, "fr").html)
    assert body.count('<aside class="cited">') == 1
    assert f'Voir <a href="/produit/{piece.pk}" rel="noopener">Hibou</a>' in body
    assert f'<p><a href="/produit/{hidden.pk}" rel="noopener">Secret</a></p>' in body


def test_picture_files_are_those_of_the_media_storage():
    text = "![a](/media/blog/a.jpg) ![b](https://example.com/media/blog/b.jpg)\n\n- ![c](/media/blog/c.jpg)"
    assert picture_files(text) == {"blog/a.jpg", "blog/c.jpg"}
