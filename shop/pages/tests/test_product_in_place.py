"""What a product's public page asks for to become its form."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.tests.people import make_admin
from catalog.tests.factories import make_product
from shop.pages.tests.staff import make_staff, signed_in

pytestmark = pytest.mark.django_db


def test_admin_gets_the_form_s_files_and_what_it_is_given() -> None:
    product = make_product()
    answer = signed_in(make_admin()).get(f"/api/admin/products/{product.pk}/in-place")
    assert answer.status_code == 200
    assert answer["Cache-Control"].startswith("max-age=0")
    body = answer.json()
    assert body["script"].startswith("/static/build/islands/staff-in-place-")
    assert body["styles"].startswith("/static/build/staff-styles-")
    assert body["props"]["product_id"] == product.pk
    assert body["props"]["rights"]["edit"] is True


def test_who_may_not_edit_gets_nothing() -> None:
    product = make_product()
    address = f"/api/admin/products/{product.pk}/in-place"
    assert signed_in(make_staff()).get(address).status_code == 403
    assert Client().get(address).status_code == 401
    assert signed_in(make_admin()).get("/api/admin/products/999999/in-place").status_code == 404


def test_public_page_says_only_which_product_it_is_about() -> None:
    product = make_product()
    page = Client().get(f"/produit/{product.pk}", follow=True).content.decode()
    assert f'data-product="{product.pk}"' in page
    assert "staff" not in page.replace('data-role="admin staff"', "")
