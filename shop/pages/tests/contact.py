"""What somebody writes to the shop, and how it is sent."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from shop.core.models import OutgoingMail
from shop.pages.models import ContactRequest


@pytest.fixture
def own_storage(settings: Any, tmp_path: Path) -> None:
    private = {**settings.STORAGES["private"], "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "private": private}


WORDS = {
    "kind": "question",
    "first_name": "Zoé",
    "last_name": "O'Neil",
    "email": "zoe@example.com",
    "subject": "Taille du socle",
    "message": "Bonjour,\r\n\r\nquel est le diamètre du socle\u00a0?",
}

BODY = {
    "firstName": "Zoé",
    "lastName": "O'Neil",
    "email": "zoe@example.com",
    "subject": "Taille du socle",
    "message": "Quel est le diamètre du socle ?",
    "kind": "question",
}


def picture(name: str = "idee.png") -> SimpleUploadedFile:
    written = BytesIO()
    Image.new("RGB", (60, 40), (200, 30, 30)).save(written, "PNG")
    return SimpleUploadedFile(name, written.getvalue(), "image/png")


def send(client: Client, path: str = "/contact", **changes: Any) -> Any:
    return client.post(path, {**WORDS, **changes})


def nothing_was_kept() -> bool:
    return not ContactRequest.objects.exists() and not OutgoingMail.objects.exists()
