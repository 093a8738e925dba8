"""The archive of one's own data: everything about one person, nothing about another, made once, gone after a week."""

from __future__ import annotations

import errno
import io
import json
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.test import Client
from django.utils import timezone

from accounts.email_changes import Mailbox, email_change_key
from accounts.models import User
from accounts.services.email_changes import confirm_email_change, request_email_change
from accounts.tests.people import make_member
from orders.models import OrderTracking, SavedCart
from orders.tests.factories import make_finished_product, make_order
from shop.core.file_storage import delete_discarded_files, private_storage
from shop.core.models import OutgoingMail
from shop.core.personal_data import activities
from shop.pages.models import CartReminder, DataExport, ExportState
from shop.pages.services import data_exports
from shop.pages.services.data_exports import make_export, make_waiting_exports, purge_exports, request_export
from shop.pages.tests.personal_data import PAGE, add_return, fill_orders, make_person, send_mails
from shop.pages.tests.staff import signed_in

pytestmark = pytest.mark.django_db

GERMAN = ["Zweiter Anmeldeschritt", "Hinzugefügt am", "Browser", "Geöffnet am", "Zuletzt gesehen am"]


def made(user: User, language: str = "fr") -> DataExport:
    export = request_export(user=user, language=language)
    assert make_export(export.pk)
    export.refresh_from_db()
    return export


def archive_of(export: DataExport) -> zipfile.ZipFile:
    with private_storage().open(export.file) as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


@pytest.mark.both_engines
def test_gdpr_15_20_the_archive_holds_everything_of_the_person_and_nothing_of_another():
    zoe = make_person("Zoe", "zoe@example.com")
    make_person("Maximilien", "max@example.com")

    archive = archive_of(made(zoe))

    data = json.loads(archive.read("data.json"))
    assert [
        part for part, records in data.items() if part not in ("made_at", "language") and not records
    ] == []
    assert set(data) == {"made_at", "language", *(row.name for row in activities() if row.export is not None)}
    [account, *_more] = data["account"]
    assert (account["email"], account["first_name"]) == ("zoe@example.com", "Zoe")
    [order] = data["orders"]
    assert (order["phone"], order["notes"], order["city"]) == (
        "+33 6 11 22 33 44",
        "Sonnez chez Zoe.",
        "Ville-Zoe",
    )
    assert order["language"] == "Français"
    assert order["lines"] == ["1 × Golem 0 – 40,00\u00a0€"]
    [payments] = data["payments"]
    assert payments["card"] == "visa •••• 4242"
    [message] = data["contact"]
    assert (message["message"], message["replies"]) == ("Bonjour, ici Zoe.", ["Bonjour Zoe !"])
    assert data["reviews"][0]["text"] == "Une très belle pièce."
    assert data["newsletter"][0]["categories"] == ["Bustes"]
    assert data["newsletter"][-1]["letter"] == "Lettre de Noël"
    names = archive.namelist()
    papers = [name for name in names if name.startswith("invoices/")]
    assert len(papers) == 2, "the invoice and the contract"
    assert [archive.read(name)[:4] for name in papers] == [b"%PDF", b"%PDF"]
    [picture] = [name for name in names if name.startswith("contact/")]
    assert archive.read(picture) == b"picture of Zoe"
    [event] = [name for name in names if name.startswith("payments/")]
    assert json.loads(archive.read(event))["data"]["object"]["email"] == "zoe@example.com"
    everything = b"".join(archive.read(name) for name in names if not name.endswith(".pdf"))
    assert b"Zoe" in everything
    for foreign in (b"Maximilien", b"max@example.com", b"MAXIMILI"):
        assert foreign not in everything


