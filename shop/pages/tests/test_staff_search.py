"""The staff's one search."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.tests.people import make_admin, make_member
from catalog.tests.factories import make_product
from orders.tests.factories import make_order
from shop.pages.selectors.staff_search import search_staff
from shop.pages.tests.staff import make_staff, signed_in

pytestmark = pytest.mark.django_db


def test_finds_orders_products_and_customers() -> None:
    admin = make_admin()
    order = make_order(last_name="Dragonet")
    make_product(name="Dragon de cuivre", is_published=False)
    make_member("dragon@example.com", first_name="Ida", last_name="Roux")
    found = {
        hits.kind: [(hit.title, hit.detail) for hit in hits.hits] for hits in search_staff(" drag ", admin)
    }
    assert found["orders"][0][0] == f"{order.reference} · Léa Dragonet"
    assert found["products"] == [("Dragon de cuivre", "Goodies Divers · non publié")]
    assert found["customers"] == [("dragon@example.com", "Ida Roux")]


def test_screens_are_found_by_their_name(admin_client) -> None:
    found = admin_client.get("/api/admin/search?q=REGL").json()["results"]
    assert found[0]["kind"] == "screens"
    assert [(hit["title"], hit["url"]) for hit in found[0]["hits"]] == [("Réglages", "/admin/reglages")]
    assert admin_client.get("/api/admin/search?q=r").json()["results"] == []


def test_what_bears_the_name_comes_before_what_mentions_it() -> None:
    make_product(name="Dragon de cuivre")
    make_product(name="Golem", description="Ami du dragon.")
    [products] = search_staff("dragon", make_admin())
    assert [hit.title for hit in products.hits] == ["Dragon de cuivre", "Golem"]


@pytest.mark.parametrize("reference", ["GOL-7", "golem-001"])
def test_finds_a_product_by_its_reference_as_its_list_does(reference: str) -> None:
    product = make_product(name="Ours", external_id="golem-001")
    product.variants.update(sku="GOL-7")
    make_product(name="Autre")
    [products] = search_staff(reference, make_admin())
    assert [hit.title for hit in products.hits] == ["Ours"]


def test_shows_what_the_person_may_see() -> None:
    make_member("dragon@example.com")
    assert search_staff("drag", make_staff()) == []


def test_one_letter_finds_nothing_and_asks_nothing(django_assert_num_queries) -> None:
    admin = make_admin()
    with django_assert_num_queries(0):
        assert search_staff(" d ", admin) == []


def test_call_and_page_show_the_same() -> None:
    make_product(name="Dragon de cuivre")
    client = signed_in(make_admin())
    answer = client.get("/api/admin/search?q=cuivre").json()
    [hits] = answer["results"]
    assert [hit["title"] for hit in hits["hits"]] == ["Dragon de cuivre"]
    assert "Dragon de cuivre" in client.get("/admin/recherche?q=cuivre").content.decode()
    assert "Rien trouvé" in client.get("/admin/recherche?q=zzz").content.decode()


def test_too_long_a_query_is_refused() -> None:
    answer = signed_in(make_admin()).get("/api/admin/search", {"q": "x" * 101})
    assert answer.status_code == 400
    assert Client().get("/api/admin/search?q=x").status_code == 401
