"""The part of a photo that is shown: its point, its crop, and the whole that comes back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from PIL import Image

from catalog.models import ProductImage, RetiredPicture
from catalog.selectors.pictures import image_info
from catalog.services import media
from catalog.tests.factories import make_image, make_product
from catalog.tests.photos import halves, upload
from catalog.tests.staff import PRODUCTS, send
from shop.core import images
from shop.core.templatetags.images import picture as picture_tag

pytestmark = pytest.mark.django_db


def test_focus_is_a_class_and_the_middle_is_none():
    product = make_product()
    row = make_image(product, focus_x=10, focus_y=90)
    assert image_info(row, "").focus_class == "focus-x0 focus-y4"
    assert '<img class="focus-x0 focus-y4" src=' in picture_tag(image_info(row, ""))
    row.focus_x = row.focus_y = 50
    assert image_info(row, "").focus_class == ""
    row.focus_x = row.focus_y = None
    assert "class" not in picture_tag(image_info(row, ""))


def test_crop_shows_a_part_and_the_whole_comes_back(admin, django_capture_on_commit_callbacks):
    product = make_product()
    row = ProductImage.objects.get(pk=upload(admin, product, halves().getvalue()).json()["id"])
    media.derive_files(kind="product", pk=row.pk)
    row.refresh_from_db()
    whole = (row.file.name, row.width, row.height, row.colour, row.derivatives)
    path = f"/{product.pk}/images/{row.pk}"
    answer = send(admin, "patch", path, {"crop": {"x": 50, "y": 0, "width": 50, "height": 100}})
    assert answer.status_code == 200, answer.json()
    row.refresh_from_db()
    assert (row.width, row.height, row.derivatives) == (400, 600, {})
    assert row.file.name != whole[0]
    with default_storage.open(row.file.name) as stored:
        red, _green, blue = Image.open(stored).getpixel((200, 300))
    assert (red < 60, blue > 150) == (True, True)
    assert answer.json()["whole"] == {"url": default_storage.url(whole[0]), "width": 800, "height": 600}
    cropped = row.file.name
    assert send(admin, "patch", path, {"crop": None}).status_code == 200
    row.refresh_from_db()
    assert (row.file.name, row.width, row.height, row.colour, row.derivatives) == whole
    assert (row.crop, row.whole) == ({}, {})
    assert [retired.file.name for retired in RetiredPicture.objects.all()] == [cropped]


def test_each_crop_is_cut_from_the_whole(admin):
    product = make_product()
    pk = upload(admin, product, halves().getvalue()).json()["id"]
    path = f"/{product.pk}/images/{pk}"
    send(admin, "patch", path, {"crop": {"x": 50, "y": 0, "width": 50, "height": 100}})
    send(admin, "patch", path, {"crop": {"x": 0, "y": 0, "width": 75, "height": 100}})
    row = ProductImage.objects.get(pk=pk)
    assert (row.width, row.whole["width"]) == (600, 800)


def test_files_made_while_a_crop_was_chosen_stay_with_the_whole(admin, monkeypatch):
    product = make_product()
    pk = upload(admin, product, halves().getvalue()).json()["id"]
    made = images.derive_files

    def slow(name):
        send(
            admin,
            "patch",
            f"/{product.pk}/images/{pk}",
            {"crop": {"x": 0, "y": 0, "width": 50, "height": 50}},
        )
        return made(name)

    monkeypatch.setattr("catalog.services.media.images.derive_files", slow)
    media.derive_files(kind="product", pk=pk)
    row = ProductImage.objects.get(pk=pk)
    assert (row.derivatives, row.whole["derivatives"]["widths"]) == ({}, [360, 768, 800])


def test_removed_crop_gives_up_both_files(admin):
    product = make_product()
    pk = upload(admin, product, halves().getvalue()).json()["id"]
    whole = ProductImage.objects.get(pk=pk).file.name
    send(admin, "patch", f"/{product.pk}/images/{pk}", {"crop": {"x": 0, "y": 0, "width": 50, "height": 50}})
    cropped = ProductImage.objects.get(pk=pk).file.name
    assert admin.delete(f"{PRODUCTS}/{product.pk}/images/{pk}").status_code == 204
    media.remove_retired_files(now=timezone.now() + timedelta(days=2))
    assert [default_storage.exists(name) for name in (whole, cropped)] == [False, False]


@pytest.mark.parametrize(
    ("crop", "field"),
    [
        ({"x": 60, "y": 0, "width": 50, "height": 100}, "crop.non_field_errors"),
        ({"x": -1, "y": 0, "width": 50, "height": 100}, "crop.x"),
        ({"x": 0, "y": 0, "width": 10, "height": 10}, "crop"),
    ],
)
def test_crop_outside_the_picture_or_too_small_is_refused(admin, crop, field):
    product = make_product()
    pk = upload(admin, product, halves().getvalue()).json()["id"]
    before = ProductImage.objects.filter(pk=pk).values().get()
    answer = send(admin, "patch", f"/{product.pk}/images/{pk}", {"crop": crop})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
    assert ProductImage.objects.filter(pk=pk).values().get() == before