# Columns whose words are in the archive elsewhere, or that open something.
NOT_SHOWN = {
    "core.OutgoingMail": "The text of each mail is there; those to the workshop repeat the order.",
    "orders.Invoice.data": "In its PDF.",
    "orders.Contract.data": "In its PDF.",
    "orders.Order.demand_digest": "A hash.",
    "orders.Order.request_fingerprint": "A hash.",
    "orders.Order.review_reason": "Codes of our own about a payment.",
    "orders.OrderSearchEntry.text": "Words of other columns.",
    "pages.ContactImage.file": "The picture is there.",
    "pages.ContactRequest.fingerprint": "A hash.",
    "catalog.Notice.token": "Opens what it is for.",
}


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_in(part)
    elif isinstance(value, str):
        yield value


def test_gdpr_15_every_word_about_the_person_that_any_registered_column_holds_is_in_the_archive():
    person = make_person("Zoraide", "zoe@example.com")
    add_return(person, "Zoraide")
    fill_orders("Zoraide")
    archive = archive_of(made(person))
    found = "\n".join(
        text
        for name in archive.namelist()
        if name.endswith(".json")
        for text in texts_in(json.loads(archive.read(name)))
    )
    columns = [
        (label, column)
        for activity in activities()
        for label, names in activity.columns.items()
        for column in apps.get_model(label)._meta.concrete_fields
        if {column.name, "*"} & set(names) and not {label, f"{label}.{column.name}"} & NOT_SHOWN.keys()
    ]
    missing = {
        f"{label}.{column.name}: {text}"
        for label, column in columns
        for value in apps.get_model(label)._base_manager.values_list(column.attname, flat=True)
        for text in texts_in(value)
        if "Zoraide" in text and text not in found
    }
    assert missing == set()


def test_carts_are_told_in_words():
    user = make_member()
    figurine = make_finished_product()
    line = {"product_id": figurine.pk, "variation_id": None, "finish": "painted", "quantity": 2}
    gone = {"product_id": 999_999, "variation_id": None, "finish": "", "quantity": 1}
    SavedCart.objects.create(
        user=user, lines=[line, gone], ordered=[{"order": str(uuid4()), "lines": [line]}]
    )
    CartReminder.objects.create(user=user, things=[[figurine.pk, None, "painted"]], sent_at=timezone.now())
    archive = archive_of(made(user))
    data = json.loads(archive.read("data.json"))
    [cart], [reminder] = data["cart"], data["cart-reminders"]
    assert cart["lines"] == [f"2 × {figurine.name} (Peint)", "1 × Cette pièce n'est plus au catalogue."]
    assert cart["ordered"] == [f"2 × {figurine.name} (Peint)"]
    assert reminder["things"] == [f"{figurine.name} (Peint)"]
    assert "product_id" not in archive.read("index.html").decode()


def test_the_steps_of_an_order_are_told_on_the_shop_s_clock():
    user = make_member()
    order = make_order(user=user, email=user.email)
    OrderTracking.objects.create(
        order=order,
        status="shipped",
        tracking_number="6A1",
        created_at=datetime(2026, 7, 1, 22, 30, tzinfo=UTC),
    )
    [told] = json.loads(archive_of(made(user)).read("data.json"))["orders"]
    assert told["tracking"] == ["Expédiée · 2 juillet 2026 à 00:30 · 6A1"]


def test_the_page_of_the_archive_reads_alone_and_in_the_person_s_language():
    archive = archive_of(made(make_person("Zoe", "zoe@example.com"), "de"))
    html = archive.read("index.html").decode()
    assert '<html lang="de">' in html
    assert "Sonnez chez Zoe." in html
    # A page in a folder: it loads nothing.
    assert not re.search(r"<(script|link|img|iframe)|url\(|@import", html)
    for link in [part.split('"')[0] for part in html.split('href="')[1:]]:
        assert link in archive.namelist()


def test_the_second_factor_and_the_devices_are_told_in_the_person_s_language():
    user = make_member()
    Authenticator.objects.create(user=user, type="totp", data={})
    UserSession.objects.create(user=user, ip="127.0.0.1", session_key="abc", user_agent="Firefox")
    archive = archive_of(made(user, "de"))
    html = archive.read("index.html").decode()
    assert [label for label in re.findall("<dt>(.*?)</dt>", html) if label in GERMAN] == GERMAN
    assert "<dd>Authenticator-App</dd>" in html
    factor, session = json.loads(archive.read("data.json"))["account"][-2:]
    assert (factor["type"], session["user_agent"]) == ("Authenticator-App", "Firefox")


