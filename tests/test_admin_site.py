"""The administration's first page, menu and lists, in the family's words."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from accounts.services import grant_role
from accounts.tests.people import make_admin, make_member
from catalog.models import PricePoint
from orders.models import (
    InstallmentPause,
    Order,
    OrderItem,
    OrderTracking,
    PiecePhoto,
    Shipment,
    Withdrawal,
    WorkPiece,
)
from orders.tests.factories import make_product
from shop.admin_site import SECTIONS, WITHOUT_A_LIST
from shop.core.models import ScheduledJob
from shop.core.staff_admin import YesNoFilter
from shop.pages.models import ContactReply, ContactRequest, InactivityNotice

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client):
    client.force_login(make_admin())
    return client


def menu_sections(page: str) -> dict[str, list[str]]:
    """Every section of the menu with the links it holds, as they are read."""
    tables = re.findall(r"<caption>(.*?)</caption>(.*?)</table>", page, re.S)
    return {name: re.findall(r'<th scope="row".*?<a [^>]*>(.*?)</a>', rows) for name, rows in tables}


def test_the_first_page_has_a_section_for_what_people_come_to_do(staff):
    page = staff.get(reverse("admin:index")).content.decode()
    found = menu_sections(page)
    assert list(found) == [
        "Au quotidien",
        "Argent",
        "Comptes et banque",
        "Catalogue",
        "Pages et textes",
        "Newsletter",
        "Comptes clients",
        "Réglages",
        "Programmes et webhooks",
        "Coulisses",
    ]
    assert found["Au quotidien"][:4] == [
        "Commandes",
        "Suivis de rétractation",
        "Demandes de contact",
        "Avis clients",
    ]
    assert found["Argent"][:3] == ["Paiements", "Factures et avoirs", "Décisions de remboursement"]
    assert "Évènements Stripe" in found["Argent"]
    assert "Envois des webhooks" in found["Programmes et webhooks"]
    assert "rien à y faire" in page


def test_every_name_in_a_section_is_a_model_of_the_administration():
    registered = {model._meta.label for model in admin.site._registry}
    named = [label for section in SECTIONS for label in section.models]
    assert set(named) <= registered
    assert len(named) == len(set(named))


def test_every_model_has_a_list_or_a_reason_for_none():
    registered = {model._meta.label for model in admin.site._registry}
    shown_below = {
        inline.model._meta.label
        for row_admin in admin.site._registry.values()
        for inline in row_admin.inlines
    }
    # Tables that only join two others are no models of their own.
    every = {model._meta.label for model in apps.get_models()}
    assert every - registered - shown_below == set(WITHOUT_A_LIST)


def test_the_menu_beside_a_list_is_the_same_and_marks_where_one_is(staff):
    page = staff.get(reverse("admin:orders_order_changelist")).content.decode()
    assert list(menu_sections(page)) == list(
        menu_sections(staff.get(reverse("admin:index")).content.decode())
    )
    current = re.findall(r'<a href="([^"]*)" aria-current="page">', page)
    assert current == [reverse("admin:orders_order_changelist")]


def test_menu_of_who_packs_and_answers_has_what_they_may_see(staff, client):
    someone = make_member("equipe@example.com")
    grant_role(user=someone, role="staff")
    client.force_login(someone)
    page = client.get(reverse("admin:index")).content.decode()
    assert menu_sections(page) == {
        "Au quotidien": [
            *("Commandes", "Suivis de rétractation", "Demandes de contact", "Pièces à l&#x27;atelier"),
            *("Pièces d&#x27;une expédition", "Rétractations", "Lignes rétractées"),
            *("Réponses aux messages", "Images des demandes"),
        ],
        "Catalogue": [
            *("Produits", "Catégories", "Déclinaisons", "Photos", "Photos à copier", "Images retirées"),
            *("Images des catégories", "Anciennes adresses de catégories"),
        ],
    }
    assert reverse("staff-home") in page


def test_a_list_is_headed_by_what_it_lists(staff):
    page = staff.get(reverse("admin:orders_discrepancy_changelist")).content.decode()
    assert "<h1>Écarts de rapprochement</h1>" in page
    assert "Sélectionnez" not in page
    assert "admin-shop/shop" in page


@pytest.mark.parametrize(("minutes", "told"), [(2, False), (4, True)])
def test_first_page_when_background_work_stopped_says_so(staff, minutes, told):
    ScheduledJob.objects.create(
        name="mail-sweep", last_finished_at=timezone.now() - timedelta(minutes=minutes)
    )
    page = staff.get(reverse("admin:index")).content.decode()
    assert ("Le travail de fond est arrêté" in page) is told


def test_product_without_a_picture_has_a_link_that_names_it(staff):
    piece = make_product("Golem de poche")
    page = staff.get(reverse("admin:catalog_product_changelist")).content.decode()
    links = re.findall(rf'<a href="/gestion/catalog/product/{piece.pk}/change/"[^>]*>(.*?)</a>', page)
    assert links == ['Sans photo<span class="visually-hidden"> : Golem de poche</span>', "Golem de poche"]


def test_search_box_of_a_list_has_a_label_in_words(staff):
    page = staff.get(reverse("admin:catalog_product_changelist")).content.decode()
    assert '<label for="searchbar">Rechercher</label>' in page
    assert "search.svg" not in page


@pytest.mark.parametrize(("role", "is_offered"), [("admin", True), ("staff", False)])
def test_the_history_of_a_row_is_offered_to_who_may_see_it(client, role, is_offered):
    person = make_member("qui@example.com")
    grant_role(user=person, role=role)
    client.force_login(person)
    answer = client.get(reverse("admin:catalog_product_change", args=[make_product("Golem").pk]))
    assert answer.status_code == 200
    assert ('class="historylink"' in answer.content.decode()) == is_offered


def test_filters_by_whether_a_column_is_filled_answer_yes_or_no():
    filters = [
        entry[1]
        for model_admin in admin.site._registry.values()
        for entry in model_admin.list_filter
        if isinstance(entry, tuple) and issubclass(entry[1], admin.EmptyFieldListFilter)
    ]
    assert len(filters) > 10
    assert not [each for each in filters if not issubclass(each, YesNoFilter)]


# Half past midnight of the first of July where the shop is.
NIGHT = datetime(2026, 6, 30, 22, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (PricePoint(amount=Decimal("5.00"), starts_at=NIGHT), "5.00 € (2026-07-01)"),
        (OrderTracking(status="shipped", created_at=NIGHT), "Expédiée · 01/07/2026 00:30"),
        (InstallmentPause(order=Order(reference="B8706E8B"), started_at=NIGHT), "B8706E8B · 01/07/2026"),
        (Shipment(order=Order(reference="B8706E8B"), sent_at=NIGHT), "B8706E8B · 01/07/2026"),
        (
            PiecePhoto(
                piece=WorkPiece(item=OrderItem(product_name="Hibou", quantity=2), number=1), taken_at=NIGHT
            ),
            "2 × Hibou · 1 · 01/07/2026 00:30",
        ),
        (Withdrawal(order_text="B8706E8B", declared_at=NIGHT), "B8706E8B · 01/07/2026 00:30"),
        (InactivityNotice(user_key=7, announced_at=NIGHT), "7 · 01/07/2026"),
        (ContactReply(request=ContactRequest(reference="C-1"), created_at=NIGHT), "C-1 · 01/07/2026 00:30"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_names_of_rows_tell_moments_on_the_clock_of_the_shop(row, name):
    assert str(row) == name
