"""Favourites: the API, the page, and the mail on a piece's return."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from catalog.models import Favourite, Product
from catalog.selectors.favourites import MAX_FAVOURITES, favourite_cards, favourite_ids, parse_ids
from catalog.services.favourites import (
    add_favourite,
    choose_return_mails,
    replace_favourites,
    watch_favourites,
)
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_category,
    make_product,
    make_user,
    make_variation,
    variant_of,
)
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.shop_settings import renew_link_salt

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client):
    user = make_user()
    client.force_login(user)
    return user


def put(client, path, body=None):
    return client.put(path, body, content_type="application/json")


def test_a_member_keeps_products_latest_first(client, member):
    first, second = make_product("Un"), make_product("Deux")

    assert put(client, f"/api/favourites/{first.pk}").json() == [first.pk]
    assert put(client, f"/api/favourites/{second.pk}").json() == [second.pk, first.pk]
    # Again: nothing changes.
    assert put(client, f"/api/favourites/{first.pk}").json() == [second.pk, first.pk]
    assert client.get("/api/favourites").json() == [second.pk, first.pk]
    assert client.get("/api/me").json()["favourites"] == [second.pk, first.pk]
    assert client.delete(f"/api/favourites/{first.pk}").json() == [second.pk]
    assert client.delete(f"/api/favourites/{first.pk}").json() == [second.pk]


def test_the_whole_list_is_replaced(client, member):
    kept, gone, new, hidden, away = (make_product(name) for name in ("A", "B", "C", "D", "E"))
    for product in (gone, kept, away):
        add_favourite(user_id=member.pk, product_id=product.pk, language="fr")
    Product.objects.filter(pk__in=[hidden.pk, away.pk]).update(is_published=False)
    choose_return_mails(user_id=member.pk, product_ids=[kept.pk], language="fr")
    other = make_user(email="autre@example.com")
    for product in (gone, new):
        add_favourite(user_id=other.pk, product_id=product.pk, language="de")

    response = put(client, "/api/favourites", [new.pk, hidden.pk, kept.pk, new.pk, 999_999_999])

    assert (response.status_code, response.json()) == (200, [new.pk, kept.pk])
    assert Favourite.objects.get(product=kept).notify_when_back is True
    assert not Favourite.objects.filter(user=member, product__in=[gone, hidden]).exists()
    assert list(other.favourites.values_list("product_id", "language")) == [(new.pk, "de"), (gone.pk, "de")]
    # Whoever is not shown it did not take it out.
    assert Favourite.objects.filter(product=away).exists()


def test_merged_favourites_keep_their_order():
    user = make_user()
    products = [make_product(str(number)).pk for number in range(4)]
    replace_favourites(user_id=user.pk, product_ids=products[:2], language="fr")
    assert replace_favourites(user_id=user.pk, product_ids=products[2:] + products[:2], language="fr") == (
        products[2:] + products[:2]
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "malformed"),
        ({"favourites": [1]}, "malformed"),
        ("1", "malformed"),
        ("null", "malformed"),
        ("", "invalid"),
        (["x"], "invalid"),
        ([0], "invalid"),
        ([-1], "invalid"),
        ([1.5], "invalid"),
        ([True], "invalid"),
        ([None], "invalid"),
        ([[1]], "invalid"),
        ([2**63], "invalid"),
        ([1] * (MAX_FAVOURITES + 1), "invalid"),
    ],
)
def test_bad_lists_change_nothing(client, member, body, code):
    product = make_product()
    add_favourite(user_id=member.pk, product_id=product.pk, language="fr")
    response = put(client, "/api/favourites", body)
    assert (response.status_code, response.json()["code"]) == (400, code)
    assert favourite_ids(member.pk) == [product.pk]


def test_an_empty_list_keeps_nothing(client, member):
    add_favourite(user_id=member.pk, product_id=make_product().pk, language="fr")

    response = put(client, "/api/favourites", [])

    assert (response.status_code, response.json()) == (200, [])
    assert favourite_ids(member.pk) == []


def test_unknown_products_are_refused(client, member):
    hidden = make_product(is_published=False)
    make_product()
    for number in (hidden.pk, 999_999_999, 10**17):
        response = put(client, f"/api/favourites/{number}")
        assert (response.status_code, response.json()["code"]) == (404, "unknown_product")
    assert client.delete("/api/favourites/999999999").json() == []
    assert not Favourite.objects.exists()


def test_there_is_an_end_to_it(client, member):
    category = make_category()
    products = Product.objects.bulk_create(
        Product(name_fr=str(number), price=1, category=category, slug_fr=f"p-{number}")
        for number in range(MAX_FAVOURITES + 1)
    )
    Favourite.objects.bulk_create(Favourite(user=member, product=product) for product in products[:-1])
    response = put(client, f"/api/favourites/{products[-1].pk}")
    assert (response.status_code, response.json()["code"]) == (409, "too_many_favourites")
    assert put(client, f"/api/favourites/{products[0].pk}").status_code == 200
    assert Favourite.objects.count() == MAX_FAVOURITES
    # Each member has an end of their own.
    other = make_user(email="autre@example.com")
    assert add_favourite(user_id=other.pk, product_id=products[0].pk, language="fr") == [products[0].pk]


def test_guests_are_asked_to_sign_in(client):
    product = make_product()
    for response in (
        client.get("/api/favourites"),
        put(client, "/api/favourites", [product.pk]),
        put(client, f"/api/favourites/{product.pk}"),
        client.delete(f"/api/favourites/{product.pk}"),
    ):
        assert (response.status_code, response.json()["code"]) == (401, "not_authenticated")
    assert not Favourite.objects.exists()


def test_a_page_of_another_site_changes_nothing(member):
    product = make_product()
    client = Client(enforce_csrf_checks=True)
    client.force_login(member)
    assert put(client, f"/api/favourites/{product.pk}").status_code == 403
    assert client.delete(f"/api/favourites/{product.pk}").status_code == 403
    assert not Favourite.objects.exists()


def test_what_a_call_costs(client, member, django_assert_num_queries):
    product = make_product()
    add_favourite(user_id=member.pk, product_id=product.pk, language="fr")
    # Session, user, favourites.
    with django_assert_num_queries(3):
        client.get("/api/favourites")


def test_favourites_of_others_are_theirs(client, member):
    other = make_user("autre@example.com")
    product = make_product()
    add_favourite(user_id=other.pk, product_id=product.pk, language="fr")
    client.delete(f"/api/favourites/{product.pk}")
    put(client, "/api/favourites", {"favourites": []})
    assert favourite_ids(other.pk) == [product.pk]
    assert client.get("/api/favourites").json() == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("3,1,3", [3, 1]),
        ("", []),
        ("0,-1,1.5,٣,a, 2,4", [4]),
        ("9" * 30 + ",7", [7]),
        (",".join(["5"] * 3000), [5]),
        ("1\x00,2", [2]),
    ],
)
def test_keys_in_an_address(text, ids):
    assert parse_ids(text) == ids


def test_the_page_draws_what_it_is_asked_for(client):
    first, second, hidden = (
        make_product("Un"),
        make_product("Deux"),
        make_product("Trois", is_published=False),
    )
    address = f"/favoris?ids={second.pk},{hidden.pk},{first.pk}"

    part = client.get(address, headers={"X-Fragment": "favourites"})
    assert [card.name for card in part.context["cards"]] == ["Deux", "Un"]
    assert "<html" not in part.content.decode()
    assert "2 favoris" in part.content.decode()
    assert "X-Fragment" in part.headers["Vary"]

    whole = client.get(address).content.decode()
    assert "<html" in whole
    assert "Deux" in whole
    assert "Aucun favori pour l'instant" in client.get("/favoris?ids=").content.decode()


def test_the_page_is_the_same_for_everybody(client):
    first = client.get("/favoris")
    client.force_login(make_user())
    assert client.get("/favoris").content == first.content
    assert "Chargement de vos favoris…" in first.content.decode()
    assert '<meta name="robots" content="noindex, follow">' in first.content.decode()


def test_the_page_costs_a_known_number_of_queries(client, django_assert_max_num_queries):
    products = ",".join(str(make_product(str(number)).pk) for number in range(5))
    # Products, photos, variants, the shop's settings; dates: zones with weight steps, territories, closures.
    with django_assert_max_num_queries(7):
        client.get(f"/favoris?ids={products}", headers={"X-Fragment": "favourites"})


def test_the_api_lists_products_by_key(client):
    first, second, hidden = (
        make_product("Un"),
        make_product("Deux"),
        make_product("Trois", is_published=False),
    )
    answer = client.get(f"/api/products?ids={second.pk},{hidden.pk},{first.pk},x").json()
    assert [card["name"] for card in answer["results"]] == ["Deux", "Un"]
    assert (answer["count"], answer["next"], answer["previous"]) == (2, None, None)


def test_every_card_has_a_heart_that_needs_the_script(client):
    product = make_product("Golem")
    html = client.get("/produits").content.decode()
    assert f'<favourite-button class="favourite needs-script" product="{product.pk}">' in html
    assert "Favori\u00a0: Golem" in html


class TestReturnMails:
    """An opt-in mail each time an awaited piece comes back."""

    @pytest.fixture
    def awaited(self):
        user = make_user()
        product = make_product("Golem", in_stock=False)
        add_favourite(user_id=user.pk, product_id=product.pk, language="fr")
        choose_return_mails(user_id=user.pk, product_ids=[product.pk], language="en")
        return Favourite.objects.get()

    def back(self, favourite, is_back=True):
        change_product(favourite.product, in_stock=is_back)

    def test_one_mail_a_return(self, awaited):
        now = timezone.now()
        assert watch_favourites(now=now) == 0
        self.back(awaited)
        assert watch_favourites(now=now) == 1
        assert watch_favourites(now=now) == 0
        [mail] = OutgoingMail.objects.all()
        assert (mail.kind, mail.to, mail.language) == ("favourite_available", "client@example.com", "en")
        self.back(awaited, False)
        assert watch_favourites(now=now + timedelta(days=1)) == 0
        self.back(awaited)
        assert watch_favourites(now=now + timedelta(days=1)) == 1
        assert OutgoingMail.objects.count() == 2

    def test_a_blocked_member_gets_none_until_the_account_is_open_again(self, awaited):
        watch_favourites(now=timezone.now())
        awaited.user.is_active = False
        awaited.user.save()
        self.back(awaited)
        assert watch_favourites(now=timezone.now()) == 0
        assert not OutgoingMail.objects.exists()
        awaited.user.is_active = True
        awaited.user.save()
        assert watch_favourites(now=timezone.now()) == 1

    def test_nobody_gets_a_mail_who_did_not_ask(self, awaited):
        watch_favourites(now=timezone.now())
        choose_return_mails(
            user_id=awaited.user_id, product_ids=[], seen_ids=[awaited.product_id], language="fr"
        )
        watch_favourites(now=timezone.now())
        self.back(awaited)
        assert watch_favourites(now=timezone.now()) == 0
        assert Favourite.objects.get().missing_since is None

    def test_a_product_that_was_always_there_is_no_return(self):
        user, product = make_user(), make_product()
        add_favourite(user_id=user.pk, product_id=product.pk, language="fr")
        choose_return_mails(user_id=user.pk, product_ids=[product.pk], language="fr")
        assert watch_favourites(now=timezone.now()) == 0
        # Hidden for a while is not gone.
        change_product(product, is_published=False)
        assert watch_favourites(now=timezone.now()) == 0
        change_product(product, is_published=True)
        assert watch_favourites(now=timezone.now()) == 0
        assert not OutgoingMail.objects.exists()

    def test_a_product_without_an_available_format_is_not_back(self, awaited):
        variation = make_variation(awaited.product, is_default=True, in_stock=False)
        watch_favourites(now=timezone.now())
        self.back(awaited)
        assert watch_favourites(now=timezone.now()) == 0
        change_variant(variant_of(awaited.product, variation), in_stock=True)
        assert watch_favourites(now=timezone.now()) == 1

    @pytest.mark.parametrize("is_restored", [False, True])
    def test_the_link_ends_it_without_signing_in(
        self, client, awaited, is_restored, django_capture_on_commit_callbacks
    ):
        other = make_user(email="autre@example.com")
        add_favourite(user_id=other.pk, product_id=awaited.product_id, language="fr")
        choose_return_mails(user_id=other.pk, product_ids=[awaited.product_id], language="fr")
        watch_favourites(now=timezone.now())
        self.back(awaited)
        assert watch_favourites(now=timezone.now()) == 2
        mail = OutgoingMail.objects.get(to="client@example.com")
        link = mail.context["unsubscribe_url"].removeprefix("http://localhost:8000")
        assert link.startswith("/en/notices/unsubscribe?cle=")
        assert link in render(mail).text

        assert client.get(link).status_code == 200
        own, others = Favourite.objects.get(pk=awaited.pk), other.favourites.get()
        assert (own.notify_when_back, others.notify_when_back) == (True, True)
        if is_restored:
            # Another favourite may have its key.
            with django_capture_on_commit_callbacks(execute=True):
                renew_link_salt("restored")
        assert client.post(link).status_code == 200
        own.refresh_from_db()
        others.refresh_from_db()
        assert (own.notify_when_back, others.notify_when_back) == (is_restored, True)


def test_cards_of_a_member(django_assert_max_num_queries):
    user = make_user()
    products = [make_product(name) for name in ("Un", "Deux", "Trois")]
    for product in products:
        add_favourite(user_id=user.pk, product_id=product.pk, language="fr")
    choose_return_mails(user_id=user.pk, product_ids=[products[0].pk], language="fr")
    # Favourites, products, photos, variants, the shop's settings.
    with django_assert_max_num_queries(5):
        found = favourite_cards(user.pk)
    assert [(row.card.name, row.notify_when_back) for row in found] == [
        ("Trois", False),
        ("Deux", False),
        ("Un", True),
    ]
