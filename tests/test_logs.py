"""No log holds what opens something or tells who somebody is, at whatever level."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts import views as accounts_views
from accounts.models import EmailChange
from accounts.tests.people import PASSWORD, deliver_mails, link_in_last_mail, make_admin, make_member, post
from catalog.models import Notice
from orders.access import order_url, payment_page_url, statement_token
from orders.models import Withdrawal
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from shop.celery import pass_request_id_on
from shop.core.log_lines import TASK_HEADER, bind, unbind
from shop.core.models import OutgoingMail
from shop.core.tests.log_reading import lines_of, log_fixture, refuse_leaks  # noqa: F401

pytestmark = pytest.mark.django_db

NEW = "carmes-figurine-2027"


def session_of(client: Client) -> str:
    return str(client.session.session_key)


def key_of(path: str) -> str:
    """What a link ends with: the key, without the words of its address."""
    return re.split(r"[/=]", path)[-1]


def path_of(url: str) -> str:
    return url.removeprefix(settings.SITE_URL)


def test_signing_up_in_and_out_and_a_forgotten_password(log):
    client, secrets = Client(), [PASSWORD, NEW, "wrong-password-1"]
    post(client, "signup")
    link = link_in_last_mail()
    secrets += [key_of(link), session_of(client)]
    client.get(link)
    client.post("/auth/confirmation", {"password": PASSWORD, "password_confirmation": PASSWORD})
    secrets.append(session_of(client))
    client.post("/auth/deconnexion")
    post(client, "signin", password="wrong-password-1")
    post(client, "signin")
    secrets.append(session_of(client))
    client.post("/auth/deconnexion")
    post(client, "forgot")
    link = link_in_last_mail()
    secrets.append(key_of(link))
    client.get(link)
    client.post("/auth/nouveau-mot-de-passe", {"password": NEW, "password_confirmation": NEW})
    # Used up: it is refused, and a refusal is logged.
    client.get(link)
    post(client, "signin", password=NEW)
    secrets.append(session_of(client))
    refuse_leaks(log, [*secrets, "client@example.com", "127.0.0.1"])


def test_a_changed_address_and_a_second_factor(log):
    member = make_member()
    client = Client()
    post(client, "signin", password="wrong-password-1")
    post(client, "signin")
    client.post("/espace-membre/adresse-e-mail", {"email": "new@example.com", "password": PASSWORD})
    assert EmailChange.objects.exists()
    deliver_mails()
    links = re.findall(
        r"http://localhost:8000(/\S*auth/\S+)", "\n".join(OutgoingMail.objects.values_list("text", flat=True))
    )
    assert len(links) == 2
    for link in links:
        client.get(link)
        client.post("/auth/adresse-e-mail", {"password": PASSWORD})
    member.refresh_from_db()
    assert member.email == "new@example.com"
    client.post("/auth/seconde-etape", {"code": "123456"})
    refuse_leaks(log, [PASSWORD, session_of(client), *map(key_of, links)])


def test_links_of_people_without_an_account(log):
    make_seller()
    client = Client()
    order = pay_order(make_order())
    declared = Withdrawal.objects.create(
        order=order,
        name="Léa",
        email="lea@example.com",
        order_text="X",
        statement="x",
        submission_key="k" * 20,
    )
    notice = Notice.objects.create(
        email="a@example.com", token="t" * 43, product=make_product("Ogre"), confirmed_at=timezone.now()
    )
    staff = Client()
    staff.force_login(make_admin())
    staff.post("/admin/donnees-personnelles/effacements", {"email": "guest@example.com", "language": "fr"})
    deliver_mails()
    erasure = re.search(
        r"http://localhost:8000(/\S+)", OutgoingMail.objects.get(kind="account_erasure_link").text
    )
    assert erasure is not None
    paths = [
        path_of(order_url(order)),
        path_of(payment_page_url(order)),
        f"/retractation/recue?cle={statement_token(declared)}",
        f"/avis/confirmer?cle={notice.token}",
        f"/avis/desinscription?cle={notice.token}",
        erasure.group(1),
    ]
    for path in paths:
        client.get(path)
        client.post(path)
        # As pages that do not exist, which are logged with their address.
        client.get(f"/x{path}")
    refuse_leaks(log, [*map(key_of, paths), session_of(staff)])


def test_an_error_on_the_page_of_a_link(log, monkeypatch):
    post(Client(), "signup")
    link = link_in_last_mail()

    def fail(_key):
        raise RuntimeError("broken")

    monkeypatch.setattr(accounts_views, "sign_up_of_key", fail)
    client = Client(raise_request_exception=False)
    assert client.get(link).status_code == 500
    assert "RuntimeError: broken" in log.getvalue()
    refuse_leaks(log, [key_of(link)])


def test_a_session_that_was_tampered_with_and_a_form_without_its_key(log):
    client = Client(enforce_csrf_checks=True)
    client.cookies[settings.SESSION_COOKIE_NAME] = "stolen-session-key-0123456789"
    assert client.get("/espace-membre").status_code == 302
    assert post(client, "signin").status_code == 403
    refuse_leaks(log, ["stolen-session-key-0123456789", PASSWORD])


def test_what_strangers_send_is_a_line_and_no_traceback(log):
    client = Client(raise_request_exception=False)
    answers = [
        client.get("/", headers={"host": "evil.example"}),
        client.post("/contact", {f"field-{number}": "1" for number in range(600)}),
        client.post("/contact", b"x", content_type="multipart/form-data; boundary="),
    ]
    assert [answer.status_code for answer in answers] == [400, 400, 400]
    lines = [line for line in lines_of(log) if line["logger"].startswith("django.")]
    assert [line["logger"] for line in lines if line["level"] != "DEBUG"] == [
        *("django.security.DisallowedHost", "django.security.TooManyFieldsSent", "django.request")
    ]
    assert [line for line in lines if "exception" in line or line["level"] == "ERROR"] == []


def test_a_task_names_the_request_that_published_it():
    headers = {}
    pass_request_id_on(headers=headers)
    assert headers == {}
    token = bind({"request_id": "abcdefgh"})
    try:
        pass_request_id_on(headers=headers)
    finally:
        unbind(token)
    assert headers == {TASK_HEADER: "abcdefgh"}
