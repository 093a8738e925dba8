"""Photographs of finished pieces, as staff take them."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from catalog.tests.factories import picture
from orders.models import PiecePhoto, WorkPiece
from orders.services.fulfilment.piece_photos import add_photo


def upload() -> SimpleUploadedFile:
    return SimpleUploadedFile("IMG_0001.jpg", picture().read(), "image/jpeg")


def take(piece: WorkPiece) -> PiecePhoto:
    return add_photo(piece_id=piece.pk, upload=upload(), actor=None)
