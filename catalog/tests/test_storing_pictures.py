"""A storage that takes seconds keeps nobody waiting who buys the piece, and what nothing shows in the end goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from catalog.models import PictureImport, ProductImage
from catalog.services import picture_imports
from catalog.services.picture_imports import fetch_picture, set_gallery
from catalog.tests.factories import make_product, picture
from shop.core.file_storage import STAYS, delete_discarded_files
from shop.core.folder_media import FolderMediaStorage
from shop.core.models import DiscardedFile
from shop.core.outbound import Answer

pytestmark = pytest.mark.django_db
URL = "https://pictures.example.com/golem.jpg"


@pytest.fixture
def depths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """In how many transactions each picture was stored, that of the test not counted."""
    found: list[int] = []
    store = FolderMediaStorage._save

    def note(*given: Any) -> str:
        found.append(len(connection.savepoint_ids))
        return store(*given)

    monkeypatch.setattr(FolderMediaStorage, "_save", note)
    return found


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], ProductImage | None]:
    """Fetch the picture that waits; meanwhile something happens."""

    def run(meanwhile: Callable[[], None]) -> ProductImage | None:
        def fetch(url: str, **kwargs: Any) -> Answer:
            meanwhile()
            return Answer(200, {}, picture().getvalue())

        monkeypatch.setattr(picture_imports, "fetch", fetch)
        return fetch_picture(import_id=PictureImport.objects.get().pk)

    return run


def upload(staff: Client, product_id: int) -> Any:
    return staff.post(
        f"/api/admin/products/{product_id}/images",
        {"file": SimpleUploadedFile("golem.jpg", picture().getvalue())},
        headers={"Idempotency-Key": "one"},
    )


def test_photo_of_staff_is_stored_before_the_product_is_locked(
    admin_client: Client, depths: list[int]
) -> None:
    product = make_product()
    answers = [upload(admin_client, product.pk) for _again in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert depths == [0, 0]
    photo = ProductImage.objects.get()
    # That of the repeated call goes a day later.
    (left,) = DiscardedFile.objects.values_list("name", flat=True)
    assert left != photo.file.name
    assert delete_discarded_files(timezone.now() + STAYS)
    assert [default_storage.exists(str(name)) for name in (left, photo.file.name)] == [False, True]


def test_picture_of_a_program_is_stored_before_the_product_is_locked(depths: list[int], fetched: Any) -> None:
    set_gallery(product=make_product(), urls=[URL])
    photo = fetched(lambda: None)
    assert depths == [0]
    assert (photo, DiscardedFile.objects.exists()) == (ProductImage.objects.get(), False)


def test_picture_that_the_gallery_does_without_meanwhile_goes_a_day_later(
    depths: list[int], fetched: Any
) -> None:
    product = make_product()
    set_gallery(product=product, urls=[URL])
    assert fetched(lambda: set_gallery(product=product, urls=[])) is None
    name = DiscardedFile.objects.get().name
    assert delete_discarded_files()
    assert default_storage.exists(name)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert not default_storage.exists(name)
