"""Photographs of finished pieces: taken, sent to the customer, removed."""

from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.access import photo_url
from orders.journal import record_event
from orders.mails import mail_customer
from orders.models import CLOSED_STATUSES, Order, PiecePhoto, WorkPiece
from orders.services.status.mails import STATUS_PAUSE
from shop.core import images
from shop.core.file_storage import discard_files, keep_files
from shop.core.mail import withdraw_mails
from shop.core.problems import Problem
from shop.core.site import absolute_url
from shop.integrations.repeated_calls import make_once

if TYPE_CHECKING:
    from accounts.models import User

MOST_PHOTOS = 10
"""Of one piece."""
_FOLDER = "pieces"


def add_photo(*, piece_id: int, upload: UploadedFile[Any], actor: "User | None", key: str = "") -> PiecePhoto:
    """Store a photograph of a piece, once per `key`; nobody but staff sees it until it is sent.

    Raises Problem: 400 `invalid_image`, 503 `busy`, 409 as `send_photo`, 409 `too_many_photos`, as `make_once`, and
    WorkPiece.DoesNotExist, or PiecePhoto.DoesNotExist for one that was removed since.
    """
    order_id = WorkPiece.objects.values_list("item__order", flat=True).get(pk=piece_id)
    drawn = images.draw_image(file=cast(IO[bytes], upload), name=upload.name or "")
    stored = images.store_image(image=drawn, folder=_FOLDER, storage="private")

    def make() -> int:
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        piece = WorkPiece.objects.get(pk=piece_id)
        _require_customer(order)
        if piece.photos.count() >= MOST_PHOTOS:
            raise Problem("too_many_photos", _("Dix photos au plus par pièce."), 409)
        keep_files([stored.name], "private")
        return PiecePhoto.objects.create(
            piece=piece, file=stored.name, width=stored.width, height=stored.height, author=actor
        ).pk

    made = make_once(idempotency_key=key, body={"piece": piece_id}, make=make)
    return PiecePhoto.objects.get(pk=made.subject_id)


def send_photo(*, photo_id: int, message: str, actor: "User | None") -> PiecePhoto:
    """Send a photograph to the customer, by a mail that waits a minute and on the order's page. One that was sent is
    not sent again.

    Raises Problem 409 `order_closed` for an order that is cancelled, refunded or without its customer's address, and
    PiecePhoto.DoesNotExist.
    """
    order_id = PiecePhoto.objects.values_list("piece__item__order", flat=True).get(pk=photo_id)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        photo = PiecePhoto.objects.select_related("piece__item").get(pk=photo_id)
        if photo.sent_at is not None:
            return photo
        _require_customer(order)
        photo.sent_at, photo.message = timezone.now(), message.strip()
        photo.save(update_fields=["sent_at", "message"])
        item = photo.piece.item
        record_event(order, "photo.sent", actor=actor, piece=item.staff_name)
        with translation.override(order.language):
            piece = {"name": item.product_name, "detail": item.detail}
        mail_customer(
            order,
            "piece_photo",
            {
                "piece": piece,
                "photo": absolute_url(photo_url(photo)),
                "message": photo.message,
                "signature": actor.first_name if actor else "",
            },
            once=_mail_key(photo),
            not_before=timezone.now() + STATUS_PAUSE,
        )
    return photo


def remove_photo(*, photo_id: int, actor: "User | None") -> None:
    """Delete a photograph and its file. Its mail is not sent if it still waits for its minute; once it was, the mail's
    picture is gone. Raises PiecePhoto.DoesNotExist."""
    order_id = PiecePhoto.objects.values_list("piece__item__order", flat=True).get(pk=photo_id)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        photo = PiecePhoto.objects.select_related("piece__item").get(pk=photo_id)
        if photo.sent_at is not None:
            withdraw_mails(f"piece_photo:{_mail_key(photo)}")
            record_event(order, "photo.removed", actor=actor, piece=photo.piece.item.staff_name)
        delete_photos(PiecePhoto.objects.filter(pk=photo.pk))


def delete_photos(photos: QuerySet[PiecePhoto]) -> int:
    """Delete photographs, and discard their files; return how many."""
    names = dict(photos.order_by().values_list("pk", "file"))
    with transaction.atomic():
        discard_files(names.values(), "private")
        PiecePhoto.objects.filter(pk__in=names).delete()
    return len(names)


def purge_photos(before: datetime, limit: int) -> int:
    """Delete photographs that were taken before, at most `limit`; return how many."""
    old = PiecePhoto.objects.filter(taken_at__lt=before).order_by("taken_at").values("pk")[:limit]
    return delete_photos(PiecePhoto.objects.filter(pk__in=[row["pk"] for row in old]))


def _require_customer(order: Order) -> None:
    if order.status in CLOSED_STATUSES or not order.email:
        raise Problem(
            "order_closed", _("Cette commande est close\u00a0: son client ne reçoit plus de photo."), 409
        )


def _mail_key(photo: PiecePhoto) -> str:
    return f"{photo.pk}:sent"
