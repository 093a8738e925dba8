"""Files are deleted behind the change that gives them up."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.db import transaction

from shop.core.file_storage import delete_discarded_files, discard_files, private_storage
from shop.core.models import DiscardedFile

pytestmark = pytest.mark.django_db


def store() -> str:
    return private_storage().save("contact/a.jpg", ContentFile(b"a picture"))


def test_a_change_that_is_taken_back_keeps_its_file(run_on_commit, queued_tasks):
    name = store()
    with run_on_commit(), transaction.atomic():
        discard_files([name], "private")
        transaction.set_rollback(True)
    assert queued_tasks.names == []
    assert delete_discarded_files()
    assert private_storage().exists(name)
    with run_on_commit():
        discard_files([name], "private")
    assert queued_tasks.names == ["shop.core.tasks.delete_discarded_files"]
    queued_tasks.run()
    assert not private_storage().exists(name)


def test_a_file_that_cannot_be_deleted_waits_and_keeps_no_other(monkeypatch, caplog):
    stuck, other = store(), store()
    discard_files([stuck, other], "private")
    discard_files([stuck], "private")
    delete = private_storage().delete

    def refuse(_storage, name):
        if name == stuck:
            raise PermissionError("read-only")
        delete(name)

    with monkeypatch.context() as patch:
        patch.setattr(type(private_storage()), "delete", refuse)
        with pytest.raises(PermissionError):
            delete_discarded_files()
    assert [row.name for row in DiscardedFile.objects.all()] == [stuck]
    assert [private_storage().exists(name) for name in (stuck, other)] == [True, False]
    assert delete_discarded_files()
    assert not private_storage().exists(stuck)


def test_files_beyond_a_turn_wait_for_the_next(monkeypatch):
    names = [store(), store()]
    discard_files(names, "private")
    monkeypatch.setattr("shop.core.file_storage.STEP_SECONDS", 0)
    assert not delete_discarded_files()
    assert [private_storage().exists(name) for name in names] == [False, True]
    assert delete_discarded_files()
    assert not DiscardedFile.objects.exists()
