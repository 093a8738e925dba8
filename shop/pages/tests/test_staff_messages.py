"""Messages in the staff area: read, answered, marked and deleted."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client

from accounts.tests.people import make_admin
from shop.core.file_storage import private_storage
from shop.core.mail_delivery import render
from shop.core.models import AuditEntry, OutgoingMail
from shop.pages.models import ContactImage, ContactReply, ContactRequest, ContactState
from shop.pages.selectors.contacts import contact_with_words
from shop.pages.services.contact import move_messages, reply
from shop.pages.staff import messages
from shop.pages.tests.contact import picture, send
from shop.pages.tests.staff import make_staff, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> Client:
    return signed_in(make_staff())


def make_message(**changes: Any) -> ContactRequest:
    values = {"kind": "question", "email": "lea@example.com", "first_name": "Léa", "last_name": "Roux",
              "subject": "Socle", "message": "Quelle taille ?", "language": "fr"}  # fmt: skip
    key = uuid.uuid4().hex
    return ContactRequest.objects.create(reference=key[:8], fingerprint=key, **{**values, **changes})


def text(answer: Any) -> str:
    return answer.content.decode().replace("&#x27;", "'").replace("\u00a0", " ").replace("&amp;", "&")


def test_messages_without_an_answer_are_shown_first_and_others_are_a_tap_away(staff: Client) -> None:
    assert "Tout le monde a sa réponse." in text(staff.get("/admin/messages"))
    assert "Aucun message ici." in text(staff.get("/admin/messages?liste=repondus"))
    waiting = make_message(subject="En attente")
    make_message(subject="Déjà fait", state=ContactState.ANSWERED)
    page = text(staff.get("/admin/messages"))
    assert f'href="/admin/messages/{waiting.pk}"' in page
    assert "En attente" in page
    assert "Déjà fait" not in page
    assert "Déjà fait" in text(staff.get("/admin/messages?liste=repondus"))
    assert "Déjà fait" in text(staff.get("/admin/messages?liste=tous"))


@pytest.mark.parametrize(("language", "named"), [("fr", "français"), ("de", "allemand")])
def test_the_language_in_which_an_answer_leaves_is_named(staff: Client, language: str, named: str) -> None:
    page = text(staff.get(f"/admin/messages/{make_message(language=language).pk}"))
    assert f"L'e-mail part à lea@example.com, en {named}, la langue du client. Il pourra y répondre." in page
    assert f'<h2 class="staff-sheet__title" lang="{language}">Socle</h2>' in page
    assert f'<p class="staff-words" lang="{language}">Quelle taille ?</p>' in page


def test_message_search_finds_every_word_in_any_field_answered_or_not(staff: Client) -> None:
    make_message(subject="Un dragon", email="zoe@example.com", state=ContactState.ANSWERED)
    make_message(subject="Un lutin")
    page = text(staff.get("/admin/messages?q=dragon+zoe"))
    assert "Un dragon" in page
    assert "Un lutin" not in page
    assert "Rien ne correspond à « chaise »." in text(staff.get("/admin/messages?q=chaise"))


def test_message_list_takes_one_query_however_many_there_are(
    staff: Client, django_assert_num_queries: Any
) -> None:
    for _number in range(60):
        make_message()
    first = staff.get("/admin/messages")
    assert len(first.context["list"].rows) == 50
    # Session and person 2, permissions and role 3, the rows with their pictures 1.
    with django_assert_num_queries(6):
        second = staff.get(f"/admin/messages{first.context['list'].next_url}")
    assert len(second.context["list"].rows) == 10
    assert staff.get("/admin/messages?apres=x").context["list"].rows == first.context["list"].rows


def test_mail_to_the_workshop_leads_to_the_page_that_answers(staff: Client) -> None:
    send(Client(), "/de/kontakt")
    request = ContactRequest.objects.get()
    address = OutgoingMail.objects.get(kind="contact_workshop").context["admin_url"]
    shown = text(staff.get(address.removeprefix("http://localhost:8000")))
    assert "quel est le diamètre du socle" in shown
    assert "Marquer comme répondu" in shown
    page = f"/admin/messages/{request.pk}"
    assert staff.post(page, {"text": "Il mesure 4 cm."})["Location"] == page
    assert "Réponse envoyée à zoe@example.com." in text(staff.get(page))
    # Whoever goes back finds their words again, and sends them again.
    assert staff.post(page, {"text": "Il mesure 4 cm."})["Location"] == page
    mail = OutgoingMail.objects.get(kind="contact_reply")
    assert (mail.to, mail.language, mail.reference) == ("zoe@example.com", "de", request.reference)
    written = render(mail)
    assert written.subject == f"Re: Taille du socle ({request.reference})"
    assert "Il mesure 4 cm." in written.text
    assert "quel est le diamètre du socle" in written.text
    request.refresh_from_db()
    assert (request.state, request.replies.get().text) == ("answered", "Il mesure 4 cm.")
    after = text(staff.get(f"/admin/messages/{request.pk}"))
    assert "Cette réponse est déjà partie à zoe@example.com, une seule fois." in after
    assert "Il mesure 4 cm." in after
    staff.post(page, {"text": "Il mesure 5 cm."})
    assert OutgoingMail.objects.filter(kind="contact_reply").count() == 2


def test_a_message_leads_to_the_orders_of_its_address(staff: Client) -> None:
    send(Client(), email="zoe+figurines@example.com")
    page = staff.get(f"/admin/messages/{ContactRequest.objects.get().pk}").content.decode()
    assert '<a href="/admin/commandes?q=zoe%2Bfigurines%40example.com">Celles de cette adresse</a>' in page


def test_answer_as_long_as_browsers_let_it_become_is_sent(staff: Client) -> None:
    asked, longest = make_message(), "ab\n" * 1666 + "ab"
    staff.post(f"/admin/messages/{asked.pk}", {"text": longest.replace("\n", "\r\n")})
    assert ContactReply.objects.get().text == longest


def test_an_answer_waits_until_that_of_somebody_else_was_read(staff: Client) -> None:
    request = make_message()
    page = f"/admin/messages/{request.pk}"
    other = signed_in(make_admin())
    assert '<input type="hidden" name="seen" value="0">' in text(staff.get(page))
    other.post(page, {"text": "Oui, 60 €.", "seen": "0"})
    late = staff.post(page, {"text": "Non, 90 €.", "seen": "0"})
    shown = text(late)
    assert late.status_code == 409
    for part in (
        "La réponse n'est pas partie",
        "Quelqu'un d'autre a répondu entre-temps : lisez d'abord sa réponse.",
        "Oui, 60 €.",
        "Non, 90 €.</textarea>",
        '<input type="hidden" name="seen" value="1">',
        " data-staff-form data-unsaved>",
    ):
        assert part in shown
    assert [reply.text for reply in request.replies.all()] == ["Oui, 60 €."]
    assert OutgoingMail.objects.filter(kind="contact_reply").count() == 1
    # The other half of a double click is no answer of somebody else.
    assert other.post(page, {"text": "Oui, 60 €.", "seen": "0"})["Location"] == page
    assert staff.post(page, {"text": "Non, 90 €.", "seen": "1"})["Location"] == page
    assert OutgoingMail.objects.filter(kind="contact_reply").count() == 2


def test_an_answer_goes_to_the_address_that_its_author_has_by_now() -> None:
    asked = make_message(email="lea@example.com")
    move_messages("lea@example.com", "neuve@example.com")
    assert reply(request=asked, text="Oui, en mai.", actor=make_admin("camille@example.com"))
    assert OutgoingMail.objects.get(kind="contact_reply").to == "neuve@example.com"


def test_an_answer_to_a_message_that_was_deleted_meanwhile_sends_nothing(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = make_message()

    def read_and_deleted(key: int) -> ContactRequest | None:
        found = contact_with_words(key)
        ContactRequest.objects.filter(pk=key).delete()
        return found

    monkeypatch.setattr(messages, "contact_with_words", read_and_deleted)
    assert staff.post(f"/admin/messages/{asked.pk}", {"text": "Oui, en mai."}).status_code == 404
    assert not OutgoingMail.objects.filter(kind="contact_reply").exists()


def test_empty_answer_sends_nothing(staff: Client) -> None:
    request = make_message()
    answer = staff.post(f"/admin/messages/{request.pk}", {"text": " "})
    assert "Ce champ est obligatoire." in text(answer)
    request.refresh_from_db()
    assert (request.state, ContactReply.objects.count(), OutgoingMail.objects.count()) == ("new", 0, 0)


def test_marking_says_which_state_and_is_recorded_once(staff: Client) -> None:
    request = make_message()
    address = f"/admin/messages/{request.pk}/marquer"
    assert staff.get(address).status_code == 405
    for _click in range(2):
        staff.post(address, {"etat": "answered"})
    request.refresh_from_db()
    assert (request.state, request.answered_at is not None) == ("answered", True)
    entry = AuditEntry.objects.get(action="contact.answered")
    assert (entry.before, entry.after) == ({"state": "new"}, {"state": "answered"})
    staff.post(address, {"etat": "new"})
    request.refresh_from_db()
    assert (request.state, request.answered_at) == ("new", None)


def test_pictures_are_seen_by_the_workshop_alone(staff: Client) -> None:
    send(Client(), kind="quote", images=[picture()])
    image = ContactImage.objects.get()
    address = f"/admin/messages/images/{image.pk}"
    assert address in text(staff.get(f"/admin/messages/{image.request_id}"))
    file = staff.get(address)
    assert (file.status_code, file["Content-Type"]) == (200, "image/jpeg")
    assert "no-store" in file["Cache-Control"]
    assert b"".join(file.streaming_content).startswith(b"\xff\xd8")
    assert Client().get(address).status_code == 302


def test_admin_deletes_after_being_asked_and_staff_may_not(
    staff: Client, queued_tasks: Any, run_on_commit: Any
) -> None:
    send(Client(), kind="quote", images=[picture()])
    request = ContactRequest.objects.get()
    file, address = request.images.get().file, f"/admin/messages/{request.pk}/supprimer"
    assert staff.post(address).status_code == 403
    assert ContactRequest.objects.exists()
    admin = signed_in(make_admin())
    assert "Le message, ses images et vos réponses disparaissent pour toujours." in text(admin.get(address))
    assert ContactRequest.objects.exists()
    with run_on_commit():
        assert admin.post(address)["Location"] == "/admin/messages"
    assert not ContactRequest.objects.exists()
    assert queued_tasks.names.count("shop.core.tasks.delete_discarded_files") == 1
    queued_tasks.run()
    assert not private_storage().exists(file)
    entry = AuditEntry.objects.get(action="contactrequest.deleted")
    assert entry.before == {"kind": "quote", "state": "new"}