def test_markup_that_people_typed_is_text_in_the_archive():
    user = make_member(first_name="<script>alert(1)</script>")
    html = archive_of(made(user)).read("index.html").decode()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_asked_for_on_the_page_made_in_the_background_and_mailed(queued_tasks, run_on_commit):
    user = make_member()
    client = signed_in(user)
    with run_on_commit():
        assert client.post(f"{PAGE}/archive").status_code == 303
    assert queued_tasks.names == ["shop.pages.tasks.make_data_export"]
    page = client.get(PAGE)
    assert "Nous préparons votre archive." in page.content.decode()
    assert page.headers["Refresh"] == "5"
    # A refused form is not taken away from who types it anew.
    assert "Refresh" not in client.post(f"{PAGE}/effacement", {"password": "x"}).headers
    assert "no-store" in page.headers["Cache-Control"]
    # Nor is the password: it is asked for where nothing is loaded again.
    assert 'name="password"' not in page.content.decode()
    assert f'href="{PAGE}?effacer#effacement"' in page.content.decode()
    asked = client.get(f"{PAGE}?effacer")
    assert 'name="password"' in asked.content.decode()
    assert "Cette page s'actualise toute seule." not in asked.content.decode()
    assert "Refresh" not in asked.headers

    with run_on_commit():
        queued_tasks.run()

    page = client.get(PAGE)
    assert "Refresh" not in page.headers
    export = DataExport.objects.get()
    assert f'href="{PAGE}/archive/{export.pk}"' in page.content.decode()
    answer = client.get(f"{PAGE}/archive/{export.pk}")
    assert answer.headers["Content-Type"] == "application/zip"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).testzip() is None
    send_mails()
    mail = OutgoingMail.objects.get(kind="account_data_ready")
    assert mail.to == user.email
    assert f"http://localhost:8000{PAGE}" in mail.text


def test_two_presses_make_one_archive():
    user = make_member()
    client = signed_in(user)
    client.post(f"{PAGE}/archive")
    client.post(f"{PAGE}/archive")
    assert DataExport.objects.count() == 1


def test_a_fourth_archive_in_a_day_is_refused_in_words():
    user = make_member()
    for _ in range(3):
        made(user)
    answer = signed_in(user).post(f"{PAGE}/archive")
    assert answer.status_code == 429
    assert "Trop de demandes aujourd'hui. Réessayez demain." in answer.content.decode().replace("&#x27;", "'")
    assert DataExport.objects.count() == 3


def test_who_takes_another_address_while_the_archive_is_made_is_written_to_there(monkeypatch):
    user = make_member("old@example.com")
    write = data_exports._write_archive

    def meanwhile(*args):
        User.objects.filter(pk=user.pk).update(email="new@example.com")
        return write(*args)

    monkeypatch.setattr(data_exports, "_write_archive", meanwhile)
    made(user)
    assert OutgoingMail.objects.get(kind="account_data_ready").to == "new@example.com"


def test_nobody_else_gets_the_archive():
    export = made(make_member())
    path = f"{PAGE}/archive/{export.pk}"
    assert signed_in(make_member("other@example.com")).get(path).status_code == 404
    assert Client().get(path).status_code == 302


def test_the_archive_is_gone_after_seven_days():
    user = make_member()
    export = made(user)
    assert export.expires_at is not None
    assert export.ready_at is not None
    assert export.expires_at - export.ready_at == timedelta(days=7)
    DataExport.objects.update(expires_at=timezone.now())
    assert signed_in(user).get(f"{PAGE}/archive/{export.pk}").status_code == 404


def test_expired_archives_are_deleted_with_their_files():
    export, kept = made(make_member()), made(make_member("other@example.com"))
    DataExport.objects.filter(pk=export.pk).update(expires_at=timezone.now())
    assert purge_exports(timezone.now() - timedelta(days=7), 100) == 1
    assert delete_discarded_files()
    assert not private_storage().exists(export.file)
    assert private_storage().exists(kept.file)


