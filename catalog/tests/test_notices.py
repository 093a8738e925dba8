"""Stock and launch notices: double opt-in, one mail, an end to it."""

from __future__ import annotations

from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from catalog.models import CategoryKind, Notice
from catalog.services import notices
from catalog.services.favourites import add_favourite, choose_return_mails, watch_favourites
from catalog.services.notices import (
    ask_notice,
    confirm_notice,
    purge_notices,
    purge_waiting_notices,
    send_due_notices,
)
from catalog.tasks import send_notices
from catalog.tests.factories import change_product, make_category, make_product, make_user
from catalog.tests.notices import CHECK, mails
from shop.core.limits import NOTICE_MAIL
from shop.core.mail_delivery import deliver, render
from shop.core.models import OutgoingMail
from shop.core.personal_data import kept_until
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def product():
    return make_product("Golem", in_stock=False)


def ask(product, email="a@example.com", language="fr"):
    ask_notice(email=email, language=language, product_id=product.pk)
    return Notice.objects.get(email=email, product=product)


def path(mail, name):
    return mail.context[name].removeprefix("http://localhost:8000")


def test_from_the_form_to_the_mail(product):
    # Pages are cached whole and hold no token: the form works for a visitor without any cookie.
    client = Client(enforce_csrf_checks=True)
    response = client.post("/en/notices/ask", {"email": " A@Example.com ", "product_id": product.pk})
    assert (response.status_code, response["Location"]) == (303, "/en/notices/asked")
    notice = Notice.objects.get()
    assert (notice.email, notice.language, notice.confirmed_at) == ("a@example.com", "en", None)
    assert mails() == [("notice_confirm", "a@example.com")]

    # Nothing before the confirmation, which opening the link is not.
    link = path(OutgoingMail.objects.get(), "confirm_url")
    assert link == f"/en/notices/confirm?cle={notice.token}"
    change_product(product, in_stock=True)
    assert client.get(link).status_code == 200
    assert send_due_notices() == 0

    assert client.post(link).status_code == 200
    assert send_due_notices() == 1
    assert send_due_notices() == 0
    assert mails() == [("notice_confirm", "a@example.com"), ("notice_available", "a@example.com")]

    # A wish that was answered is promised nothing more.
    for answer in (client.get(link), client.post(link)):
        assert answer.status_code == 404
        assert "Link expired" in answer.content.decode()
        page = unescape(answer.content.decode())
        assert "the request was answered or deleted, or a more recent message holds the right link." in page
        assert "To be notified again, ask for it on the page of the piece or the collection." in page


def test_the_form_is_on_the_page_of_what_is_sold_out_only(client, product):
    there = make_product("Lutin")
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    assert f'<input type="hidden" name="product_id" value="{product.pk}">' in html
    assert "Me prévenir du retour" in html
    assert "csrf" not in html
    assert "Me prévenir du retour" not in client.get(f"/produit/{there.pk}-lutin").content.decode()


def test_the_form_is_on_an_empty_collection(client):
    make_category("crochet", kind=CategoryKind.COLLECTION)
    html = client.get("/crochet").content.decode()
    assert '<input type="hidden" name="category_slug" value="crochet">' in html
    assert "Me notifier du lancement" in html


def test_a_collection_that_opens(client):
    category = make_category("crochet", kind=CategoryKind.COLLECTION, name_fr="Crochet")
    assert (
        client.post("/avis/demander", {"email": "a@example.com", "category_slug": "crochet"}).status_code
        == 303
    )
    confirm_notice(key=Notice.objects.get().token)
    make_product("Brouillon", category=category, is_published=False)
    make_product("Golem")
    assert send_due_notices() == 0
    make_product("Ours", category=category)
    assert send_due_notices() == 1
    mail = OutgoingMail.objects.get(kind="notice_available")
    written = render(mail)
    assert written.subject == "La collection est ouverte\u00a0: Crochet"
    assert "http://localhost:8000/crochet" in written.text


def test_the_api(client, product):
    response = client.post(
        "/api/notify", {"email": "a@example.com", "product_id": product.pk}, content_type="application/json"
    )
    assert (response.status_code, response.json()) == (202, {"detail": CHECK})
    again = client.post(
        "/api/notify", {"email": "a@example.com", "product_id": product.pk}, content_type="application/json"
    )
    assert (again.status_code, again.content) == (202, response.content)
    assert Notice.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"email": "a@example.com"}, "product_id"),
        ({"email": "a@example.com", "product_id": 1, "category_slug": "x"}, "product_id"),
        ({"email": "a@example.com", "product_id": 999_999_999}, "product_id"),
        ({"email": "a@example.com", "product_id": 2**63}, "product_id"),
        ({"email": "a@example.com", "category_slug": "goodies-divers", "productId": 1}, "productId"),
        ({"email": "a@example.com", "product_id": "x"}, "product_id"),
        ({"email": "a@example.com", "category_slug": "nowhere"}, "category_slug"),
        ({"email": "nobody", "category_slug": "goodies-divers"}, "email"),
        ({"email": "a@example.com\nBcc: b@example.com", "category_slug": "goodies-divers"}, "email"),
        ({"email": "a" * 300 + "@example.com", "category_slug": "goodies-divers"}, "email"),
        ({"category_slug": "goodies-divers"}, "email"),
    ],
)
def test_bad_wishes(client, body, field):
    make_category()
    response = client.post("/api/notify", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "invalid")
    assert field in response.json()["errors"]
    assert (Notice.objects.count(), mails()) == (0, [])


