"""`/contact`: stored once, mailed, acknowledged, limited, kept from the public."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from catalog.models import Product
from catalog.tests.factories import make_product
from shop.core.file_storage import STAYS, delete_discarded_files, private_storage
from shop.core.mail_delivery import render
from shop.core.models import AttemptCounter, OutgoingMail
from shop.core.tests.sent_mail import deliver_all, every_part
from shop.pages.models import ContactImage, ContactRequest
from shop.pages.services import contact
from shop.pages.services.contact import purge_requests
from shop.pages.tests.contact import nothing_was_kept, picture, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storage")]


def test_a_question_is_stored_mailed_and_acknowledged(client: Client) -> None:
    answer = send(client, "/de/kontakt")
    request = ContactRequest.objects.get()
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"/de/kontakt?envoi={request.reference}#envoi",
    )
    assert (request.kind, request.state, request.language) == ("question", "new", "de")
    assert request.message == "Bonjour,\n\nquel est le diamètre du socle\u00a0?"
    mails = {mail.kind: mail for mail in OutgoingMail.objects.all()}
    assert mails["contact_acknowledgement"].to == "zoe@example.com"
    assert mails["contact_acknowledgement"].language == "de"
    assert mails["contact_workshop"].to == "boutique@example.com"
    assert mails["contact_workshop"].language == "fr"
    assert mails["contact_workshop"].context["admin_url"].endswith(f"/admin/messages/{request.pk}")
    # The workshop answers the sender from its mailbox; the sender answers the shop.
    assert mails["contact_workshop"].context["reply_to"] == "zoe@example.com"
    assert mails["contact_acknowledgement"].context == {
        "reference": request.reference,
        "kind": "question",
        "received_at": request.created_at.isoformat(),
    }
    page = client.get(answer["Location"]).content.decode()
    assert request.reference in page
    assert 'name="message"' not in page


def test_a_message_as_long_as_browsers_let_it_become_arrives(client: Client) -> None:
    longest = "ab\n" * 1666 + "ab"
    assert len(longest) == 5000
    assert send(client, message=longest.replace("\n", "\r\n")).status_code == 302
    assert ContactRequest.objects.get().message == longest
    assert send(client, message=f"{longest}c".replace("\n", "\r\n")).status_code == 200
    assert ContactRequest.objects.count() == 1


def test_a_double_click_stores_one(client: Client) -> None:
    first, second = send(client), send(client)
    assert first["Location"] == second["Location"]
    assert ContactRequest.objects.count() == 1
    assert OutgoingMail.objects.count() == 2


def test_a_quote_keeps_its_pictures_private(client: Client) -> None:
    send(
        client,
        kind="quote",
        budget="150 €",
        deadline="2999-12-24",
        images=[picture("../../a.png"), picture()],
    )
    request = ContactRequest.objects.get()
    assert (request.kind, request.budget, request.deadline.isoformat()) == ("quote", "150 €", "2999-12-24")
    rows = list(request.images.all())
    assert [(row.width, row.height) for row in rows] == [(60, 40), (60, 40)]
    for row in rows:
        assert private_storage().exists(row.file)
        assert client.get(f"/media/{row.file}").status_code == 404
        assert client.get(reverse("staff-message-picture", args=[row.pk])).status_code == 302
    assert OutgoingMail.objects.get(kind="contact_workshop").context["picture_count"] == 2


@pytest.mark.parametrize(("kind", "asked"), [("quote", True), ("question", False)])
def test_pictures_are_asked_for_again_when_a_quote_is_refused(client: Client, kind: str, asked: bool) -> None:
    page = send(client, kind=kind, subject="", images=[picture()])
    assert page.status_code == 200
    assert page.context["form"].errors.get("images", []) == (
        ["Joignez vos images à nouveau\u00a0: votre navigateur ne les a pas gardées."] if asked else []
    )
    assert not ContactRequest.objects.exists()


def test_the_fields_of_a_quote_are_not_taken_from_a_question(client: Client) -> None:
    send(client, budget="150 €", images=[picture()])
    assert ContactRequest.objects.get().budget == ""
    assert not ContactImage.objects.exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.svg", b"<svg/>", "Type de fichier non supporté"),
        ("x.png", b"<svg/>", "Fichier invalide"),
        ("x.jpg", b"\xff\xd8\xff broken", "Fichier invalide"),
        ("x.png", b"\x89PNG\r\n\x1a\n" + b"0" * (5 * 1024 * 1024), "Fichier trop volumineux"),
    ],
)
def test_a_bad_picture_is_refused(client: Client, name: str, content: bytes, message: str) -> None:
    answer = send(client, kind="quote", images=[picture(), SimpleUploadedFile(name, content)])
    assert answer.status_code == 200
    assert message in answer.content.decode()
    assert nothing_was_kept()
    assert not AttemptCounter.objects.exists()


def test_of_several_pictures_the_refused_one_is_named(client: Client) -> None:
    # The good one did not stay in the browser either.
    again = "Joignez vos images à nouveau\u00a0: votre navigateur ne les a pas gardées."
    for pictures, messages in (
        (
            [picture(), SimpleUploadedFile("croquis.svg", b"<svg/>")],
            ["croquis.svg\u00a0: Type de fichier non supporté", again],
        ),
        ([SimpleUploadedFile("croquis.svg", b"<svg/>")], ["Type de fichier non supporté"]),
    ):
        page = send(client, kind="quote", images=pictures)
        assert page.context["form"].errors == {"images": messages}
    assert nothing_was_kept()


def test_four_pictures_are_too_many(client: Client) -> None:
    answer = send(client, kind="quote", images=[picture() for _number in range(4)])
    assert "Trois images au plus." in answer.content.decode()
    assert nothing_was_kept()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("first_name", ""),
        ("last_name", " \u2028 "),
        ("email", "zoe@example.com\r\nBcc: victim@example.com"),
        ("email", "zoe"),
        ("subject", "x" * 151),
        ("message", "x" * 5001),
        ("message", "\x00"),
        ("message", "\u200b\n\u3164"),
        ("subject", "\u2800"),
        ("kind", "order"),
        ("deadline", "2001-01-01"),
        ("deadline", "demain"),
    ],
)
def test_what_is_not_right_is_refused_and_kept_in_the_form(client: Client, field: str, value: str) -> None:
    changes: dict[str, Any] = {"kind": "quote", field: value}
    answer = send(client, **changes)
    assert answer.status_code == 200
    page = answer.content.decode()
    assert "Le message n'est pas parti" in page
    assert nothing_was_kept()
    if field != "message":
        assert "quel est le diamètre du socle" in page


def test_a_wrong_address_is_refused_in_german_without_du(client: Client) -> None:
    page = send(client, "/de/kontakt", email="zoe").content.decode()
    assert page.count("Geben Sie eine gültige E-Mail-Adresse ein.") == 2
    assert nothing_was_kept()


HOSTILE = [
    "x\r\nBcc: victim@example.com",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "{{ 7|add:7 }}",
    "{% bogus %}",
    '{% include "admin/base.html" %}',
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_people_type_reaches_one_reader_as_typed(client: Client, hostile: str) -> None:
    send(client, subject=hostile, message=hostile, first_name=hostile[:60])
    request = ContactRequest.objects.get()
    assert "\n" not in request.subject
    for mail in OutgoingMail.objects.all():
        assert mail.to in ("zoe@example.com", "boutique@example.com")
        written = render(mail)
        assert "\n" not in written.subject
        assert "<script" not in written.html
        assert "<img" not in written.html
        quoted = request.message in written.text.replace("\r\n", "\n")
        assert quoted is (mail.kind == "contact_workshop")


def test_contact_form_used_to_write_to_a_stranger_sends_few_mails_without_a_word_of_it(
    client: Client,
) -> None:
    product = make_product("Golem")
    for number in range(12):
        answer = send(
            Client(REMOTE_ADDR=f"198.51.100.{number}"),
            email=f"Victim+{number}@Example.com" if number % 2 else "victim@example.com",
            kind="quote" if number % 3 else "question",
            first_name="EVIL",
            last_name="evil.example",
            subject=f"Evil offer {number}",
            message="https://evil.example",
            budget="Evil 1000 EUR",
            images=[picture("evil.png")] if number % 3 else [],
            produit=str(product.pk),
        )
        assert answer.status_code == 302

    assert ContactRequest.objects.count() == 12
    assert OutgoingMail.objects.filter(kind="contact_workshop").count() == 12
    sent = deliver_all(to__icontains="victim")
    assert len(sent) == 3
    for message in sent:
        everything = every_part(message)
        assert "evil" not in everything.lower()
        assert "1000 EUR" not in everything
        assert "victim" not in str(message["Reply-To"]).lower()
        assert [part.get_filename() for part in message.walk() if part.get_filename()] == []


def test_a_sixth_message_an_hour_is_refused(client: Client) -> None:
    for number in range(5):
        assert send(client, message=f"Message {number}").status_code == 302
    answer = send(client, message="Message 5")
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 3600
    assert "Trop de messages. Réessayez dans une heure." in answer.content.decode()
    assert ContactRequest.objects.count() == 5
    # Who clicks twice is no spammer.
    assert send(client, message="Message 4").status_code == 302


def test_a_machine_that_fills_the_trap_is_thanked_and_forgotten(client: Client) -> None:
    answer = send(client, website="https://spam.example")
    assert answer.status_code == 302
    assert nothing_was_kept()


def test_the_page_names_the_piece(client: Client) -> None:
    product = make_product("Hibou archiviste")
    hidden = make_product("Brouillon", is_published=False)
    page = client.get(f"/contact?produit={product.pk}").content.decode()
    assert f'name="produit" value="{product.pk}"' in page
    assert 'value="Question sur Hibou archiviste"' in page
    for other in (str(hidden.pk), "0", "x", "9" * 40, "-1", "٣"):
        assert 'name="produit"' not in client.get("/contact", {"produit": other}).content.decode()
    send(client, produit=product.pk)
    assert ContactRequest.objects.get().product == product
    assert OutgoingMail.objects.get(kind="contact_workshop").context["product"] == "Hibou archiviste"


@pytest.mark.both_engines
def test_a_question_about_a_piece_that_is_deleted_meanwhile_arrives_all_the_same(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    piece = make_product("Hibou archiviste")
    # While the pictures are drawn.
    monkeypatch.setattr(contact, "_store", lambda pictures: Product.objects.all().delete() and [])
    send(client, produit=piece.pk)
    connection.check_constraints()
    assert ContactRequest.objects.get().product is None
    assert OutgoingMail.objects.get(kind="contact_workshop").context["product"] == "Hibou archiviste"


def test_the_quote_is_opened_by_its_address(client: Client) -> None:
    assert 'value="quote" checked' in client.get("/contact?devis=1").content.decode()
    assert 'value="question" checked' in client.get("/contact").content.decode()


def test_no_cache_keeps_a_page_with_a_token(client: Client) -> None:
    answer = client.get("/contact")
    assert "no-store" in answer["Cache-Control"]
    assert b"csrfmiddlewaretoken" in answer.content


def test_a_made_up_reference_is_not_printed(client: Client) -> None:
    page = client.get("/contact?envoi=<b>Votre+compte").content.decode()
    assert "Message envoyé" not in page
    assert "<b>Votre" not in page


def test_a_member_finds_the_form_filled_in(client: Client) -> None:
    user = User.objects.create_user("lea@example.com", "secret", first_name="Léa", last_name="Roux")
    client.force_login(user)
    page = client.get("/contact").content.decode()
    assert 'value="Léa"' in page
    assert 'value="lea@example.com"' in page


def test_old_messages_are_forgotten_with_their_pictures(client: Client) -> None:
    send(client, kind="quote", images=[picture()])
    send(client, message="Plus récent")
    old = ContactRequest.objects.get(kind="quote")
    file = old.images.get().file
    now = timezone.now()
    ContactRequest.objects.filter(pk=old.pk).update(created_at=now - timedelta(days=3 * 365, seconds=1))
    OutgoingMail.objects.filter(reference=old.reference).update(created_at=now - timedelta(days=3 * 365 + 1))
    assert purge_requests(now - timedelta(days=3 * 365), 10) == 1
    assert [row.message for row in ContactRequest.objects.all()] == ["Plus récent"]
    assert OutgoingMail.objects.count() == 2
    assert delete_discarded_files()
    assert not private_storage().exists(file)


def test_the_slower_half_of_a_double_click_finds_the_work_done(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = contact._store
    rivals: list[Any] = []

    def store_after_rival(pictures: Any) -> Any:
        if not rivals:
            rivals.append(None)
            rivals.append(send(Client(), kind="quote", images=[picture()]))
        return store(pictures)

    monkeypatch.setattr(contact, "_store", store_after_rival)
    answer = send(client, kind="quote", images=[picture()])
    assert answer["Location"] == rivals[1]["Location"]
    assert ContactRequest.objects.count() == 1
    assert OutgoingMail.objects.count() == 2
    # The pictures of the slower half go.
    assert delete_discarded_files(timezone.now() + STAYS)
    assert private_storage().listdir("contact")[1] == [ContactImage.objects.get().file.rpartition("/")[2]]


def test_what_the_database_refuses_is_no_double_click(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(client)
    monkeypatch.setattr(contact.secrets, "token_hex", lambda length: ContactRequest.objects.get().reference)
    with pytest.raises(IntegrityError):
        send(client, kind="quote", images=[picture()])
    assert (ContactRequest.objects.count(), OutgoingMail.objects.count()) == (1, 2)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert private_storage().listdir("contact")[1] == []
