"""Pictures of a quote request: decoded once, after the try is counted, and only for a form without a fault."""

from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from image_bombs import jpeg, png, png_chunk
from PIL import Image

from shop.core import image_decoding, images
from shop.core.models import AttemptCounter
from shop.pages.models import ContactImage, ContactRequest
from shop.pages.tests.contact import BODY, WORDS, nothing_was_kept, picture, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storage")]


def no_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_sent: Any) -> Any:
        raise AssertionError("decoded")

    monkeypatch.setattr(images, "draw_all", never)


def broken_picture() -> SimpleUploadedFile:
    """Its parts are those of a picture; that its pixels are not shows only when they are decoded."""
    written = BytesIO()
    Image.effect_noise((300, 200), 50).save(written, "JPEG")
    return SimpleUploadedFile("a.jpg", written.getvalue()[:-3000], "image/jpeg")


@pytest.mark.parametrize("path", ["/contact", "/api/contact"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"email": "zoe"},
        {"message": ""},
        {"deadline": "2001-01-01"},
        {"kind": "question"},
        {"images": [picture() for _ in range(4)]},
    ],
)
def test_a_request_that_is_refused_for_its_fields_decodes_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str, wrong: dict[str, Any]
) -> None:
    no_decoding(monkeypatch)
    words = BODY if path.startswith("/api/") else WORDS
    sent = {**words, "kind": "quote", "images": [picture(), picture()], **wrong}
    answer = client.post(path, sent)
    if "kind" in wrong:
        # A question has no pictures: it is taken without them.
        assert answer.status_code in (201, 302)
        assert not ContactImage.objects.exists()
    else:
        assert answer.status_code == (400 if path.startswith("/api/") else 200)
        assert nothing_was_kept()


@pytest.mark.parametrize("path", ["/contact", "/api/contact"])
def test_beyond_the_limit_nothing_is_decoded(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    words = BODY if path.startswith("/api/") else WORDS
    for number in range(5):
        client.post(path, {**words, "message": str(number)})
    no_decoding(monkeypatch)
    answer = client.post(path, {**words, "kind": "quote", "images": [picture()]})
    assert answer.status_code == 429
    assert ContactRequest.objects.count() == 5


@pytest.mark.parametrize("path", ["/contact", "/api/contact"])
def test_a_try_is_counted_before_its_pictures_are_decoded_once(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    words = BODY if path.startswith("/api/") else WORDS
    tries: list[tuple[int, int]] = []
    draw_all = images.draw_all

    def counted(sent: Any) -> Any:
        tries.append((AttemptCounter.objects.get().count, len(sent)))
        return draw_all(sent)

    monkeypatch.setattr(images, "draw_all", counted)
    answer = client.post(path, {**words, "kind": "quote", "images": [picture(), broken_picture()]})
    assert "Fichier invalide" in answer.content.decode()
    assert nothing_was_kept()
    answer = client.post(path, {**words, "kind": "quote", "images": [picture(), picture("b.png")]})
    assert answer.status_code in (201, 302)
    assert tries == [(1, 2), (2, 2)]
    assert ContactImage.objects.count() == 2


@pytest.mark.parametrize("path", ["/contact", "/api/contact"])
def test_while_the_decoder_is_busy_nothing_is_lost(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def busy(_sent: Any) -> Any:
        raise image_decoding._busy()

    monkeypatch.setattr(images, "draw_all", busy)
    words = BODY if path.startswith("/api/") else WORDS
    answer = client.post(path, {**words, "kind": "quote", "images": [picture()]})
    assert answer.status_code == 503
    assert nothing_was_kept()
    if path.startswith("/api/"):
        problem = answer.json()
        assert (problem["code"], problem["errors"]) == ("busy", {"images": [problem["detail"]]})
        assert problem["detail"] == "Trop de demandes. Réessayez dans un instant."
        assert answer["Retry-After"] == "2"
    else:
        page = answer.content.decode()
        assert "Trop de demandes. Réessayez dans un instant." in page
        assert "quel est le diamètre du socle" in page


@pytest.mark.parametrize(
    "bomb",
    [jpeg((60, 40), scans=3000), jpeg((2000, 2000), scans=859), png(before=png_chunk(b"IDAT") * 50_000)],
    ids=["scans", "scans of many pixels", "slices"],
)
def test_a_picture_that_asks_for_too_much_is_refused_undecoded(
    client: Client, monkeypatch: pytest.MonkeyPatch, bomb: bytes
) -> None:
    no_decoding(monkeypatch)
    name = "a.png" if bomb.startswith(b"\x89PNG") else "a.jpg"
    answer = send(client, kind="quote", images=[SimpleUploadedFile(name, bomb)])
    assert answer.status_code == 200
    assert "Fichier invalide" in answer.content.decode()
    assert nothing_was_kept()