def test_a_piece_off_sale_can_not_be_wished_for():
    hidden = make_product(is_published=False)
    with pytest.raises(Problem, match="Ce produit n'existe pas"):
        ask_notice(email="a@example.com", language="fr", product_id=hidden.pk)
    assert not Notice.objects.exists()


def test_a_piece_that_left_the_shop_is_named_without_a_link(client, product):
    notice, member = ask(product, "lea@example.com"), make_user("lea@example.com")
    confirm_notice(key=notice.token)
    client.force_login(member)
    link = '<a href="/produit/'
    for change, links in (({}, 1), ({"is_published": False}, 0), ({"is_published": True}, 1)):
        change_product(product, **change)
        for address in (f"/avis/confirmer?cle={notice.token}", "/espace-membre?tab=profile"):
            html = client.get(address).content.decode()
            assert (html.count("Golem") > 0, html.count(link)) == (True, links)


def test_a_bad_address_in_the_form(client, product):
    response = client.post("/avis/demander", {"email": "<b>x", "product_id": product.pk})
    html = response.content.decode()
    assert response.status_code == 400
    assert "Veuillez entrer une adresse e-mail valide" in html
    assert 'value="&lt;b&gt;x"' in html
    # The address takes forms alone: other languages are those of the piece's page.
    assert f'href="/de/produkt/{product.pk}-golem" hreflang="de"' in html
    assert not Notice.objects.exists()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"product_id": "x"},
        {"product_id": "9" * 30},
        {"category_slug": "a\x00"},
        {"category_slug": "nowhere"},
    ],
)
def test_forms_that_are_not_ours(client, data):
    assert client.post("/avis/demander", {"email": "a@example.com", **data}).status_code == 404


def test_known_addresses_get_the_same_answer_and_no_second_mail(client, product):
    answers = set()
    for _round in range(3):
        response = client.post("/avis/demander", {"email": "a@example.com", "product_id": product.pk})
        answers.add((response.status_code, response["Location"]))
    confirm_notice(key=Notice.objects.get().token)
    Notice.objects.update(asked_at=timezone.now() - timedelta(days=1))
    response = client.post("/avis/demander", {"email": "a@example.com", "product_id": product.pk})
    answers.add((response.status_code, response["Location"]))
    assert answers == {(303, "/avis/demande")}
    assert mails() == [("notice_confirm", "a@example.com")]
    assert Notice.objects.get().confirmed_at is not None


def test_a_lost_confirmation_can_be_asked_for_again(product):
    first = ask(product)
    Notice.objects.update(asked_at=timezone.now() - timedelta(minutes=16))
    second = ask(product, language="de")
    assert len(mails()) == 2
    assert first.token != second.token
    assert confirm_notice(key=first.token) is None
    assert confirm_notice(key=second.token) is not None


def test_gdpr_13_the_mail_names_the_period_after_which_the_address_is_deleted(product, settings):
    settings.RETENTION = {**settings.RETENTION, "notice_days": 12}
    ask_notice(email="a@example.com", language="de", product_id=product.pk)
    mail = render(OutgoingMail.objects.get())
    for part in (mail.text, mail.html):
        assert "Ohne Bestätigung wird Ihre Adresse nach Ablauf der Frist (12 Tage) gelöscht." in part


def test_an_address_gets_few_confirmations_an_hour():
    for number in range(NOTICE_MAIL.attempts + 2):
        ask_notice(email="a@example.com", language="fr", product_id=make_product(f"P{number}").pk)
    assert len(mails()) == NOTICE_MAIL.attempts
    assert Notice.objects.count() == NOTICE_MAIL.attempts + 2


def test_a_caller_is_limited(client, product):
    for number in range(20):
        client.post("/avis/demander", {"email": f"a{number}@example.com", "product_id": product.pk})
    response = client.post("/avis/demander", {"email": "b@example.com", "product_id": product.pk})
    assert response.status_code == 429
    assert "Trop de demandes. Réessayez dans quelques minutes." in response.content.decode()
    assert Notice.objects.count() == 20
    assert (
        client.post(
            "/api/notify",
            {"email": "b@example.com", "product_id": product.pk},
            content_type="application/json",
        ).status_code
        == 429
    )


