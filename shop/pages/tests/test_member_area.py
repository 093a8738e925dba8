"""The member area: orders with everything about them, profile, addresses, the administration's tab."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from accounts.models import Address
from accounts.tests.people import make_admin, make_member
from blog.tests.subscribers import make_subscriber
from catalog.models import Product, Review
from orders.forms import DeliveryAddressForm
from orders.models import Order, OrderStatus, StoredCard
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order, make_product, make_seller, make_zones, pay_order
from orders.tests.installments import offer_installments
from shop.pages.forms import AddressForm

pytestmark = pytest.mark.django_db

PAGE = "/espace-membre"


@pytest.fixture
def member(client):
    make_zones()
    make_seller()
    user = make_member(first_name="Léa", last_name="Martin")
    client.force_login(user)
    return user


def read(client, query="tab=orders"):
    return client.get(f"{PAGE}?{query}").content.decode().replace("&#x27;", "'")


def buy(user, *lines, status="confirmed", **fields):
    order = pay_order(make_order(*lines, user=user, **fields))
    for step in ("shipped", "delivered"):
        if status == "delivered" or status == step:
            update_status(order_id=order.pk, status=step, actor=None)
        if status == step:
            break
    return Order.objects.get(pk=order.pk)


def copies(order, count):
    """So many orders of the same member, older by a day each, with as many lines."""
    items = list(order.items.all())
    for number in range(1, count + 1):
        copy = Order.objects.get(pk=order.pk)
        copy.pk = order.pk.__class__(int=order.pk.int + number)
        copy.reference, copy.idempotency_key = copy.pk.hex[-8:].upper(), str(copy.pk)
        copy.created_at = order.created_at - timedelta(days=number)
        copy.save(force_insert=True)
        for item in items:
            item.pk, item.order = None, copy
            item.save(force_insert=True)


def test_a_card_shows_status_reference_pieces_tracking_documents_and_what_can_be_done(client, member):
    order = buy(member, (make_product("Golem de poche"), 2), status="shipped")
    for rows in (order.tracking, order.shipments):
        rows.update(tracking_number="6A12345678901", carrier="colissimo")
    page = read(client)
    assert f"</span>{order.reference}</a>" in page
    assert order.reference == order.pk.hex[-8:].upper()
    assert ">Expédiée<" in page
    assert "Golem de poche" in page
    assert "2 × 40,00\xa0€" in page
    assert "6A12345678901" in page
    assert "Suivre le colis chez le transporteur" in page
    assert re.search(r'Facture <span class="document-number">F-\d{4}-00001</span>', page)
    assert f'href="/commande/{order.pk}/a-nouveau"' in page
    assert "renoncer au contrat ici" in page
    # What was not delivered is not reviewed yet.
    assert "Donner mon avis" not in page


def test_delivered_pieces_are_reviewed_once(client, member):
    piece = make_product("Golem de poche")
    order = buy(member, (piece, 1), status="delivered")
    link = f'href="/produit/{piece.pk}/avis"'
    assert link in read(client)
    assert "Donner mon avis" in read(client)
    Review.objects.create(
        product=piece, user=member, rating=5, title="Beau", text="Beau.", experience_date=timezone.localdate()
    )
    page = read(client)
    assert "Donner mon avis" not in page
    assert "Votre avis est en cours de relecture" in page
    assert order.status == OrderStatus.DELIVERED


@pytest.mark.parametrize(
    ("state", "words"),
    [("published", "Votre avis est publié"), ("refused", "Votre avis n'est pas publié")],
)
def test_what_became_of_a_review_is_told_also_where_its_form_is_not_open(client, member, state, words):
    piece = make_product("Golem de poche")
    buy(member, (piece, 1), status="delivered")
    buy(member, (piece, 1), status="shipped")
    Review.objects.create(
        product=piece, user=member, rating=5, title="Beau", text="Beau.", experience_date=timezone.localdate(),
        state=state, moderation_reason="Hors sujet", published_at=timezone.now(),
    )  # fmt: skip
    link = f'<a href="/produit/{piece.pk}/avis">{words}</a>'
    for is_published, links in ((True, 1), (False, 0)):
        Product.objects.update(is_published=is_published)
        page = read(client)
        assert (page.count(words), page.count(link)) == (2, links)
        assert 'href=""' not in page
        assert "en cours de relecture" not in page


def test_once_the_period_is_over_the_card_offers_no_withdrawal(client, member):
    order = buy(member, status="delivered")
    card = read(client).split("<article")[1]
    assert "renoncer au contrat ici" in card
    Order.objects.filter(pk=order.pk).update(delivered_at=timezone.now() - timedelta(days=40))
    assert "renoncer au contrat ici" not in read(client).split("<article")[1].split("</article>")[0]


def test_installments_show_dates_states_and_the_link_to_pay(client, member):
    offer_installments()
    order = buy(member, (make_product(price="200.00"), 1), payment_mode="installments")
    StoredCard.objects.create(order=order, customer_id="cus_1", payment_method_id="pm_1", last4="4242")
    page = read(client)
    assert "Échéance 1/3" in page
    assert page.count("Débit le") == 2
    assert re.search(r"Débit le \d+(?:er)?\xa0\w+ \d{4}<", page)
    assert "Payer d'avance ou changer de carte" in page
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.REFUNDED)
    assert "Payer d'avance" not in read(client)


def test_closed_orders_are_under_history_and_unpaid_ones_nowhere(client, member):
    shown, refunded, unpaid = buy(member), buy(member), make_order(user=member)
    Order.objects.filter(pk=refunded.pk).update(status=OrderStatus.REFUNDED)
    cancelled = make_order(user=member)
    Order.objects.filter(pk=cancelled.pk).update(status=OrderStatus.CANCELLED)
    response = client.get(f"{PAGE}?tab=orders")
    assert [card.order.pk for card in response.context["orders"]] == [shown.pk]
    assert [card.order.pk for card in response.context["history"]] == [refunded.pk]
    assert "Historique" in response.content.decode()
    assert unpaid.reference not in response.content.decode()
    assert cancelled.reference not in response.content.decode()


def test_nothing_of_others_is_shown(client, member):
    other = buy(make_member("autre@example.com"))
    for query in ("tab=orders", f"tab=orders&user={other.user_id}&email=autre@example.com&status=pending"):
        assert "Aucune commande pour l'instant" in read(client, query)


def test_twenty_a_page_newest_first(client, member):
    order = buy(member)
    copies(order, 24)
    first = client.get(f"{PAGE}?tab=orders")
    assert len(first.context["orders"]) == 20
    assert first.context["orders"][0].order.pk == order.pk
    assert len(client.get(f"{PAGE}?tab=orders&page=2").context["orders"]) == 5
    # A page that does not exist is the nearest one.
    assert len(client.get(f"{PAGE}?tab=orders&page=99").context["orders"]) == 5
    assert len(client.get(f"{PAGE}?tab=orders&page=x").context["orders"]) == 20


def count_queries(client, query):
    client.get(f"{PAGE}?{query}")
    with CaptureQueriesContext(
        connection,
    ) as caught:
        assert client.get(f"{PAGE}?{query}").status_code == 200
    return len(caught)


@pytest.mark.both_engines
def test_a_page_costs_the_same_for_one_order_for_twenty_and_for_sixty_lines(client, member):
    offer_installments()
    order = buy(
        member, (make_product("A", price="200.00"), 1), payment_mode="installments", status="delivered"
    )
    closed = buy(member)
    Order.objects.filter(pk=closed.pk).update(status=OrderStatus.REFUNDED)
    one = count_queries(client, "tab=orders")
    copies(order, 19)
    assert count_queries(client, "tab=orders") == one
    for each in Order.objects.filter(user=member, status=OrderStatus.DELIVERED):
        for item in [*each.items.all()] * 2:
            item.pk = None
            item.save(force_insert=True)
    assert sum(order.items.count() for order in Order.objects.filter(status=OrderStatus.DELIVERED)) == 60
    assert count_queries(client, "tab=orders") == one
    # Session and member 2; count 1; orders, lines, products, tracking, payments 5; the same of closed ones 5; pauses,
    # cards, documents, cases, what banks took back, what was credited whole, reviews 7; categories 1; roles of the
    # member for the tab of the administration 0; what the frame of every page reads is cached.
    assert one <= 21


def test_names_and_language_are_changed(client, member):
    sent = client.post(f"{PAGE}/profil", {"first_name": " Zoé ", "last_name": "O'Neil", "language": "de"})
    assert (sent.status_code, sent["Location"]) == (303, f"{PAGE}?tab=profile")
    member.refresh_from_db()
    assert (member.first_name, member.last_name, member.language) == ("Zoé", "O'Neil", "de")
    assert "Profil enregistré" in read(client, "tab=profile")
    assert "Profil enregistré" not in read(client, "tab=profile")


def test_letters_follow_the_language_of_the_profile_once_it_changes(client, member):
    subscriber = make_subscriber(member.email, "es")
    names = {"first_name": "Léa", "last_name": "Martin"}
    client.post(f"{PAGE}/profil", {**names, "language": "fr"})
    subscriber.refresh_from_db()
    assert subscriber.language == "es", "chosen for the letters alone"
    client.post(f"{PAGE}/profil", {**names, "language": "de"})
    subscriber.refresh_from_db()
    assert subscriber.language == "de"


def test_what_is_wrong_in_the_profile_is_said_and_what_was_typed_stays(client, member):
    page = client.post(f"{PAGE}/profil", {"first_name": "Z" * 151, "last_name": "Neu", "language": "xx"})
    assert page.status_code == 400
    assert 'value="Neu"' in page.content.decode()
    member.refresh_from_db()
    assert (member.first_name, member.language) == ("Léa", "fr")


HOME = {
    "label": "Maison", "first_name": "Léa", "last_name": "Martin", "address": "3 rue des Carmes",
    "postal_code": "69003", "city": "Lyon", "country": "FR",
}  # fmt: skip


def test_addresses_are_added_changed_and_removed(client, member):
    form = client.get(f"{PAGE}/adresses/nouvelle").content.decode()
    assert "Léa" in form
    # A style shows it where it must be filled in.
    assert '<label class="field__label" for="id_custom_country">Votre pays</label>' in form
    sent = client.post(f"{PAGE}/adresses/nouvelle", HOME)
    assert (sent.status_code, sent["Location"]) == (303, f"{PAGE}?tab=profile")
    address = Address.objects.get(user=member)
    assert (address.is_delivery_default, address.is_billing_default) == (True, True)
    client.post(f"{PAGE}/adresses/{address.pk}", {**HOME, "city": "Villeurbanne"})
    assert "Villeurbanne" in read(client, "tab=profile")
    client.post(f"{PAGE}/adresses/{address.pk}/supprimer")
    assert "Aucune adresse pour l'instant" in read(client, "tab=profile")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("postal_code", "6900", "Ce code postal n'existe pas dans ce pays."),
        ("postal_code", "", "Saisissez le code postal."),
        ("city", " ", "Ce champ est obligatoire."),
        ("country", "ZZ", "Indiquez votre pays."),
    ],
)
def test_an_address_that_can_not_be_right_is_refused_beside_its_field(client, member, field, value, message):
    page = client.post(f"{PAGE}/adresses/nouvelle", {**HOME, field: value})
    assert page.status_code == 400
    text = page.content.decode().replace("&#x27;", "'")
    assert message in text
    assert 'value="3 rue des Carmes"' in text
    assert not Address.objects.exists()


def test_the_tab_of_the_administration_is_for_staff(client, member):
    order = buy(member)
    assert "tab=administration" not in read(client)
    assert "Mes Commandes" in read(client, "tab=administration")
    client.force_login(make_admin())
    page = read(client, "tab=administration")
    assert f"/admin/commandes/{order.pk}" in page
    assert order.reference not in read(client, "tab=administration&recherche=personne")
    assert order.reference in read(client, f"tab=administration&recherche={order.reference[2:]}")
    assert order.reference not in read(client, "tab=administration&statut=delivered")
    assert client.get(f"{PAGE}?tab=administration&suite=x").status_code == 200


def test_unpaid_and_closed_orders_are_not_in_that_tab_and_a_page_costs_the_same(client, member):
    order = buy(member)
    pending = make_order(user=member)
    refunded = buy(member)
    Order.objects.filter(pk=refunded.pk).update(status=OrderStatus.REFUNDED)
    client.force_login(make_admin())
    page = read(client, "tab=administration")
    assert order.reference in page
    assert pending.reference not in page
    assert refunded.reference not in page
    one = count_queries(client, "tab=administration")
    copies(order, 19)
    assert count_queries(client, "tab=administration") == one


def test_a_favourite_is_removed_without_javascript(client, member):
    from catalog.services.favourites import add_favourite

    piece = make_product("Golem")
    add_favourite(user_id=member.pk, product_id=piece.pk, language="fr")
    assert "Golem" in read(client, "tab=favoris")
    sent = client.post(f"{PAGE}/favoris/supprimer", {"remove": piece.pk})
    assert (sent.status_code, sent["Location"]) == (303, f"{PAGE}?tab=favoris")
    assert "Aucun favori" in read(client, "tab=favoris")
    for junk in ("x", "9" * 40, ""):
        assert client.post(f"{PAGE}/favoris/supprimer", {"remove": junk}).status_code == 303


def test_two_hundred_favourites_cost_what_one_does(client, member):
    from catalog.models import Favourite

    Favourite.objects.create(user=member, product=make_product("Golem"))
    one = count_queries(client, "tab=favoris")
    Favourite.objects.bulk_create(Favourite(user=member, product=make_product(f"P{n}")) for n in range(30))
    assert count_queries(client, "tab=favoris") == one


def test_who_is_not_signed_in_is_sent_to_sign_in_and_back(client):
    for path in (f"{PAGE}?tab=profile", f"{PAGE}/adresses/nouvelle"):
        answer = client.get(path)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/auth?next=/espace-membre")


@pytest.mark.parametrize(
    ("country", "needed"), [("FR", ["postal_code"]), ("PA", []), ("ZZ", ["custom_country"])]
)
def test_an_address_asks_for_what_its_country_needs(country, needed):
    countries = [(country, country)]
    book = AddressForm(initial={"country": country}, countries=countries)
    correction = DeliveryAddressForm(order=Order(country=country), countries=countries)
    for form in (book, correction):
        fields = [form.fields[name] for name in ("postal_code", "custom_country")]
        assert [field.label for field in fields if field.required] == [
            form.fields[name].label for name in needed
        ]


@pytest.mark.parametrize(
    ("language", "label"), [("fr", "Pays"), ("en", "Country"), ("es", "País"), ("de", "Land")]
)
def test_an_address_asks_for_one_country(language, label):
    with translation.override(language):
        labels = {str(form.base_fields["country"].label) for form in (DeliveryAddressForm, AddressForm)}
    assert labels == {label}
