"""What staff send is stored while nobody waits for it, and goes where the change that would show it never comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from blog.models import ArticlePicture
from catalog.demo.loader import FOLDER
from catalog.models import CategoryPicture, ProductImage, ProductModel, RetiredPicture
from catalog.services.media import PHOTOS, add_product_image
from catalog.tests.factories import make_product, picture
from catalog.tests.staff import sent as filled
from shop.core.file_storage import STAYS, delete_discarded_files
from shop.core.folder_media import FolderMediaStorage
from shop.core.images import draw_image, store_image
from shop.core.media_transfer import file_names
from shop.core.models import DiscardedFile
from shop.pages.models import OfficialText, SeasonalBanner

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]
Entry = Callable[[Client], Any]


def sent(name: str = "noel.jpg") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, picture(size=(600, 400)).getvalue())


def save_row(client: Client, page: str, **values: Any) -> Any:
    return client.post(page, filled(client, page, **values, new_picture=sent()))


def category(client: Client) -> Any:
    return save_row(client, "/admin/categories/nouveau", name_fr="Bustes")


def band(client: Client) -> Any:
    return save_row(
        client, "/admin/textes/bandeaux/nouveau", title_fr="Noël", link_label_fr="Voir", link="/noel"
    )


def official_text(client: Client) -> Any:
    return save_row(
        client, "/admin/textes/officiels/nouveau", kind="guarantee-notice", language="fr", text="Mots"
    )


def article(client: Client) -> Any:
    return client.post("/api/admin/posts/pictures", {"file": sent()}, headers={"Idempotency-Key": "one"})


def model(client: Client) -> Any:
    names = {"upload": "golem-de-poche.glb", "poster": "golem-de-poche.jpg"}
    files = {
        field: SimpleUploadedFile(name, (Path(FOLDER) / "models" / name).read_bytes())
        for field, name in names.items()
    }
    return client.post(f"/admin/produits/{make_product().pk}/modele-3d", {"seen": "", **files})


def crop(client: Client) -> Any:
    drawn = draw_image(file=picture(size=(600, 400)), name="golem.jpg")
    photo = add_product_image(product=make_product(), image=store_image(image=drawn, folder=PHOTOS))
    return client.patch(
        f"/api/admin/products/{photo.product_id}/images/{photo.pk}",
        {"crop": {"x": 0, "y": 0, "width": 50, "height": 100}},
        content_type="application/json",
    )


def named() -> set[str]:
    rows = [
        *ArticlePicture.objects.values_list("file"),
        *CategoryPicture.objects.values_list("file"),
        *OfficialText.objects.values_list("file"),
        *ProductImage.objects.values_list("file", "whole__file"),
        *ProductModel.objects.values_list("file", "model_file"),
        *SeasonalBanner.objects.values_list("file"),
    ]
    return {name for row in rows for name in row if name}


ENTRIES = [
    (article, 201, 1),
    (band, 302, 1),
    (category, 302, 1),
    (crop, 200, 2),
    (model, 302, 2),
    (official_text, 302, 1),
]


@pytest.mark.parametrize(("entry", "status", "files"), ENTRIES)
def test_a_file_is_stored_before_the_transaction_and_kept_by_it(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch, entry: Entry, status: int, files: int
) -> None:
    depths: list[int] = []
    store = FolderMediaStorage._save

    def note(*given: Any) -> str:
        # The transaction of a test has no savepoint of its own.
        depths.append(len(connection.savepoint_ids))
        return store(*given)

    monkeypatch.setattr(FolderMediaStorage, "_save", note)
    assert entry(admin_client).status_code == status
    assert depths == [0] * files
    assert delete_discarded_files(timezone.now() + STAYS)
    assert (len(named()), set(file_names(default_storage))) == (files, named())


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize(("entry", "status", "files"), ENTRIES)
def test_a_file_whose_transaction_never_comes_goes_a_day_later(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch, entry: Entry, status: int, files: int
) -> None:
    make_product()
    before = set(file_names(default_storage))

    def die(*given: Any, **also: Any) -> None:
        raise Killed

    for place in (
        "blog.api.articles.add_picture",
        "catalog.services.gallery.crop_product_image",
        "catalog.services.product_models.set_product_model",
        "catalog.staff.categories.set_category_picture",
        "shop.pages.staff.texts.set_banner_picture",
        "shop.pages.staff.texts.set_official_picture",
    ):
        monkeypatch.setattr(place, die)
    with pytest.raises(Killed):
        entry(admin_client)
    kept = named()
    assert len(set(file_names(default_storage)) - before - kept) == files - len(kept)
    assert delete_discarded_files()
    assert len(set(file_names(default_storage)) - before - kept) == files - len(kept)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert (set(file_names(default_storage)), DiscardedFile.objects.exists()) == (before | kept, False)


def test_a_picture_that_belongs_to_nothing_yet_is_kept_by_whoever_shows_it(admin_client: Client) -> None:
    assert admin_client.post("/api/admin/uploads", {"file": sent()}).status_code == 201
    assert delete_discarded_files(timezone.now() + STAYS)
    (name,) = file_names(default_storage)
    assert RetiredPicture.objects.get().file.name == name
