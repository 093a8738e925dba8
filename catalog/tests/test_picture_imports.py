"""Pictures that a program named are copied in the background: from the open internet, checked, once."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.utils import timezone
from PIL import Image

from catalog.models import PictureImport, ProductImage
from catalog.selectors.product_documents import image_address
from catalog.services import picture_imports
from catalog.services.media import delete_product_image
from catalog.services.picture_imports import enqueue_due, fetch_picture, set_gallery, set_main_picture
from catalog.tests.factories import make_image, make_product, make_variation
from shop.core.outbound import AddressRefused, Answer, CallFailed

pytestmark = pytest.mark.django_db
URL = "https://pictures.example.com/golem.jpg"


def picture(kind: str = "JPEG") -> bytes:
    content = BytesIO()
    Image.new("RGB", (40, 30), "red").save(content, kind)
    return content.getvalue()


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What addresses answer: an Answer, or an exception."""
    answers: dict[str, Any] = {}

    def fetch(url: str, **kwargs: Any) -> Answer:
        found = answers[url]
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(picture_imports, "fetch", fetch)
    return answers


@pytest.fixture
def waiting() -> PictureImport:
    product = make_product()
    set_gallery(product=product, urls=[URL])
    return PictureImport.objects.get()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_picture_is_copied_whatever_it_is_called(waiting: PictureImport, internet: Any, kind: str):
    internet[URL] = Answer(200, {"content-type": "text/plain"}, picture(kind))
    image = fetch_picture(import_id=waiting.pk)
    assert image is not None
    assert (image.product_id, image.width, image.height, image.position) == (waiting.product_id, 40, 30, 0)
    assert image.file.name.startswith("products/")
    assert not PictureImport.objects.exists()
    assert fetch_picture(import_id=waiting.pk) is None
    assert ProductImage.objects.count() == 1


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (AddressRefused("private"), "private"),
        (CallFailed("too_large"), "too_large"),
        (CallFailed("too_many_redirects"), "too_many_redirects"),
        (Answer(404, {}, b""), "status_404"),
        (Answer(200, {}, b"<html>no picture</html>"), "invalid_image"),
        (Answer(200, {}, b"\xff\xd8\xff broken"), "invalid_image"),
        (Answer(200, {}, b"<svg onload=alert(1)>"), "invalid_image"),
        (Answer(200, {}, b"GIF89a"), "invalid_image"),
    ],
)
def test_what_is_no_picture_fails_for_good_and_says_why(
    waiting: PictureImport, internet: Any, answer: Any, failure: str
):
    internet[URL] = answer
    assert fetch_picture(import_id=waiting.pk) is None
    waiting.refresh_from_db()
    assert (waiting.state, waiting.failure, waiting.attempts) == ("failed", failure, 1)
    assert not ProductImage.objects.exists()
    assert enqueue_due(now=timezone.now() + timedelta(days=1), limit=10) == 0


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (CallFailed("timeout"), "timeout"),
        (Answer(503, {}, b""), "status_503"),
        (Answer(429, {}, b""), "status_429"),
        (RuntimeError("x"), "unforeseen"),
    ],
)
def test_server_that_is_away_is_asked_three_times_more(
    waiting: PictureImport, internet: Any, answer: Any, failure: str, queued_tasks: Any
):
    internet[URL] = answer
    now = timezone.now()
    for wait in picture_imports.RETRY_DELAYS:
        with suppress(RuntimeError):
            fetch_picture(import_id=waiting.pk, now=now)
        waiting.refresh_from_db()
        assert (waiting.state, waiting.next_attempt_at) == ("queued", now + wait)
        assert enqueue_due(now=now, limit=10) == 0
        now += wait
        assert enqueue_due(now=now, limit=10) == 1
    with suppress(RuntimeError):
        fetch_picture(import_id=waiting.pk, now=now)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.failure, waiting.attempts) == ("failed", failure, 4)
    assert set(queued_tasks.names) == {"catalog.tasks.fetch_picture"}


def test_picture_that_the_gallery_does_without_meanwhile_is_not_stored(
    waiting: PictureImport, internet: Any, monkeypatch: pytest.MonkeyPatch
):
    def fetch(url: str, **kwargs: Any) -> Answer:
        set_gallery(product=waiting.product, urls=[])
        return Answer(200, {}, picture())

    monkeypatch.setattr(picture_imports, "fetch", fetch)
    assert fetch_picture(import_id=waiting.pk) is None
    assert not ProductImage.objects.exists()


def test_picture_that_is_being_fetched_is_handed_to_nobody_else(
    waiting: PictureImport, monkeypatch: pytest.MonkeyPatch
):
    handed = []

    def fetch(url: str, **kwargs: Any) -> Answer:
        handed.append(enqueue_due(now=timezone.now(), limit=10))
        return Answer(200, {}, picture())

    monkeypatch.setattr(picture_imports, "fetch", fetch)
    assert fetch_picture(import_id=waiting.pk) is not None
    assert handed == [0]