def test_another_worker_takes_over_when_one_died():
    export = request_export(user=make_member(), language="fr")
    later = timezone.now() + timedelta(hours=1)
    DataExport.objects.update(
        state=ExportState.RUNNING, tries=1, lease_until=timezone.now() + timedelta(minutes=1)
    )
    assert not make_export(export.pk)
    # No lease is so long: that of a clock that was ahead.
    DataExport.objects.update(lease_until=timezone.now() + timedelta(days=365))
    assert make_waiting_exports(timezone.now()) == 1
    DataExport.objects.update(
        state=ExportState.RUNNING, tries=1, lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert make_waiting_exports(later) == 1
    assert DataExport.objects.get().state == ExportState.READY


@pytest.mark.parametrize("lease", [timedelta(seconds=-1), timedelta(days=365)])
def test_the_third_worker_that_dies_ends_it(lease):
    request_export(user=make_member(), language="fr")
    DataExport.objects.update(state=ExportState.RUNNING, tries=3, lease_until=timezone.now() + lease)
    assert make_waiting_exports(timezone.now()) == 0
    assert DataExport.objects.get().state == ExportState.FAILED


def test_what_fails_three_times_ends_and_may_be_asked_for_again(monkeypatch, caplog):
    user = make_member()
    export = request_export(user=user, language="fr")

    def break_down(*_args):
        raise OSError("disk full")

    monkeypatch.setattr(data_exports, "_write_archive", break_down)
    for _ in range(3):
        assert not make_export(export.pk)
    export.refresh_from_db()
    assert export.state == ExportState.FAILED
    assert not OutgoingMail.objects.exists()
    assert "L'archive n'a pas pu être préparée." in signed_in(user).get(PAGE).content.decode().replace(
        "&#x27;", "'"
    )
    monkeypatch.undo()
    assert made(user).state == ExportState.READY


def test_a_storage_that_is_away_is_waited_for(monkeypatch, caplog):
    export = request_export(user=make_member(), language="fr")

    def away(*_args):
        raise OSError(errno.EIO, "Media storage: away")

    with monkeypatch.context() as broken:
        broken.setattr(data_exports, "_write_archive", away)
        for _ in range(4):
            assert make_waiting_exports(timezone.now()) == 0
    export.refresh_from_db()
    assert (export.state, export.tries) == (ExportState.REQUESTED, 0)
    assert make_waiting_exports(timezone.now()) == 1
    assert DataExport.objects.get().state == ExportState.READY
    assert "Traceback" not in caplog.text


def test_the_call_starts_an_archive_and_gives_it():
    user = make_member()
    client = signed_in(user)
    answer = client.get("/api/me/export")
    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["url"]) == ("requested", "")
    export = DataExport.objects.get()
    make_export(export.pk)
    answer = client.get("/api/me/export")
    assert answer.status_code == 200
    assert answer.json()["url"] == f"http://localhost:8000{PAGE}/archive/{export.pk}"
    assert DataExport.objects.count() == 1
    assert Client().get("/api/me/export").status_code == 401


def test_what_was_sent_to_an_earlier_address_is_in_the_archive_of_who_had_it_and_of_nobody_else():
    member = make_member("old@example.com")
    send_mail = OutgoingMail.objects.create
    send_mail(kind="contact_reply", to="Old@example.com", state="sent", subject="Before", text="Yours")
    for address in ("new@example.com", "newest@example.com"):
        change = request_email_change(user=member, email=address, language="fr")
        for mailbox in Mailbox:
            confirm_email_change(key=email_change_key(change, mailbox))
        member.refresh_from_db()
    later = make_member("old@example.com")
    send_mail(kind="contact_reply", to="old@example.com", state="sent", subject="After", text="Theirs")
    for person, subject in ((member, "Before"), (later, "After")):
        found = json.loads(archive_of(made(person)).read("data.json"))["mails"]
        assert [mail["subject"] for mail in found] == [subject]
