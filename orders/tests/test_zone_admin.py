"""What the administration refuses of zones and territories, in words, and what an old database keeps."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.tests.people import make_admin
from orders.models import ShippingRateStep, ShippingZone, Territory, VatRate
from orders.staff.settings_forms import TerritoryForm

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

CORSICA = {
    "code": "FR-20R", "name_fr": "Corse", "within": "FR", "postcodes": "20", "country": "FR", "vat": "home",
    "vat_percent": "", "in_customs_area": "on", "zone": "",
}  # fmt: skip


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(make_admin())
    return client


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"postcodes": "974"}, "postcodes", "974\u00a0: déjà dans le territoire «\u00a0La Réunion\u00a0»."),
        ({"postcodes": "970-972"}, "postcodes", "970-972\u00a0: déjà dans le territoire «\u00a0Guadeloupe\u00a0»."),
        ({"postcodes": "978-971"}, "postcodes",
         "«\u00a0978-971\u00a0» n'est ni le début d'un code postal ni un intervalle comme «\u00a0971-978\u00a0», dont "
         "les deux bouts ont la même longueur et se suivent."),
        ({"vat_percent": "8,5"}, "vat_percent",
         "Un taux propre n'existe que pour la TVA d'un autre pays de l'Union."),
        ({"in_customs_area": ""}, "in_customs_area",
         "Un territoire de TVA de l'Union est dans son territoire douanier."),
    ],
)  # fmt: skip
def test_a_territory_that_makes_no_sense_is_refused(staff, change, field, message):
    before = Territory.objects.count()
    answer = staff.post("/admin/territoires/nouveau", CORSICA | change)
    assert answer.status_code == 200
    assert message in answer.context["form"].errors[field]
    assert Territory.objects.count() == before


def test_a_territory_may_name_a_part_of_another_and_the_whole_country_once(staff):
    assert staff.post("/admin/territoires/nouveau", CORSICA | {"postcodes": "97411"}).status_code == 302
    assert TerritoryForm(CORSICA | {"code": "FR-ALL", "postcodes": ""}).is_valid()
    Territory.objects.filter(code="FR-20R").update(postcodes="")
    form = TerritoryForm(CORSICA | {"code": "FR-ALL", "postcodes": ""})
    assert form.errors["postcodes"] == ["«\u00a0Corse\u00a0» couvre déjà tout ce pays."]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([("500", "12,00"), ("1000", "9,00")], "Jusqu'à 1000\u00a0g, le tarif est plus bas que jusqu'à 500\u00a0g."),
        ([("500", "60,00")],
         "Au-delà de 500\u00a0g, le tarif de la zone est plus bas que celui du dernier palier."),
        ([("500", "9,00"), ("500", "10,00")], None),
        ([("0", "9,00")], None),
    ],
)  # fmt: skip
def test_weight_steps_out_of_order_are_refused(staff, steps, message):
    zone = ShippingZone.objects.get(code="rest-of-world")
    page = f"/admin/zones-de-livraison/{zone.pk}"
    answer = staff.post(page, zone_body(staff, page, steps))
    assert answer.status_code == 200
    formset = answer.context["formset"]
    assert not formset.is_valid()
    assert message is None or message in formset.non_form_errors()
    assert not ShippingRateStep.objects.filter(zone=zone).exists()


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([("500", "")], '<a href="#id_rate_steps-0-rate">Tarif (€)\u00a0: Ce champ est obligatoire.</a>'),
        (
            [("500", "60")],
            "Au-delà de 500\u00a0g, le tarif de la zone est plus bas que celui du dernier palier.",
        ),
    ],
)
def test_what_is_refused_of_a_step_is_said_at_the_head_of_the_page(staff, steps, said):
    zone = ShippingZone.objects.get(code="rest-of-world")
    page = f"/admin/zones-de-livraison/{zone.pk}"
    assert "error-summary" not in staff.get(page).content.decode()
    drawn = staff.post(page, zone_body(staff, page, steps)).content.decode()
    _head, _sign, summary = drawn.partition(
        '<div class="error-summary" role="alert" tabindex="-1" autofocus>'
    )
    assert f"<li>{said}</li>" in summary.partition("</div>")[0]
    assert zone.rate_steps.count() == 0


def test_weight_steps_in_order_are_written(staff):
    zone = ShippingZone.objects.get(code="rest-of-world")
    page = f"/admin/zones-de-livraison/{zone.pk}"
    body = zone_body(staff, page, [("500", "19,90"), ("2000", "49,99")])
    assert staff.post(page, body).status_code == 302
    assert [str(step.rate) for step in zone.rate_steps.all()] == ["19.90", "49.99"]


LESS_THAN_NOTHING = "Assurez-vous que cette valeur est supérieure ou égale à 0."


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"rate": "-1"}, "rate", LESS_THAN_NOTHING),
        ({"free_from": "-1"}, "free_from", LESS_THAN_NOTHING),
        ({"delivery_days_min": "16"}, "delivery_days_max", "Le maximum est plus bas que le minimum."),
    ],
)
def test_a_zone_that_makes_no_sense_is_refused_on_its_field(staff, change, field, message):
    zone = ShippingZone.objects.get(code="rest-of-world")
    page = f"/admin/zones-de-livraison/{zone.pk}"
    answer = staff.post(page, zone_body(staff, page, []) | change)
    assert answer.context["form"].errors == {field: [message]}
    assert ShippingZone.objects.get(pk=zone.pk).rate == zone.rate


def test_a_country_has_one_usual_rate_of_vat_a_day(staff):
    rate = VatRate.objects.filter(country="DE", category=None).first()
    body = {"country": "DE", "category": "", "percent": "20", "starts_on": rate.starts_on.isoformat()}
    answer = staff.post("/admin/taux-de-tva/nouveau", body)
    message = "Ce pays a déjà un taux normal à partir de ce jour."
    assert answer.context["form"].errors == {"starts_on": [message]}
    page = f"/admin/taux-de-tva/{rate.pk}"
    assert staff.post(page, body | {"seen": staff.get(page).context["seen"]}).status_code == 302
    assert str(VatRate.objects.get(country="DE", category=None).percent) == "20.00"


def zone_body(staff: Client, page: str, steps: list[tuple[str, str]]) -> dict[str, object]:
    body: dict[str, object] = {
        "seen": staff.get(page).context["seen"],
        "name_fr": "Reste du monde", "countries": ["US", "CA", "GB", "JP", "AU"], "rate": "49,99", "free_from": "",
        "delivery_days_min": "5", "delivery_days_max": "15", "position": "4",
        "rate_steps-TOTAL_FORMS": len(steps), "rate_steps-INITIAL_FORMS": "0",
    }  # fmt: skip
    for index, (grams, rate) in enumerate(steps):
        body |= {f"rate_steps-{index}-up_to_grams": grams, f"rate_steps-{index}-rate": rate}
    return body
