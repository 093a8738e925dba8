"""Legal pages: what the owner and the delivery zones say stands in them, as text."""

import re
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import translation

from orders.models import DeliveryStop, ShippingZone
from orders.tests.factories import make_zones
from shop.core.models import ShopSettings
from shop.pages.selectors import legal_texts
from shop.pages.selectors.legal_texts import legal_page

pytestmark = pytest.mark.django_db

PAGES = ["terms", "privacy", "legal-notice"]


def settings_row(**values: str) -> None:
    ShopSettings.objects.update_or_create(pk=1, defaults=values)


@pytest.fixture(autouse=True)
def _zones() -> None:
    make_zones()


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
@pytest.mark.parametrize("page", PAGES)
def test_no_place_stays_open(page: str, language: str) -> None:
    with translation.override(language):
        text = legal_page(page)
    assert "{{" not in f"{text.title}{text.description}{text.html}"
    assert text.title
    assert text.version == "2026-11-01"
    assert len(text.contents) >= 3
    for anchor, _label in text.contents:
        assert text.html.count(f'<h2 id="{anchor}">') == 1


def test_what_is_not_filled_in_is_said_to_be_missing() -> None:
    settings_row(trader_name="", siret="")
    assert "SIRET\u00a0: [à compléter]" in legal_page("legal-notice").html


def test_the_owner_s_words_are_text() -> None:
    settings_row(
        trader_name="<b>Léa</b> [x](javascript:alert) *Martin*\n# EI",
        email="bonjour@example.com",
        address="3 rue des Carmes\n69003 Lyon",
    )
    html = legal_page("legal-notice").html
    assert "&lt;b&gt;Léa&lt;/b&gt; [x](javascript:alert) *Martin*, # EI" in html
    assert "<b>" not in html
    assert "3 rue des Carmes, 69003 Lyon" in html
    assert re.search(r'<a href="mailto:bonjour@example\.com"[^>]*>bonjour@example\.com</a>', html)


def test_the_table_of_delivery_is_the_rows() -> None:
    html = legal_page("terms").html
    table = re.search(r"<table\b.*?</table>", html, re.S)
    assert table is not None
    # Named as its section is, and what scrolls around it too.
    named = 'aria-label="6. La fabrication et la livraison">'
    assert f'<div class="table-scroll" tabindex="0" role="group" {named}<table {named}' in html
    assert "9,99\u00a0€" in table[0]
    assert "50,00\u00a0€" in table[0]
    assert "49,99\u00a0€" in table[0]
    assert "Allemagne" in table[0]
    assert ">Tous les autres<" in table[0]
    ShippingZone.objects.filter(code="france-europe").update(rate=Decimal("11.50"))
    assert "11,50\u00a0€" in legal_page("terms").html
    assert ">9,99\u00a0€" not in legal_page("terms").html


def test_a_country_that_is_not_served_is_none_of_the_others() -> None:
    DeliveryStop.objects.create(country="NO")
    DeliveryStop.objects.create(country="CH")
    assert ">Tous les autres, sauf\u00a0: Norvège, Suisse<" in legal_page("terms").html


def test_gdpr_5_13_the_privacy_page_prints_the_configured_periods(settings: object) -> None:
    settings.RETENTION = {**settings.RETENTION, "contact_years": 7, "unpaid_days": 123}  # type: ignore[attr-defined]
    html = legal_page("privacy").html
    assert "123 jours pour une commande jamais payée" in html
    assert "7 ans après le message" in html


def test_an_unknown_place_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError, match="siren"):
        legal_texts._fill("SIREN {{ siren }}", {"siret": "1"})


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/cgv", "Conditions générales de vente"),
        ("/politique-confidentialite", "Politique de confidentialité"),
        ("/mentions-legales", "Mentions légales"),
    ],
)
def test_the_page_has_its_title_and_its_contents(client: Client, path: str, title: str) -> None:
    page = client.get(path).content.decode()
    assert f"<title>{title} · L&#x27;Établi aux figurines</title>" in page
    assert f'<h1 class="text-page__title">{title}</h1>' in page
    anchors = re.findall(r'<li><a href="#([^"]+)">', page)
    assert anchors
    assert set(anchors) <= set(re.findall(r' id="([^"]+)"', page))