def test_a_fulfilled_wish_may_be_made_again(product):
    notice = ask(product)
    confirm_notice(key=notice.token)
    change_product(product, in_stock=True)
    send_due_notices()
    Notice.objects.update(asked_at=timezone.now() - timedelta(hours=2))
    change_product(product, in_stock=False)
    again = ask(product)
    assert (again.confirmed_at, again.sent_at) == (None, None)
    confirm_notice(key=again.token)
    # Another piece is there, and this one off sale.
    make_product("Lutin")
    assert send_due_notices() == 0
    change_product(product, in_stock=True, is_published=False)
    assert send_due_notices() == 0
    change_product(product, is_published=True)
    assert send_due_notices() == 1
    assert [kind for kind, _to in mails()] == ["notice_confirm", "notice_available"] * 2


def test_the_mail_can_be_ended_without_a_cookie(product):
    notice = ask(product)
    confirm_notice(key=notice.token)
    client = Client(enforce_csrf_checks=True)
    link = path(OutgoingMail.objects.get(), "unsubscribe_url")
    assert client.get(link).status_code == 200
    assert Notice.objects.count() == 1
    # RFC 8058: what a mail program sends by itself.
    assert client.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert Notice.objects.count() == 0
    assert client.post(link).status_code == 200
    change_product(product, in_stock=True)
    assert send_due_notices() == 0


@pytest.mark.parametrize("key", ["", "x", "%00", "é", "a" * 5000, "a" * 40])
@pytest.mark.parametrize("method", ["get", "post"])
def test_links_that_name_nothing(client, key, method):
    assert getattr(client, method)(f"/avis/confirmer?cle={key}").status_code == 404
    stop = getattr(client, method)(f"/avis/desinscription?cle={key}")
    assert stop.status_code == 200
    assert "La demande est effacée." not in stop.content.decode()


def test_pages_of_links_are_cached_by_nobody(client, product):
    token = ask(product).token
    for page in ("confirmer", "desinscription"):
        response = client.get(f"/avis/{page}?cle={token}")
        assert "no-store" in response["Cache-Control"]
        assert '<meta name="robots" content="noindex">' in response.content.decode()


def test_addresses_are_deleted_after_a_month(product):
    now = timezone.now()
    old, new, waiting = (ask(product, f"{name}@example.com") for name in ("old", "new", "waiting"))
    confirm_notice(key=waiting.token)
    Notice.objects.exclude(pk=new.pk).update(asked_at=now - timedelta(days=31))
    OutgoingMail.objects.filter(to="old@example.com").update(created_at=now - timedelta(days=31))
    assert purge_notices(now - timedelta(days=30), 10) == 1
    assert not Notice.objects.filter(pk=old.pk).exists()
    assert Notice.objects.count() == 2
    assert [to for _kind, to in mails()] == ["new@example.com", "waiting@example.com"]
    change_product(product, in_stock=True)
    send_due_notices()
    assert purge_notices(now + timedelta(days=1), 10) == 2


def test_a_wish_that_was_never_answered_is_deleted_after_three_years(product):
    now = timezone.now()
    old, new, unconfirmed = (ask(product, f"{name}@example.com") for name in ("old", "new", "unconfirmed"))
    for notice in (old, new):
        confirm_notice(key=notice.token)
    Notice.objects.filter(pk=old.pk).update(confirmed_at=now - timedelta(days=3 * 366))
    before = kept_until("inactive_years", now)
    assert purge_waiting_notices(before, 10) == 1
    assert set(Notice.objects.values_list("pk", flat=True)) == {new.pk, unconfirmed.pk}
    # One that was answered has its own days.
    Notice.objects.filter(pk=new.pk).update(confirmed_at=before - timedelta(days=1), sent_at=now)
    assert purge_waiting_notices(before, 10) == 0


def test_the_mail_carries_the_one_click_headers(product, mailoutbox):
    token = ask(product).token
    deliver(OutgoingMail.objects.get().pk)
    [sent] = mailoutbox
    assert sent.extra_headers["List-Unsubscribe"] == (
        f"<http://localhost:8000/avis/desinscription?cle={token}>"
    )
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_a_wish_that_fails_keeps_no_other_waiting(product, fail_first):
    for number in (1, 2):
        ask_notice(email=f"{number}@example.com", language="fr", product_id=product.pk)
    for notice in Notice.objects.all():
        confirm_notice(key=notice.token)
    user = make_user()
    add_favourite(user_id=user.pk, product_id=product.pk, language="fr")
    choose_return_mails(user_id=user.pk, product_ids=[product.pk], language="fr")
    watch_favourites(now=timezone.now())
    change_product(product, in_stock=True)
    fail_first(notices, "_write")
    with pytest.raises(RuntimeError, match="unforeseen"):
        send_notices(timezone.now())
    assert mails()[2:] == [("notice_available", "2@example.com"), ("favourite_available", user.email)]
    send_notices(timezone.now())
    assert mails()[4:] == [("notice_available", "1@example.com")]


def test_who_is_blocked_gets_no_notice_until_the_account_is_open_again(product):
    member = make_user("a@example.com")
    confirm_notice(key=ask(product).token)
    change_product(product, in_stock=True)
    for is_active, count in ((False, 0), (True, 1)):
        type(member).objects.filter(pk=member.pk).update(is_active=is_active)
        assert send_due_notices() == count
    assert mails()[1:] == [("notice_available", "a@example.com")]
