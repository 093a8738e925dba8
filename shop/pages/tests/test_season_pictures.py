"""The picture of a season's band: put there by staff, replaced, and gone with its row."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from catalog.tests.factories import picture
from shop.core import images, uploads
from shop.core.file_storage import STAYS, delete_discarded_files
from shop.core.images import StoredImage, draw_image, file_names, store_image
from shop.pages.models import SeasonalBanner
from shop.pages.services.content import BANDS, derive_banner, enqueue_missing, set_banner_picture

pytestmark = pytest.mark.django_db
LIST = "/admin/textes/bandeaux"


def save(client: Client, page: str, name: str, meanwhile: Any = lambda: None) -> Any:
    """Send the form of a band with a picture by this name."""
    context = client.get(page).context
    meanwhile()
    values = {field.name: field.value() for field in context["form"]}
    body = {name: value for name, value in values.items() if value not in (None, False)}
    body |= {"seen": context["seen"] or "", "title_fr": "Noël", "link_label_fr": "Voir", "link": "/noel"}
    return client.post(page, body | {"new_picture": SimpleUploadedFile(name, picture().getvalue())})


def files(row: SeasonalBanner) -> list[str]:
    return [name for name in file_names(row.file.name or "", row.derivatives) if default_storage.exists(name)]


def test_a_picture_is_shown_replaced_and_deleted_with_its_files(
    admin_client: Client, client: Client, run_on_commit: Any, queued_tasks: Any
) -> None:
    assert save(admin_client, f"{LIST}/nouveau", "noel.txt").status_code == 200
    assert not SeasonalBanner.objects.exists()
    with run_on_commit():
        assert save(admin_client, f"{LIST}/nouveau", "noel.jpg")["Location"] == LIST
    row = SeasonalBanner.objects.get()
    assert queued_tasks.names == ["shop.pages.tasks.derive_banner_files"]
    queued_tasks.run()
    assert (derive_banner(pk=row.pk), enqueue_missing(limit=9)) == (False, 0)
    row.refresh_from_db()
    first = files(row)
    assert (row.width, row.height, len(first) > 1) == (60, 40, True)
    assert row.file.name.rpartition(".")[0] in client.get("/").content.decode()

    with run_on_commit():
        assert save(admin_client, f"{LIST}/{row.pk}", "sapin.jpg")["Location"] == LIST
    row.refresh_from_db()
    assert row.file.name not in first
    assert (row.derivatives, enqueue_missing(limit=9)) == ({}, 1)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert [name for name in first if default_storage.exists(name)] == []

    queued_tasks.run()
    row.refresh_from_db()
    second = files(row)
    with run_on_commit():
        admin_client.post(f"{LIST}/{row.pk}/supprimer")
    assert not SeasonalBanner.objects.exists()
    assert delete_discarded_files(timezone.now() + STAYS)
    assert [name for name in second if default_storage.exists(name)] == []


def band() -> SeasonalBanner:
    row = SeasonalBanner.objects.create(title="Noël", link_label="Voir", link="/noel")
    set_banner_picture(banner=row, image=stored())
    return row


def stored() -> StoredImage:
    return store_image(image=draw_image(file=picture(), name="noel.jpg"), folder=BANDS)


def made_of(name: str) -> list[str]:
    """The files of a picture that are in the storage, its own included."""
    stem = name.removeprefix("banners/").removesuffix(".jpg")
    return [file for file in default_storage.listdir("banners")[1] if file.startswith(stem)]


def test_a_picture_that_is_replaced_while_its_files_are_made_leaves_none(monkeypatch: Any) -> None:
    row = band()
    name, derive = row.file.name or "", images.derive_files

    def meanwhile(of: str) -> dict[str, Any]:
        made = derive(of)
        set_banner_picture(banner=row, image=stored())
        assert delete_discarded_files(timezone.now() + STAYS)
        return made

    monkeypatch.setattr(images, "derive_files", meanwhile)
    assert derive_banner(pk=row.pk) is False
    assert delete_discarded_files(timezone.now() + STAYS)
    kept = SeasonalBanner.objects.get()
    assert (kept.derivatives, files(kept), made_of(name)) == ({}, [kept.file.name], [])


def test_a_picture_whose_files_are_made_while_another_is_drawn_leaves_none() -> None:
    row = band()
    name = row.file.name or ""
    assert derive_banner(pk=row.pk)
    assert len(made_of(name)) > 1
    # `row` was read before.
    set_banner_picture(banner=row, image=stored())
    assert delete_discarded_files(timezone.now() + STAYS)
    kept = SeasonalBanner.objects.get()
    assert (kept.derivatives, files(kept), made_of(name)) == ({}, [kept.file.name], [])


def test_a_picture_is_decoded_once_and_outside_the_transaction(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite has one lock for all who write: for as long as a transaction decodes, nobody can order."""
    decoded: list[int] = []

    def draw(**given: Any) -> Any:
        decoded.append(len(connection.savepoint_ids))
        return draw_image(**given)

    monkeypatch.setattr(uploads, "draw_image", draw)
    assert save(admin_client, f"{LIST}/nouveau", "noel.jpg")["Location"] == LIST
    row = SeasonalBanner.objects.get()
    assert save(admin_client, f"{LIST}/{row.pk}", "sapin.jpg")["Location"] == LIST
    assert save(admin_client, f"{LIST}/{row.pk}", "sapin.txt").status_code == 200
    # The transaction of a test has no savepoint of its own.
    assert decoded == [0, 0, 0]


def test_a_picture_is_taken_where_somebody_else_changed_another_field(admin_client: Client) -> None:
    row = band()
    before = row.file.name

    def rename() -> None:
        SeasonalBanner.objects.filter(pk=row.pk).update(text_fr="Jusqu'au 24")

    assert save(admin_client, f"{LIST}/{row.pk}", "sapin.jpg", rename)["Location"] == LIST
    row.refresh_from_db()
    assert (row.text_fr, row.file.name != before) == ("Jusqu'au 24", True)
