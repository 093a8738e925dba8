"""Nobody but the shop's own user reads what it writes, except what is public anyway."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from shop.data_dir import narrow_data_dir, stored_secret

WRITTEN = """
import json, os, sys
os.umask(0o022)
import django
django.setup()
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import caches
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.db import connection
from shop.celery import app
from shop.core.tasks import deliver_mail

connection.ensure_connection()
with connection.cursor() as cursor:
    cursor.execute("CREATE TABLE t (i int)")
caches["shared"].set("a", 1)
deliver_mail.apply_async(args=(1,))
default_storage.save("products/a.txt", ContentFile(b"a"))
staticfiles_storage.save("css/a.txt", ContentFile(b"a"))
storages["private"].save("quotes/a.txt", ContentFile(b"a"))
"""


def modes(folder: Path) -> dict[str, str]:
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
    return {str(path.relative_to(folder)): f"{mode:o}" for path, mode in found.items()}


@pytest.fixture
def written(tmp_path) -> dict[str, str]:
    folder = tmp_path / "deep" / "data"
    subprocess.run(
        [sys.executable, "-c", WRITTEN],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "shop.settings",
            "DATA_DIR": str(folder),
            "SECRET_KEY": "",
            "DATABASE_URL": "",
        },
        check=True,
        timeout=120,
    )
    return modes(folder)


def test_files_of_the_shop_are_its_own_users_and_media_are_public(written):
    public = {name: mode for name, mode in written.items() if name.startswith(("media", "static"))}
    assert public == {
        "media": "755",
        "media/products": "755",
        "media/products/a.txt": "644",
        "static": "755",
        "static/css": "755",
        "static/css/a.txt": "644",
    }
    own = {name: mode for name, mode in written.items() if name not in public}
    assert {
        *(".", "shop.sqlite3", "secret-key", "cache", "queue", "queue/messages", "queue/control"),
        *("private", "private/quotes", "private/quotes/a.txt"),
    } <= set(own)
    assert any(name.endswith(".msg") for name in own)
    assert set(own.values()) == {"700", "600"}
    folders = {name for name, mode in own.items() if mode == "700"}
    assert folders == {
        *(".", "cache", "metrics", "private", "private/quotes", "queue", "queue/messages", "queue/control"),
    }


@pytest.mark.parametrize(
    ("before", "after"), [(0o755, "700"), (0o750, "700"), (0o710, "710"), (0o700, "700")]
)
def test_narrow_data_dir_closes_what_others_could_read_and_no_more(tmp_path, before, after):
    for name in ("private", "queue", "media"):
        (tmp_path / name).mkdir(mode=0o755)
        (tmp_path / name).chmod(0o755)
    for name in ("shop.sqlite3", "shop.sqlite3-wal", "stripe-sandbox.json", "another-program.txt"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    tmp_path.chmod(before)
    narrow_data_dir(tmp_path)
    assert modes(tmp_path) == {
        ".": after,
        "private": "700",
        "queue": "700",
        "media": "755",
        "shop.sqlite3": "600",
        "shop.sqlite3-wal": "600",
        "stripe-sandbox.json": "600",
        "another-program.txt": "644",
    }


def test_narrow_data_dir_in_a_folder_of_everybody_leaves_the_folder(tmp_path):
    tmp_path.chmod(0o1777)
    narrow_data_dir(tmp_path)
    assert modes(tmp_path) == {".": "1777"}


# No file may grow: what a full disk says, in another word.
FULL = """
import resource, sys
from pathlib import Path
from shop.data_dir import stored_secret
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
stored_secret(Path(sys.argv[1]))
"""


def test_a_secret_that_a_full_disk_cut_off_is_made_by_the_next_start(tmp_path):
    path = tmp_path / "secret-key"
    ended = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True, check=False)
    assert (ended.returncode, "OSError: [Errno 27] File too large" in ended.stderr) == (1, True)
    assert not path.exists()
    secret = stored_secret(path)
    assert len(secret) >= 50
    assert stored_secret(path) == secret
