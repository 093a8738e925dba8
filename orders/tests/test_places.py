"""One answer for an address: VAT, customs, delivery zone and rate, for the rows that the shop ships with."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from django.utils import translation
from django_countries import countries

from orders.invoices.tax import SoldLine, decide_tax
from orders.models import DeliveryStop, ShippingZone
from orders.pricing.shipping import find_zone
from orders.pricing.territories import (
    UNION,
    VatPosition,
    find_place,
    normalise_postcode,
)
from orders.pricing.vat import Treatment
from orders.selectors.delivery import shipping_table
from orders.selectors.destinations import country_code, is_stopped, place_at
from orders.selectors.rules import checkout_countries, load_pricing_rules
from orders.selectors.territories import load_territories
from orders.staff.settings_forms import DeliveryStopForm
from orders.tests.factories import make_order, pay_order
from shop.core.money import ZERO
from shop.core.postcodes import postcode_error

pytestmark = pytest.mark.django_db

E, U, O, W = "france-europe", "rest-of-union", "overseas-france", "rest-of-world"  # noqa: E741
# Country, postcode; VAT, whether customs are met, zone, rate of a parcel of 500 g.
ADDRESSES = [
    ("FR", "", "home", False, E, "9.99"), ("FR", "75001", "home", False, E, "9.99"),
    ("FR", "20000", "home", False, E, "9.99"), ("FR", "98000", "home", False, E, "9.99"),
    ("MC", "98000", "home", False, E, "9.99"), ("MC", "", "home", False, E, "9.99"),
    ("FR", "97100", "outside", True, O, "19.99"), ("GP", "97110", "outside", True, O, "19.99"),
    ("FR", "97200", "outside", True, O, "19.99"), ("MQ", "", "outside", True, O, "19.99"),
    ("FR", "97300", "outside", True, O, "19.99"), ("GF", "97300", "outside", True, O, "19.99"),
    ("FR", "97400", "outside", True, O, "19.99"), ("RE", "97400", "outside", True, O, "19.99"),
    ("FR", " 97 490 ", "outside", True, O, "19.99"), ("RE", "", "outside", True, O, "19.99"),
    ("FR", "97600", "outside", True, O, "19.99"), ("YT", "97600", "outside", True, O, "19.99"),
    ("FR", "97150", "outside", True, O, "19.99"), ("MF", "97150", "outside", True, O, "19.99"),
    ("FR", "97133", "outside", True, O, "19.99"), ("BL", "97133", "outside", True, O, "19.99"),
    ("FR", "97500", "outside", True, O, "19.99"), ("PM", "97500", "outside", True, O, "19.99"),
    ("FR", "98600", "outside", True, O, "19.99"), ("WF", "98600", "outside", True, O, "19.99"),
    ("FR", "98714", "outside", True, O, "19.99"), ("PF", "98714", "outside", True, O, "19.99"),
    ("FR", "98800", "outside", True, O, "19.99"), ("NC", "98800", "outside", True, O, "19.99"),
    ("DE", "10115", "union", False, E, "9.99"), ("DE", "27498", "outside", True, E, "9.99"),
    ("DE", "78266", "outside", True, E, "9.99"), ("DE", "78267", "union", False, E, "9.99"),
    ("ES", "28001", "union", False, E, "9.99"), ("ES", "07001", "union", False, E, "9.99"),
    ("ES", "35001", "outside", True, E, "9.99"), ("ES", "38001", "outside", True, E, "9.99"),
    ("ES", "51001", "outside", True, E, "9.99"), ("ES", "52001", "outside", True, E, "9.99"),
    ("FI", "00100", "union", False, E, "9.99"), ("FI", "22100", "outside", True, E, "9.99"),
    ("AX", "AX-22100", "outside", True, E, "9.99"), ("IT", "00184", "union", False, E, "9.99"),
    ("IT", "23041", "outside", True, E, "9.99"), ("IT", "22061", "outside", True, E, "9.99"),
    ("IT", "47890", "outside", True, U, "14.99"), ("SM", "47890", "outside", True, U, "14.99"),
    ("IT", "00120", "outside", True, U, "14.99"), ("VA", "", "outside", True, U, "14.99"),
    ("GR", "10431", "union", False, U, "14.99"), ("GR", "630 86", "outside", True, U, "14.99"),
    ("DK", "1050", "union", False, E, "9.99"), ("DK", "3900", "outside", True, W, "49.99"),
    ("GL", "3900", "outside", True, W, "49.99"), ("PT", "1000-205", "union", False, E, "9.99"),
    ("PT", "9500-150", "union", False, E, "9.99"), ("PT", "9000-060", "union", False, E, "9.99"),
    ("AT", "6691", "union", False, E, "9.99"), ("PL", "00-001", "union", False, U, "14.99"),
    ("IE", "", "union", False, U, "14.99"), ("CY", "1010", "union", False, U, "14.99"),
    ("HR", "10000", "union", False, U, "14.99"), ("MT", "", "union", False, U, "14.99"),
    ("CH", "1204", "outside", True, E, "9.99"), ("NO", "0150", "outside", True, E, "9.99"),
    ("CH", "9490", "outside", True, U, "14.99"), ("LI", "9490", "outside", True, U, "14.99"),
    ("AD", "AD500", "outside", True, U, "14.99"), ("GB", "SW1A 1AA", "outside", True, W, "49.99"),
    ("GB", "BT1 1AA", "union", False, W, "49.99"), ("GB", "bt11aa", "union", False, W, "49.99"),
    ("US", "35001", "outside", True, W, "49.99"), ("JP", "974-0001", "outside", True, W, "49.99"),
    ("BR", "", "outside", True, W, "49.99"), ("ZZ", "97400", "outside", True, W, "49.99"),
]  # fmt: skip


@pytest.mark.parametrize(("country", "postcode", "vat", "customs", "zone", "rate"), ADDRESSES)
def test_an_address_has_one_vat_one_customs_rule_one_zone_and_one_rate(
    country, postcode, vat, customs, zone, rate
):
    place = place_at(country, "", postcode)
    rules = load_pricing_rules()
    found = find_zone(place, rules.zones, rules.fallback_zone)
    assert (place.vat, place.meets_customs, found.code, str(found.rate_for(500))) == (
        vat,
        customs,
        zone,
        rate,
    )


@pytest.mark.parametrize(
    ("country", "postcode", "inside"),
    [("FR", "97400", True), ("GP", "", True), ("FR", "97133", False), ("NC", "", False), ("ES", "38001", True),
     ("ES", "51001", False), ("FI", "22100", True), ("IT", "23041", False), ("IT", "22061", True),
     ("DE", "78266", False),
     ("DE", "27498", False), ("GR", "63086", True), ("GB", "BT1 1AA", True), ("GB", "SW1A 1AA", False)],
)  # fmt: skip
def test_the_customs_area_is_not_the_vat_area(country, postcode, inside):
    assert place_at(country, "", postcode).in_customs_area is inside


def test_the_zones_that_the_shop_starts_with():
    rows = load_pricing_rules()
    assert [
        (zone.code, str(zone.rate), str(zone.free_from)) for zone in (*rows.zones, rows.fallback_zone)
    ] == [
        (E, "9.99", "50.00"),
        (U, "14.99", "100.00"),
        (O, "39.99", "None"),
        (W, "49.99", "None"),
    ]


def test_the_facts_agree_for_every_country_and_postcode():
    territories, rules = load_territories(), load_pricing_rules()
    postcodes = {"", "1204", "69003", "SW1A 1AA", *(postcode for _c, postcode, *_rest in ADDRESSES)}
    seen, places = set(), set()
    for country in [*dict(countries), "ZZ"]:
        for postcode in postcodes:
            place = find_place(country, postcode, territories)
            zone = find_zone(place, rules.zones, rules.fallback_zone)
            if place not in places:
                tax = decide_tax(
                    place=place, lines=[SoldLine(Decimal("40.00"))], shipping=ZERO, day=date(2026, 6, 1)
                )
                assert place.meets_customs is (tax.treatment == Treatment.EXPORT), (country, postcode)
                assert place.meets_customs or place.in_customs_area
                places.add(place)
            if place.vat == VatPosition.UNION:
                assert place.country in UNION or place.territory == "GB-NIR"
                assert place.vat_percent is not None or place.country in UNION
            if place.country != country:
                # A territory counts as its code: whoever writes the code gets the same place.
                again = find_place(place.country, postcode, territories)
                assert again == place, (country, postcode)
            seen.add((place.vat, place.meets_customs, zone.code))
    assert {vat for vat, _customs, _zone in seen} == set(VatPosition)
    assert not any(map(is_stopped, places))


def test_a_country_named_under_other_is_that_country_everywhere(client):
    assert place_at("ZZ", "Pologne", "00-001") == place_at("PL", "", "00-001")
    assert place_at("ZZ", "ÉTHIOPIE", "").country == "ET"
    assert place_at("ZZ", "La Lune", "").country == "ZZ"


def test_a_stop_of_the_united_kingdom_spares_northern_ireland():
    DeliveryStop.objects.create(country="GB")
    assert is_stopped(place_at("GB", "", "SW1A 1AA")) is True
    assert is_stopped(place_at("GB", "", "BT1 1AA")) is False
    assert DeliveryStopForm({"country": "NC"}).is_valid()
    assert not DeliveryStopForm({"country": "AX"}).is_valid()


@pytest.mark.parametrize(
    ("country", "postcode", "counted", "treatment", "mention"),
    [
        ("FR", "97400", "RE", "export",
         "Livraison dans un département d'outre-mer, assimilée à une exportation, art. 294 du CGI. Droits et taxes "
         "d'importation à la charge du destinataire."),
        ("ES", "35001", "ES", "export",
         "Exportation hors du territoire fiscal de l'Union européenne, art. 262 I du CGI. Droits et taxes "
         "d'importation à la charge du destinataire."),
        ("ES", "28001", "ES", "franchise", None),
        ("GB", "BT1 1AA", "GB", "franchise", None),
        ("MC", "98000", "MC", "franchise", None),
    ],
)  # fmt: skip
def test_the_invoice_freezes_the_place(fake_stripe, country, postcode, counted, treatment, mention):
    order = pay_order(make_order(country=country, postal_code=postcode))
    invoice = order.invoices.get()
    assert (invoice.country, invoice.data["delivery"]["country"]) == (counted, counted)
    assert invoice.data["tax"]["treatment"] == treatment
    exports = [each["fr"] for each in invoice.data["mentions"] if each["name"] == "export"]
    assert exports == ([mention] if mention else [])


def test_the_terms_name_each_country_of_the_checkout_at_the_rate_that_it_pays():
    rules = load_pricing_rules()
    paid = {}
    for choice in checkout_countries():
        zone = find_zone(find_place(choice.code, "", rules.territories), rules.zones, rules.fallback_zone)
        if zone != rules.fallback_zone:
            paid[choice.name] = zone.rate

    assert {name: row.rate for row in shipping_table() for name in row.countries} == paid
    assert (paid["Monaco"], paid["Îles Åland"]) == (Decimal("9.99"), Decimal("9.99"))


def test_countries_are_sorted_as_their_reader_sorts_them(settings):
    zone = ShippingZone.objects.get(code="rest-of-world")
    zone.countries = ["ET", "ES", "EG", "ZW", "AX", "AT"]
    ShippingZone.objects.filter(code="france-europe").update(countries="FR")
    zone.save()
    with translation.override("fr"):
        names = [choice.name for choice in checkout_countries()]
        assert (names[0], names[-1]) == ("France", "Autre")
        assert (
            names.index("Espagne")
            < names.index("Éthiopie")
            < names.index("Géorgie" if "Géorgie" in names else "Grèce")
        )
    with translation.override("de"):
        names = [choice.name for choice in checkout_countries()]
        assert names.index("Neukaledonien") < names.index("Österreich") < names.index("Polen")


@pytest.mark.parametrize(
    "text",
    [
        *("97400", "97 400", "9-7-4-0-0", "９７４００", "97\u00a0400"),
        # With the sign of its country, as it is taken at the checkout.
        *("F-97400", "FR-97400", "F- 97400", "F--97400", "FR-F-97400"),
    ],
)
def test_whatever_passes_as_french_is_read_as_the_same_digits(text):
    assert postcode_error("FR", text) == ""
    assert normalise_postcode(text) == "97400"
    assert place_at("FR", "", text).territory == "RE"


@pytest.mark.parametrize("text", ["BT1 1AA", "BT-1 1AA", "bt11aa", "GB-BT1 1AA"])
def test_whatever_passes_as_northern_irish_is_there(text):
    assert postcode_error("GB", text) == ""
    assert place_at("GB", "", text).territory == "GB-NIR"
    assert place_at("GB", "", "SW1A 1AA").territory == ""


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        *(("Tchéquie", "CZ"), ("Tschechien", "CZ"), ("république  TCHÈQUE", "CZ"), ("Pays Bas", "NL")),
        *(("Hollande", "NL"), ("Côte d’Ivoire", "CI"), ("Cote d'Ivoire", "CI"), ("Royaume Uni", "GB")),
        *(("UK", "GB"), ("USA", "US"), ("U.S.A.", "US"), ("etats unis", "US"), ("EE. UU.", "US")),
        *(("Atlantide", "ZZ"), ("", "ZZ"), ("-", "ZZ")),
    ],
)
def test_a_country_is_known_however_its_name_is_typed(typed, code):
    assert country_code("ZZ", typed) == code


def test_no_two_countries_have_the_same_name():
    """The last one would be taken for the other: every country is known by its own names."""
    for language in ("fr", "en", "es", "de"):
        with translation.override(language):
            for code, name in countries:
                assert country_code("ZZ", str(name)) == code
                assert country_code("ZZ", countries.alpha3(code)) == code


def test_nothing_is_sold_to_a_stopped_country_that_is_typed_under_another_name():
    DeliveryStop.objects.create(country="US")
    assert [is_stopped(place_at("ZZ", name, "")) for name in ("USA", "etats unis", "Japon")] == [
        True,
        True,
        False,
    ]
