"""Photographs of finished pieces: taken by staff, sent once, seen by the order's customer alone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from orders.access import access_token, photo_url
from orders.models import Order, PiecePhoto, WorkPiece
from orders.services.fulfilment.erasing import erase_order
from orders.services.fulfilment.piece_photos import (
    MOST_PHOTOS,
    purge_photos,
    remove_photo,
    send_photo,
)
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.piece_photos import take, upload
from shop.core.file_storage import STAYS, delete_discarded_files, private_storage
from shop.core.models import OutgoingMail
from shop.core.shop_settings import renew_link_salt

pytestmark = pytest.mark.django_db


@pytest.fixture
def order() -> Order:
    return pay_order(make_order((make_product("Golem"), 2), language="de"))


@pytest.fixture
def piece(order: Order) -> WorkPiece:
    return WorkPiece.objects.filter(item__order=order).first()


def send(client: Any, photo: PiecePhoto, message: str = "", query: str = "") -> Any:
    said = {"message": message}
    return client.post(f"/api/admin/photos/{photo.pk}/send{query}", said, content_type="application/json")


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(kind="piece_photo"))


def test_a_photo_is_taken_shown_before_it_goes_and_sent_once(staff_client, client, order, piece):
    taken = staff_client.post(f"/api/admin/pieces/{piece.pk}/photos", {"file": upload()})
    assert taken.status_code == 201
    photo = PiecePhoto.objects.get()
    assert (taken.json()["sent_at"], taken.json()["url"]) == (None, photo_url(photo))
    assert client.get(f"/commande/{order.pk}?acces={access_token(order)}").context["photos"] == []

    shown = send(staff_client, photo, "Trois couches.", "?preview").json()["mails"]
    assert [(mail["language"], mail["to"]) for mail in shown] == [("de", order.email)]
    assert photo_url(photo) in shown[0]["html"]
    assert "Trois couches." in shown[0]["text"]
    said = {"mesage": "Trois couches."}
    misspelt = staff_client.post(f"/api/admin/photos/{photo.pk}/send", said, content_type="application/json")
    assert (misspelt.status_code, misspelt.json()["errors"]) == (400, {"mesage": ["Ce champ n'existe pas."]})
    photo.refresh_from_db()
    assert (photo.sent_at, mails()) == (None, [])

    for _twice in range(2):
        assert send(staff_client, photo, "Trois couches.").status_code == 200
    assert len(mails()) == 1
    assert order.events.filter(name="photo.sent").count() == 1
    page = client.get(f"/commande/{order.pk}?acces={access_token(order)}")
    assert photo_url(photo) in page.content.decode()
    assert "Trois couches." in page.content.decode()
    board = staff_client.get("/api/admin/board").json()["cards"]
    assert {card["id"]: card["photos"] for card in board}[piece.pk] == 1


def test_a_photo_that_is_sent_again_after_a_lost_answer_is_stored_once(staff_client, piece):
    def store(key: str) -> Any:
        headers = {"Idempotency-Key": key}
        return staff_client.post(f"/api/admin/pieces/{piece.pk}/photos", {"file": upload()}, headers=headers)

    files = set(private_storage().listdir("pieces")[1])
    first, again = store("k1"), store("k1")
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    photo = PiecePhoto.objects.get()
    assert delete_discarded_files(timezone.now() + STAYS)
    assert set(private_storage().listdir("pieces")[1]) - files == {photo.file.removeprefix("pieces/")}
    store("k2")
    assert PiecePhoto.objects.count() == 2
    remove_photo(photo_id=photo.pk, actor=None)
    assert store("k1").status_code == 404
    assert PiecePhoto.objects.count() == 1


def test_the_finish_is_in_the_customer_s_language_whoever_sends(staff_client, order, piece):
    order.items.update(finish="painted")
    [mail] = send(staff_client, take(piece), query="?preview").json()["mails"]
    assert "Golem · Bemalt" in mail["text"]
    assert "Peint" not in mail["text"]


def test_the_picture_opens_by_its_signed_address_alone(client, piece, django_capture_on_commit_callbacks):
    photo = take(piece)
    answer = client.get(photo_url(photo))
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    assert answer["Cache-Control"] == "private, max-age=3600"
    assert b"".join(answer.streaming_content).startswith(b"\xff\xd8\xff")
    assert client.get(f"/api/photos/{photo.pk}").status_code == 404
    assert client.get(f"/api/photos/{photo.pk + 1}:{photo_url(photo).split(':')[1]}").status_code == 404
    assert client.get(f"/media/{photo.file}").status_code == 404
    # After a restore another photograph may have its key.
    former = photo_url(photo)
    with django_capture_on_commit_callbacks(execute=True):
        renew_link_salt("restored")
    assert client.get(former).status_code == 404
    assert b"".join(client.get(photo_url(photo)).streaming_content).startswith(b"\xff\xd8\xff")


def test_a_photo_that_is_taken_back_within_the_minute_is_never_mailed(staff_client, client, order, piece):
    photo = take(piece)
    send(staff_client, photo)
    assert staff_client.delete(f"/api/admin/photos/{photo.pk}").status_code == 204
    assert (mails(), PiecePhoto.objects.count()) == ([], 0)
    assert client.get(photo_url(photo)).status_code == 404
    assert staff_client.delete(f"/api/admin/photos/{photo.pk}").status_code == 404


def test_a_closed_order_gets_no_photo(staff_client, order, piece):
    photo = take(piece)
    update_status(order_id=order.pk, status="cancelled", actor=None)
    for answer in (
        send(staff_client, photo),
        staff_client.post(f"/api/admin/pieces/{piece.pk}/photos", {"file": upload()}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "order_closed")
    assert (mails(), PiecePhoto.objects.count()) == ([], 1)


def test_what_is_no_picture_and_the_eleventh_photo_are_refused(staff_client, piece):
    text = SimpleUploadedFile("IMG.jpg", b"no picture", "image/jpeg")
    refused = staff_client.post(f"/api/admin/pieces/{piece.pk}/photos", {"file": text})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_image")
    rows = [PiecePhoto(piece=piece, file=f"pieces/{n}.jpg", width=1, height=1) for n in range(MOST_PHOTOS)]
    PiecePhoto.objects.bulk_create(rows)
    refused = staff_client.post(f"/api/admin/pieces/{piece.pk}/photos", {"file": upload()})
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_photos")
    assert PiecePhoto.objects.count() == MOST_PHOTOS


def test_photos_go_with_their_period_and_with_the_person(order, piece):
    old, recent = take(piece), take(piece)
    PiecePhoto.objects.filter(pk=old.pk).update(taken_at=timezone.now() - timedelta(days=800))
    assert purge_photos(timezone.now() - timedelta(days=730), 10) == 1
    assert delete_discarded_files()
    assert not private_storage().exists(old.file)
    assert private_storage().exists(recent.file)
    send_photo(photo_id=recent.pk, message="Bravo", actor=None)
    OutgoingMail.objects.all().delete()
    for status in ("shipped", "delivered"):
        update_status(order_id=order.pk, status=status, actor=None)
    OutgoingMail.objects.all().delete()
    assert erase_order(order.pk)
    assert PiecePhoto.objects.count() == 0
    assert delete_discarded_files()
    assert not private_storage().exists(recent.file)
