"""Parcels outside the Union: what they declare, who pays duties, where nothing is sent."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from accounts.tests.people import make_admin
from catalog.models import Product
from orders.models import DeliveryStop, Order, OrderItem, Payment, ShippingZone
from orders.selectors.delivery import free_delivery, shipping_table
from orders.selectors.rules import checkout_countries
from orders.staff.settings_forms import DeliveryStopForm
from orders.tests.factories import checkout_body, line, make_order, make_product, pay_order
from shop.core.content_version import content_version
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db

DUTIES = "Droits et taxes d'importation à votre charge."


def test_a_line_keeps_what_a_parcel_declares():
    product = make_product(hs_code="392640", origin_country="FR", weight_grams=350)
    order = make_order((product, 2), country="CH")
    Product.objects.filter(pk=product.pk).update(hs_code="950300", origin_country="CN", weight_grams=1)
    item = OrderItem.objects.get(order=order)
    assert (item.hs_code, item.origin_country, item.weight_grams) == ("392640", "FR", 350)


@pytest.mark.parametrize(
    ("code", "valid"), [("392640", True), ("39264000", True), ("3926400000", True), ("", True),
                        ("3926", False), ("3926.40", False), ("39264000000", False), ("abcdef", False)]
)  # fmt: skip
def test_codes_of_the_harmonised_system(code, valid):
    from django.core.exceptions import ValidationError

    product = make_product()
    product.hs_code = code
    if valid:
        product.clean_fields()
    else:
        with pytest.raises(ValidationError) as refused:
            product.clean_fields()
        assert list(refused.value.message_dict) == ["hs_code"]


@pytest.mark.parametrize(("country", "told"), [("FR", False), ("CH", True)])
def test_the_confirmation_and_the_order_s_page_tell_of_duties(country, told):
    pay_order(make_order(country=country))
    confirmation = OutgoingMail.objects.get(kind="order_confirmation")
    assert confirmation.context["order"]["meets_customs"] is told
    mail = render(confirmation)
    assert (DUTIES in mail.text) is told
    assert ("Droits et taxes" in mail.html) is told


# --- Stopping delivery -------------------------------------------------------------------------


def test_a_stopped_country_can_neither_be_chosen_nor_ordered_to(fake_stripe, shopper):
    product = make_product(price="60.00")
    DeliveryStop.objects.create(country="CH")
    DeliveryStop.objects.create(country="US")
    assert free_delivery().country_count == 13
    assert "CH" not in {choice.code for choice in checkout_countries()}
    assert "Suisse" not in shipping_table()[0].countries
    refusal = "Nous ne livrons pas dans ce pays pour l'instant. Choisissez une adresse dans un autre pays."
    for address, field in (
        ({"country": "CH"}, "customer.country"),
        # Beside what was typed.
        ({"country": "ZZ", "customCountry": "suisse"}, "customer.customCountry"),
        ({"country": "ZZ", "customCountry": "SWITZERLAND"}, "customer.customCountry"),
    ):
        answer = shopper.checkout(
            checkout_body([line(product)], "60.00", customer={"postalCode": "1204", **address})
        )
        assert answer.status_code == 400
        problem = answer.json()
        assert problem["code"] == "country_not_served"
        assert problem["errors"] == {field: [refusal]}
    assert not Order.objects.exists()
    assert not Payment.objects.exists()
    DeliveryStop.objects.all().delete()
    answer = shopper.checkout(
        checkout_body([line(product)], "60.00", customer={"country": "CH", "postalCode": "1204"})
    )
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "Pays où nous ne livrons pas pour l'instant\u00a0: Norvège, Suisse."),
        ("en", "Countries to which we do not deliver at the moment: Norway, Switzerland."),
        ("es", "Países a los que no entregamos por el momento: Noruega, Suiza."),
        ("de", "Länder, in die wir zurzeit nicht liefern: Norwegen, Schweiz."),
    ],
)
def test_l221_14_cart_and_checkout_name_the_countries_that_are_not_served(client, language, said):
    with override(language):
        pages = [reverse("orders:cart"), reverse("orders:checkout")]
    begins = said.partition(":")[0].strip()
    for page in pages:
        assert begins not in unescape(client.get(page).content.decode())
    DeliveryStop.objects.create(country="CH")
    DeliveryStop.objects.create(country="NO")
    for page in pages:
        assert f'<p class="page-head__lead">{said}</p>' in unescape(client.get(page).content.decode())


@pytest.mark.parametrize("country", ["FR", "DE", "RE"])
def test_delivery_is_never_stopped_within_the_union(country):
    form = DeliveryStopForm({"country": country})
    assert form.errors["country"] == ["La livraison ne s'arrête pas à l'intérieur de l'Union européenne."]
    assert DeliveryStopForm({"country": "US"}).is_valid()


def test_delivery_is_stopped_and_started_again_by_staff():
    staff_client = Client()
    staff_client.force_login(make_admin())
    answer = staff_client.post(
        "/admin/arrets-de-livraison/nouveau", {"country": "US", "reason": "Douane fermée"}
    )
    assert answer.status_code == 302
    stop = DeliveryStop.objects.get()
    assert staff_client.post(f"/admin/arrets-de-livraison/{stop.pk}/supprimer").status_code == 302
    assert not DeliveryStop.objects.exists()


def test_pieces_without_customs_data_are_listed():
    complete = make_product("Complète", hs_code="392640", origin_country="FR", weight_grams=100)
    make_product("Sans poids", hs_code="392640", origin_country="FR")
    staff_client = Client()
    staff_client.force_login(make_admin())
    text = staff_client.get("/gestion/catalog/product/?customs=missing").content.decode()
    assert "Sans poids" in text
    assert complete.name not in text


@pytest.mark.parametrize("model", [ShippingZone, DeliveryStop])
def test_delivery_setting_that_staff_delete_drops_the_cached_pages(model, django_capture_on_commit_callbacks):
    admin = Client()
    admin.force_login(make_admin())
    if model is ShippingZone:
        row = ShippingZone.objects.create(code="moon", rate=9, delivery_days_min=1, delivery_days_max=2)
    else:
        row = DeliveryStop.objects.create(country="CH", reason="grève")
    before = content_version()
    name = "zones" if model is ShippingZone else "stops"
    with django_capture_on_commit_callbacks(execute=True):
        admin.post(reverse(f"staff-{name}-delete", args=[row.pk]))
    assert not model.objects.filter(pk=row.pk).exists()
    assert content_version() != before
