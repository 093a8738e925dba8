"""Reading unsent mails at ``/_mails``."""

from __future__ import annotations

import pytest
from django.urls import include, path

from shop.core.mail_delivery import deliver
from shop.core.mail_samples import sample_context
from shop.core.models import OutgoingMail

# The shop mounts these pages in DEBUG only, and tests run without it.
urlpatterns = [path("_mails", include("shop.core.mailbox_urls"))]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.fixture(autouse=True)
def _machine_without_mail_server(settings):
    settings.DEBUG = True
    settings.EMAIL_URL = ""
    # The shop's own page for what does not exist links to pages that are not mounted here.
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if not name.endswith(".NotFoundMiddleware")]


@pytest.fixture
def mail():
    return OutgoingMail.objects.create(
        kind="order_confirmation",
        to="client@example.com",
        context=sample_context("order_confirmation", notes="<script>alert(1)</script>"),
    )


def test_the_list(client, mail):
    OutgoingMail.objects.create(kind="account_exists", to="other@example.com")
    deliver(mail.pk)

    page = client.get("/_mails").content.decode()
    assert "Commande 7C9BE001 confirmée" in page
    assert "other@example.com" in page
    narrowed = client.get("/_mails", {"to": "client@"}).content.decode()
    assert "client@example.com" in narrowed
    assert "other@example.com" not in narrowed
    assert client.get("/_mails", {"page": "x"}).status_code == 200


@pytest.mark.parametrize("sent", [True, False])
def test_a_mail_is_readable_sent_or_not(client, mail, sent):
    if sent:
        deliver(mail.pk)
    response = client.get(f"/_mails/{mail.pk}")

    page = response.content.decode()
    assert "Gardien aux andouillers" in page
    assert "<script>alert(1)</script>" not in page
    assert f'<iframe src="/_mails/{mail.pk}/html"' in page
    assert "frame-src 'self'" in response["Content-Security-Policy"]
    mail.refresh_from_db()
    assert bool(mail.text) is sent


def test_links_in_the_text_can_be_followed(client, mail):
    page = client.get(f"/_mails/{mail.pk}").content.decode()
    assert 'href="http://localhost:8000/commande/6f1f8a52-1d2b-4c33-9a4e-0d5a7c9be001?acces=signed"' in page


def test_the_html_stands_in_a_sandbox(client, mail):
    response = client.get(f"/_mails/{mail.pk}/html")

    assert set(response["Content-Security-Policy"].split("; ")) == {
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-popups allow-popups-to-escape-sandbox",
    }
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("changes", [{"DEBUG": False}, {"EMAIL_URL": "smtp://localhost"}])
@pytest.mark.parametrize("page", ["", "/{pk}", "/{pk}/html"])
def test_nowhere_else(client, mail, settings, changes, page):
    for name, value in changes.items():
        setattr(settings, name, value)

    response = client.get(f"/_mails{page}".format(pk=mail.pk))

    assert response.status_code == 404
    assert "Gardien" not in response.content.decode()


def test_unknown_mail(client):
    assert client.get("/_mails/999").status_code == 404