def test_what_waits_for_another_product_or_a_format_is_left_alone(internet: Any):
    piece, other = make_product(), make_product("Autre")
    format_ = make_variation(piece, "Grand")
    second = "https://pictures.example.com/second.jpg"
    set_gallery(product=other, urls=[URL])
    set_gallery(product=piece, urls=[URL], variation=format_)
    shown = make_image(piece, variation=format_)
    set_gallery(product=piece, urls=[second])
    set_main_picture(product=piece, url=URL)
    internet[URL] = CallFailed("timeout")
    fetch_picture(import_id=PictureImport.objects.latest("pk").pk)
    rows = PictureImport.objects.order_by("pk")
    assert list(rows.values_list("product", "variation", "url", "position", "attempts")) == [
        (other.pk, None, URL, 0, 0), (piece.pk, format_.pk, URL, 0, 0),
        (piece.pk, None, second, 1, 0), (piece.pk, None, URL, 0, 1),
    ]  # fmt: skip
    assert ProductImage.objects.get() == shown


def test_worker_that_died_is_replaced_after_its_lease(waiting: PictureImport, internet: Any):
    PictureImport.objects.update(lease_until=timezone.now() + timedelta(minutes=1), attempts=1)
    internet[URL] = Answer(200, {}, picture())
    assert fetch_picture(import_id=waiting.pk) is None
    assert fetch_picture(import_id=waiting.pk, now=timezone.now() + timedelta(minutes=2)) is not None


@pytest.mark.parametrize("column", ["next_attempt_at", "lease_until"])
@pytest.mark.parametrize(("wait", "count"), [(timedelta(minutes=69), 0), (timedelta(days=365), 1)])
def test_picture_that_a_clock_ahead_put_off_is_due_again(
    waiting: PictureImport, column: str, wait: Any, count: int
):
    now = timezone.now()
    PictureImport.objects.update(**{"next_attempt_at": now, column: now + wait})
    assert enqueue_due(now=now, limit=10) == count


def test_picture_that_a_program_names_again_stays_as_it_is(waiting: PictureImport, internet: Any):
    """What a nightly run sends: the addresses that the program itself has, in another order or with another one."""
    internet[URL] = Answer(200, {}, picture())
    image = fetch_picture(import_id=waiting.pk)
    assert image is not None
    ProductImage.objects.filter(pk=image.pk).update(alt="Le golem", focus_x=40)
    other = "https://pictures.example.com/back.jpg"
    set_gallery(product=waiting.product, urls=[other, URL])
    kept = ProductImage.objects.get()
    assert (kept.pk, kept.alt, kept.focus_x, kept.position) == (image.pk, "Le golem", 40, 1)
    assert [(row.url, row.position) for row in PictureImport.objects.all()] == [(other, 0)]
    set_main_picture(product=waiting.product, url=URL)
    assert list(ProductImage.objects.values_list("pk", "position")) == [(image.pk, 0)]
    # Another address is another picture, in the place of this one once it is there.
    set_gallery(product=waiting.product, urls=[f"{URL}?v=2"])
    assert list(ProductImage.objects.values_list("pk", flat=True)) == [image.pk]
    assert [row.url for row in PictureImport.objects.all()] == [f"{URL}?v=2"]


def test_picture_that_is_replaced_stays_until_the_other_is_there(internet: Any):
    product = make_product()
    front, back = (make_image(product, position=number) for number in range(2))
    set_gallery(product=product, urls=[URL])
    # One goes for the one that comes; the other goes now.
    assert list(ProductImage.objects.values_list("pk", "position")) == [(front.pk, 0)]
    row = PictureImport.objects.get()
    internet[URL] = CallFailed("timeout")
    assert fetch_picture(import_id=row.pk) is None
    assert ProductImage.objects.get() == front

    internet[URL] = Answer(200, {}, picture())
    image = fetch_picture(import_id=row.pk, now=timezone.now() + timedelta(minutes=2))
    assert image is not None
    assert list(ProductImage.objects.values_list("pk", "position")) == [(image.pk, 0)]
    assert back.pk not in (front.pk, image.pk)


def test_picture_whose_place_nothing_takes_stays(internet: Any):
    product = make_product()
    front = make_image(product)
    set_gallery(product=product, urls=[URL])
    internet[URL] = Answer(404, {}, b"")
    fetch_picture(import_id=PictureImport.objects.get().pk)
    assert ProductImage.objects.get() == front
    # Named as one that is still waited for, it brings nothing any more.
    set_gallery(product=product, urls=[], waiting=[URL])
    assert not ProductImage.objects.exists()


def test_program_that_writes_back_what_it_read_has_the_picture_replaced_all_the_same(internet: Any):
    product = make_product()
    front = make_image(product)
    set_gallery(product=product, urls=[URL])
    set_gallery(product=product, urls=[image_address(front)], waiting=[URL])
    assert ProductImage.objects.get() == front
    internet[URL] = Answer(200, {}, picture())
    image = fetch_picture(import_id=PictureImport.objects.get().pk)
    assert ProductImage.objects.get() == image
    # Staff may remove it first.
    set_gallery(product=product, urls=[f"{URL}?v=2"])
    delete_product_image(image=ProductImage.objects.get())
    internet[f"{URL}?v=2"] = internet[URL]
    image = fetch_picture(import_id=PictureImport.objects.get().pk)
    assert ProductImage.objects.get() == image


def test_photos_of_a_format_are_its_own(internet: Any):
    product = make_product()
    variation = make_variation(product, "Grand")
    set_gallery(product=product, urls=[URL], variation=variation)
    internet[URL] = Answer(200, {}, picture())
    image = fetch_picture(import_id=PictureImport.objects.get().pk)
    assert image is not None
    assert image.variation == variation
    set_gallery(product=product, urls=[])
    assert ProductImage.objects.count() == 1
    set_gallery(product=product, urls=[], variation=variation)
    assert ProductImage.objects.count() == 0
