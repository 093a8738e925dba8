"""Correcting where a paid order goes: until when, by whom, and what stays as it was."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from accounts.tests.people import make_member
from orders.access import access_token
from orders.ledger import book_movement
from orders.models import Attempt, DeliveryStop, Dispute, Invoice, LedgerKind, Order, OrderEvent
from orders.models.states import ActorKind
from orders.selectors.addresses import billing_address
from orders.services.fulfilment.delivery_address import DeliveryAddress, correct_delivery_address
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import gift_order, make_order, pay_order
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.problems import Problem
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db

NEW = DeliveryAddress(
    first_name="Léa", last_name="Martin", address="14 rue Neuve", postal_code="75011", city="Paris", country="FR",
)  # fmt: skip
FORM = {
    "first_name": "Léa", "last_name": "Martin", "address": "14 rue Neuve", "postal_code": "75011", "city": "Paris",
    "country": "FR", "custom_country": "", "phone": "06 11",
}  # fmt: skip


@pytest.fixture
def order() -> Order:
    return pay_order(make_order())


def rows() -> tuple[object, ...]:
    return (list(Order.objects.values_list()), OrderEvent.objects.count(), OutgoingMail.objects.count())


def refused(order: Order, address: DeliveryAddress, by: ActorKind = ActorKind.CUSTOMER) -> Problem:
    before = rows()
    with pytest.raises(Problem) as caught:
        correct_delivery_address(order_id=order.pk, address=address, by=by, actor=None)
    assert rows() == before
    return caught.value


def page_of(order: Order) -> str:
    return f"/commande/{order.pk}/adresse?acces={access_token(order)}"


def test_the_customer_corrects_it_on_the_page_of_the_link(client, order):
    invoice = Invoice.objects.get().data
    answer = client.post(page_of(order), FORM)
    assert (answer.status_code, answer["Location"]) == (
        302, f"/commande/{order.pk}?acces={access_token(order)}#coordonnees",
    )  # fmt: skip
    order.refresh_from_db()
    assert (order.address, order.postal_code, order.city, order.phone) == (
        "14 rue Neuve",
        "75011",
        "Paris",
        "06 11",
    )
    event = OrderEvent.objects.get(name="delivery.address_corrected")
    assert (event.actor, event.data["by"]) == (None, "customer")
    assert event.data["before"]["address"] == "3 rue des Carmes"
    assert event.data["after"]["address"] == "14 rue Neuve"
    assert Invoice.objects.get().data == invoice
    assert billing_address(order).lines == ["3 rue des Carmes", "69003 Lyon", "France"]
    mail = OutgoingMail.objects.get(kind="delivery_address_changed")
    assert mail.to == "lea@example.com"
    text = render(mail).text
    assert "14 rue Neuve\n75011 Paris" in text
    assert "3 rue des Carmes\n69003 Lyon" in text
    assert OutgoingMail.objects.filter(kind="delivery_address_changed_workshop").count() == 1


def test_the_same_address_again_does_nothing(client, order):
    before = rows()
    same = {**FORM, "address": "3 rue des Carmes", "postal_code": "69003", "city": "Lyon", "phone": ""}
    assert client.post(page_of(order), same).status_code == 302
    assert rows() == before


def test_ten_corrections_a_day_and_staffs_are_not_counted(client, order):
    for number in range(10):
        assert client.post(page_of(order), {**FORM, "phone": str(number)}).status_code == 302
    before = rows()
    page = client.post(page_of(order), {**FORM, "phone": "10"})
    assert (page.status_code, rows()) == (429, before)
    assert "Trop de demandes aujourd&#x27;hui. Réessayez demain." in page.content.decode()
    assert 0 < int(page["Retry-After"]) <= 86_400
    corrected = correct_delivery_address(order_id=order.pk, address=NEW, by=ActorKind.STAFF, actor=None)
    assert corrected.phone == ""


def test_a_member_corrects_their_own_and_is_named_in_the_journal(client):
    member = make_member("lea@example.com")
    order = pay_order(make_order(user=member))
    client.force_login(member)
    assert client.post(f"/commande/{order.pk}/adresse", FORM).status_code == 302
    assert OrderEvent.objects.get(name="delivery.address_corrected").actor == member


@pytest.mark.parametrize("method", ["get", "post"])
def test_strangers_find_no_page(client, order, method):
    before = rows()
    client.force_login(make_member("other@example.com"))
    for address in (f"/commande/{order.pk}/adresse", f"/commande/{order.pk}/adresse?acces=x"):
        assert getattr(client, method)(address, FORM).status_code == 404
    assert rows() == before


def test_a_field_left_empty_is_named_and_the_others_stay(client, order):
    before = rows()
    answer = client.post(page_of(order), {**FORM, "city": " "})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Ville\u00a0: Ce champ est obligatoire." in page
    assert 'value="14 rue Neuve"' in page
    assert rows() == before


@pytest.mark.parametrize(("state", "closed"), [("under_review", True), ("lost", True), ("won", False)])
def test_what_a_bank_keeps_here_gets_no_other_address_from_its_customer(client, order, state, closed):
    attempt = Attempt.objects.get()
    Dispute.objects.create(
        order=order, attempt=attempt, provider_id="du_1", amount=order.total, state=state
    )  # fmt: skip
    if state == "lost":
        book_movement(
            order=order, payment=attempt.payment, kind=LedgerKind.DISPUTE, amount=-order.total,
            provider_id="du_1", reported_at=None, after=order.created_at,
        )  # fmt: skip
    page, of_order = client.get(page_of(order)), f"/commande/{order.pk}?acces={access_token(order)}"
    assert ("ne peut plus être changée ici" in page.content.decode()) is closed
    assert ("Corriger l'adresse" in client.get(of_order).content.decode()) is not closed
    if closed:
        final = refused(order, NEW)
        assert (final.code, final.detail) == (
            "address_final",
            "Votre banque conteste un paiement de cette commande\xa0: écrivez-nous pour changer l'adresse.",
        )
    assert (
        correct_delivery_address(order_id=order.pk, address=NEW, by=ActorKind.STAFF, actor=None).city
        == "Paris"
    )


def test_a_gift_is_sent_to_another_recipient_and_stays_billed_as_it_was():
    order = pay_order(gift_order())
    correct_delivery_address(
        order_id=order.pk, address=replace(NEW, recipient="Tom Petit"), by=ActorKind.CUSTOMER, actor=None
    )
    order.refresh_from_db()
    assert (order.gift_recipient, order.customer_name, order.address) == (
        "Tom Petit",
        "Léa Martin",
        "14 rue Neuve",
    )
    assert billing_address(order).name == "Atelier Duval"


def test_the_customers_time_ends_with_the_preparation_and_staffs_with_the_dispatch(client, admin, order):
    update_status(order_id=order.pk, status="processing", actor=admin)
    late = refused(order, NEW)
    assert (late.code, late.detail) == (
        "address_final",
        "La préparation de votre commande a commencé\xa0: écrivez-nous pour changer l'adresse.",
    )
    page = client.get(page_of(order)).content.decode()
    assert "ne peut plus être changée ici" in page
    assert "<form" not in page.split("<main")[1].split("</main")[0]
    assert client.post(page_of(order), FORM).status_code == 409
    correct_delivery_address(order_id=order.pk, address=NEW, by=ActorKind.STAFF, actor=admin)
    assert OrderEvent.objects.get(name="delivery.address_corrected").actor == admin
    assert not OutgoingMail.objects.filter(kind="delivery_address_changed_workshop").exists()
    update_status(order_id=order.pk, status="shipped", actor=admin)
    assert refused(order, replace(NEW, city="Lille"), ActorKind.STAFF).code == "address_final"


def test_an_unpaid_order_is_not_corrected():
    assert refused(make_order(), NEW).code == "address_final"


@pytest.mark.parametrize(
    ("country", "custom"), [("BE", ""), ("CH", ""), ("US", ""), ("GP", ""), ("ZZ", "Japon")]
)
def test_another_price_vat_or_customs_is_refused_in_words(order, country, custom):
    problem = refused(order, replace(NEW, country=country, custom_country=custom))
    assert (problem.status, problem.code) == (409, "address_changes_terms")
    assert "la TVA ou les droits de douane" in problem.detail


def test_staff_read_what_to_do_where_price_vat_or_customs_would_be_others(order):
    problem = refused(order, replace(NEW, country="CH"), ActorKind.STAFF)
    said = (
        "Livrer à cette adresse changerait le prix, la TVA ou les droits de douane de la commande\u00a0:"
        " remboursez-la, puis invitez le client à commander de nouveau."
    )
    assert (problem.code, problem.errors) == ("address_changes_terms", {"country": [said]})


def test_the_page_keeps_what_was_typed_and_leads_to_contact(client, order):
    answer = client.post(page_of(order), {**FORM, "country": "CH"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Rien n'a été changé" in page.replace("&#x27;", "'")
    assert 'href="/contact"' in page
    assert 'value="14 rue Neuve"' in page


@pytest.mark.parametrize("by", [ActorKind.CUSTOMER, ActorKind.STAFF])
def test_a_postcode_that_can_t_be_is_refused_as_at_the_checkout(order, by):
    problem = refused(order, replace(NEW, postal_code="7501"), by)
    said = "Ce code postal n'existe pas dans ce pays. Exemple\u00a0: 33380."
    assert (problem.status, problem.code, problem.errors) == (400, "invalid", {"postalCode": [said]})


def test_the_page_says_what_is_wrong_with_a_postcode(client, order):
    answer = client.post(page_of(order), {**FORM, "postal_code": "7501"})
    page = answer.content.decode().replace("&#x27;", "'")
    assert answer.status_code == 400
    assert "Ce code postal n'existe pas dans ce pays. Exemple\u00a0: 33380." in page
    assert 'value="7501"' in page


def test_another_country_of_the_same_zone_and_rate_is_served():
    order = pay_order(make_order(country="BE"))
    correct_delivery_address(
        order_id=order.pk, address=replace(NEW, country="DE"), by=ActorKind.CUSTOMER, actor=None
    )
    order.refresh_from_db()
    assert (order.country, Invoice.objects.get().country) == ("DE", "BE")
    # In the Union, too, and dearer to reach.
    assert refused(order, replace(NEW, country="PL", postal_code="00-001")).code == "address_changes_terms"


@pytest.mark.django_db(transaction=True)
def test_vat_of_a_destination_stays_there():
    shop = ShopSettings.load()
    shop.eu_sales_threshold, shop.oss_number = Decimal("1"), "FR12123456789"
    save_shop_settings(shop)
    order = pay_order(make_order(country="BE"))
    assert Invoice.objects.get().vat > 0
    assert refused(order, replace(NEW, country="DE")).code == "address_changes_terms"


def test_a_country_without_delivery_is_refused():
    order = pay_order(make_order(country="CH"))
    # Other papers for other customs.
    assert refused(order, replace(NEW, country="NO")).code == "address_changes_terms"
    DeliveryStop.objects.create(country="NO")
    assert refused(order, replace(NEW, country="NO")).code == "country_not_served"


def test_an_order_that_waits_for_a_stopped_country_can_still_be_corrected_there(client):
    order = pay_order(make_order(country="CH"))
    DeliveryStop.objects.create(country="CH")
    same = {**FORM, "address": "14 rue Neuve", "postal_code": "1201", "city": "Genève", "country": "CH"}
    assert client.post(page_of(order), same).status_code == 302
    order.refresh_from_db()
    assert (order.country, order.postal_code, order.city) == ("CH", "1201", "Genève")
