"""No archive of a person's data stays in the private storage without a row that has it deleted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.db import OperationalError
from django.utils import timezone

from accounts.services.members import close_account
from accounts.tests.people import make_member
from shop.core.file_storage import delete_discarded_files, private_storage
from shop.pages.models import DataExport, ExportState
from shop.pages.services import data_exports
from shop.pages.services.data_exports import (
    make_export,
    make_waiting_exports,
    purge_exports,
    request_export,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def files():
    """The archives that this test has left in the storage."""

    def names() -> set[str]:
        return set(private_storage().listdir("exports")[1])

    private_storage().delete(private_storage().save("exports/none", ContentFile(b"")))
    before = names()
    yield lambda: names() - before
    for name in names() - before:
        private_storage().delete(f"exports/{name}")


@pytest.mark.parametrize("error", [SystemExit, OperationalError])
def test_archive_of_a_worker_that_died_goes_with_the_next_try(files, monkeypatch, error):
    """Killed, or without a database, between the file and its row."""
    export = request_export(user=make_member(), language="fr")

    def die(*args: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(data_exports, "_finish", die)
        with pytest.raises(error):
            make_export(export.pk)
    (left,) = files()
    DataExport.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert make_waiting_exports(timezone.now()) == 1
    made = DataExport.objects.get()
    assert (made.state, files()) == (ExportState.READY, {made.file.removeprefix("exports/")})
    assert made.file != f"exports/{left}"


def test_archive_of_the_last_worker_that_died_goes_in_its_time(files, monkeypatch):
    export = request_export(user=make_member(), language="fr")
    monkeypatch.setattr(data_exports, "_finish", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        make_export(export.pk)
    DataExport.objects.update(tries=3, lease_until=timezone.now() - timedelta(seconds=1))
    assert make_waiting_exports(timezone.now()) == 0
    assert DataExport.objects.get().state == ExportState.FAILED
    assert len(files()) == 1
    assert purge_exports(timezone.now() + timedelta(seconds=1), 100) == 1
    assert delete_discarded_files()
    assert (files(), DataExport.objects.exists()) == (set(), False)


def test_archive_of_who_is_erased_meanwhile_goes_at_once(files, monkeypatch):
    user = make_member()
    export = request_export(user=user, language="fr")
    monkeypatch.setattr(data_exports, "_finish", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        make_export(export.pk)
    close_account(user=user)
    DataExport.objects.update(lease_until=None)
    assert not make_export(export.pk)
    assert delete_discarded_files()
    assert (files(), DataExport.objects.exists()) == (set(), False)
