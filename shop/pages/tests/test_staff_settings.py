"""The settings in the staff area: what is refused, and what two people change at once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db.models import EmailField
from django.test import Client

from accounts.tests.people import make_admin
from catalog.staff.categories import SCREENS as CATALOGUE
from orders.models import ShippingZone, WorkshopClosure
from orders.staff.settings import SCREENS as DELIVERY
from shop.core.models import AuditEntry, ShopSettings
from shop.core.tests.reading import text
from shop.pages.models import OfficialKind, OfficialText
from shop.pages.staff.settings import SETTINGS
from shop.pages.staff.texts import SCREENS as TEXTS
from shop.pages.tests.staff import make_staff, signed_in
from shop.terms.models import TermsVersion

pytestmark = pytest.mark.django_db
SHOP = "/admin/reglages/boutique"


@pytest.fixture
def admin() -> Client:
    ShopSettings.objects.update_or_create(pk=ShopSettings.PK, defaults={"shop_name": "Atelier"})
    cache.clear()
    return signed_in(make_admin())


def test_every_setting_is_in_one_form():
    columns = {column.name for column in ShopSettings._meta.concrete_fields} - {"id", "link_salt"}
    shown = [name for screen in SETTINGS for part in screen.parts for name in part.fields]
    assert sorted(shown) == sorted(columns)


def opened(client: Client, page: str) -> dict[str, Any]:
    """What a browser sends of a page that was just opened."""
    context = client.get(page).context
    values = {field.name: field.value() for field in context["form"]}
    sent = {name: value for name, value in values.items() if value not in (None, False)}
    return sent | {"seen": context["seen"] or ""}


def test_settings_page_leads_to_every_part_and_names_what_is_missing(admin: Client) -> None:
    page = text(admin.get("/admin/reglages"))
    assert "Nom du vendeur, SIRET, adresse postale" in page
    kinds = [kind.label for kind in OfficialKind]
    assert [label for label in kinds if f"<li>{label}</li>" in page] == kinds
    OfficialText.objects.create(kind=OfficialKind.values[0], text="Notice")
    assert f"<li>{kinds[0]}</li>" not in text(admin.get("/admin/reglages"))
    for link in (
        *("/admin/reglages/boutique", "/admin/reglages/mentions", "/admin/reglages/atelier"),
        *("/admin/reglages/paiement", "/admin/reglages/tva", "/admin/fermetures"),
        *("/admin/zones-de-livraison", "/admin/territoires", "/admin/arrets-de-livraison"),
        "/admin/taux-de-tva",
    ):
        assert f'href="{link}"' in page
        assert admin.get(link).status_code == 200
    rates = text(admin.get("/admin/taux-de-tva"))
    assert ("20 %" in rates, "20.00" in rates) == (True, False)
    assert "-----" not in text(admin.get("/admin/taux-de-tva/nouveau"))
    # A word of the model's own for « none » stays.
    assert "nulle part" in text(admin.get("/admin/categories/nouveau"))


def test_setting_is_saved_and_seen_at_once(admin: Client, run_on_commit: Any) -> None:
    with run_on_commit():
        answer = admin.post(SHOP, opened(admin, SHOP) | {"shop_name": "Atelier bleu"})
    assert answer["Location"] == "/admin/reglages"
    assert ShopSettings.load().shop_name == "Atelier bleu"


def test_l221_13_the_last_mention_publishes_the_first_terms_with_it_and_no_later_one_does(
    admin: Client, run_on_commit: Any
) -> None:
    mentions = dict.fromkeys(ShopSettings.REQUIRED_LEGAL_FIELDS, "renseigné")
    mentions |= {
        "email": "atelier@example.com",
        "mediator_url": "https://mediateur.example",
        "trader_name": "",
    }
    ShopSettings.objects.update(**mentions)
    cache.clear()
    page = "/admin/reglages/mentions"
    # What the law asks for may be filled in later, and is no choice.
    assert "(facultatif)" not in admin.get(page).content.decode()
    with run_on_commit():
        admin.post(page, opened(admin, page) | {"siret": "12345678900011"})
    assert not TermsVersion.objects.exists()
    with run_on_commit():
        assert admin.post(page, opened(admin, page) | {"trader_name": "Camille Fabre EI"}).status_code == 302
    terms = TermsVersion.objects.get()
    assert all("Camille Fabre EI" in terms.text(language)["body"] for language in ("fr", "en", "es", "de"))
    with run_on_commit():
        admin.post(page, opened(admin, page) | {"trader_name": "Camille Fabre-Roy EI"})
    assert TermsVersion.objects.get() == terms


@pytest.mark.parametrize(
    ("part", "change", "field", "refusal"),
    [
        ("tva", {"franchise_ceiling": "85"}, "franchise_ceiling",
         "Indiquez le montant annuel en euros, entre 1 000 € et 1 000 000 €."),
        ("tva", {"franchise_ceiling_upper": "80000"}, "franchise_ceiling_upper",
         "Le plafond majoré est plus bas que le plafond."),
        ("atelier", {"default_production_days_max": "2"}, "default_production_days_max",
         "Le maximum est plus bas que le minimum."),
        ("atelier", {"making_days": []}, "making_days", "Ce champ est obligatoire."),
    ],
)  # fmt: skip
def test_setting_that_makes_no_sense_is_refused(
    admin: Client, part: str, change: dict[str, Any], field: str, refusal: str
) -> None:
    page = f"/admin/reglages/{part}"
    before = ShopSettings.objects.values().get()
    answer = admin.post(page, opened(admin, page) | change)
    assert answer.status_code == 200
    assert [
        error.replace("\u202f", " ").replace("\u00a0", " ") for error in answer.context["form"].errors[field]
    ] == [refusal]
    assert ShopSettings.objects.values().get() == before
    assert not AuditEntry.objects.filter(action="shopsettings.changed").exists()


def test_changes_of_two_people_in_different_fields_are_joined(admin: Client) -> None:
    first, second = opened(admin, SHOP), opened(admin, SHOP)
    admin.post(SHOP, first | {"shop_name": "Atelier bleu"})
    assert admin.post(SHOP, second | {"accountant_email": "compta@example.com"}).status_code == 302
    row = ShopSettings.objects.get()
    assert (row.shop_name, row.accountant_email) == ("Atelier bleu", "compta@example.com")
    refused = admin.post(SHOP, opened(admin, SHOP) | {"accountant_email": "v\u0131ctim@example.com"})
    assert "accountant_email" in refused.context["form"].errors


def test_second_change_of_the_same_field_is_told_and_keeps_what_was_typed(admin: Client) -> None:
    first, second = opened(admin, SHOP), opened(admin, SHOP)
    admin.post(SHOP, first | {"shop_name": "Atelier bleu"})
    answer = admin.post(SHOP, second | {"shop_name": "Atelier rouge"})
    assert answer.status_code == 409
    page = text(answer)
    assert "Quelqu'un d'autre a modifié les mêmes champs entre-temps." in page
    assert "Nom de la boutique : Atelier bleu" in page
    assert 'value="Atelier rouge"' in page
    # Leaving asks, and the words stay a draft of this browser.
    assert " data-staff-form data-unsaved>" in page
    assert " data-staff-form>" in text(admin.get(SHOP))
    assert ShopSettings.objects.get().shop_name == "Atelier bleu"
    again = second | {"shop_name": "Atelier rouge", "seen": answer.context["seen"]}
    assert admin.post(SHOP, again).status_code == 302
    assert ShopSettings.objects.get().shop_name == "Atelier rouge"


def test_workshop_is_closed_for_a_week_in_two_taps(admin: Client) -> None:
    assert 'href="/admin/fermetures/nouveau"' in text(admin.get("/admin"))
    page = "/admin/fermetures/nouveau"
    sent = opened(admin, page)
    assert (sent["ends_on"] - sent["starts_on"]).days == 6
    assert sent["starts_on"].weekday() == 0
    assert admin.post(page, sent)["Location"] == "/admin/fermetures"
    closure = WorkshopClosure.objects.get()
    assert (closure.starts_on, closure.ends_on) == (sent["starts_on"], sent["ends_on"])
    assert AuditEntry.objects.filter(action="workshopclosure.added").count() == 1
    # What is proposed next is a week in which the workshop is open.
    WorkshopClosure.objects.create(
        starts_on=closure.ends_on + timedelta(days=7), ends_on=closure.ends_on + timedelta(days=10)
    )
    offered = opened(admin, page)
    assert offered["starts_on"] - closure.ends_on == timedelta(days=15)
    assert admin.post(page, offered)["Location"] == "/admin/fermetures"
    WorkshopClosure.objects.exclude(pk=closure.pk).delete()
    address = f"/admin/fermetures/{closure.pk}/supprimer"
    assert "Supprimer ?" in text(admin.get(address))
    admin.post(address)
    assert not WorkshopClosure.objects.exists()
    assert AuditEntry.objects.filter(action="workshopclosure.deleted").count() == 1


def test_zone_of_all_other_countries_stays_and_codes_are_not_changed(admin: Client) -> None:
    zone = ShippingZone.objects.get(is_fallback=True)
    page = f"/admin/zones-de-livraison/{zone.pk}"
    assert f"{page}/supprimer" not in text(admin.get(page))
    assert admin.post(f"{page}/supprimer").status_code == 404
    body = {**opened(admin, page), "code": "other", "countries": []}
    body |= {"rate_steps-TOTAL_FORMS": "0", "rate_steps-INITIAL_FORMS": "0"}
    admin.post(page, body)
    zone.refresh_from_db()
    assert zone.code != "other"
    forged = admin.post(page, body | {"rate_steps-TOTAL_FORMS": str(2**31)})
    assert (forged.status_code, len(forged.context["formset"].forms)) == (200, 100)


def test_staff_without_settings_are_refused(admin: Client) -> None:
    staff = signed_in(make_staff())
    assert staff.get("/admin/reglages").status_code == 403
    assert staff.post("/admin/fermetures/nouveau", {"starts_on": "2026-12-01"}).status_code == 403
    assert not WorkshopClosure.objects.exists()


def test_settings_page_takes_few_queries(admin: Client, django_assert_max_num_queries: Any) -> None:
    admin.get(SHOP)
    # Session and person 2, the row to be there 1, the row, its fresh copy and its version 3.
    with django_assert_max_num_queries(6):
        admin.get(SHOP)


def test_rows_whose_columns_the_trail_shows_tell_of_nobody() -> None:
    """What the shop must publish about its trader (L221-5, LCEN 6 III) is no secret of a person."""
    for screen in (*DELIVERY, *CATALOGUE, *TEXTS):
        personal = {
            field.name
            for field in screen.model._meta.concrete_fields
            if isinstance(field, EmailField)
            or field.name in ("email", "first_name", "last_name", "phone", "user")
        }
        assert personal == set(), screen.name
