"""DATA_DIR: what the shop writes belongs to its own user, except what a web server may hand out."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

# For everything that this process writes from here on; media and static files are opened one by one by their storages.
UMASK = 0o077
# What others may do in DATA_DIR at most: the group pass through it, to `media/` and `static/`.
WIDEST = 0o710
OWN = (
    *("private", "queue", "cache", "shop.sqlite3*", "secret-key"),
    *("beat-schedule*", "content-version*", "stripe-sandbox*"),
)


def open_data_dir(folder: Path) -> Path:
    """Return the folder, made when it is missing; what the process writes from now on is its user's alone.

    Raises ImproperlyConfigured where there can be none.
    """
    os.umask(UMASK)
    return made_folder("DATA_DIR", folder)


def made_folder(name: str, folder: Path) -> Path:
    """Return the folder that a setting names, made when it is missing. Raises ImproperlyConfigured."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}={folder} can't be made: {error.strerror}.") from error
    return folder


def is_open_to_others(folder: Path) -> bool:
    """Return whether another user of the machine may list it or, beyond its group, pass through it."""
    return bool(stat.S_IMODE(folder.stat().st_mode) & 0o777 & ~WIDEST)


def is_of_another_user(folder: Path) -> bool:
    """Return whether this is root in the folder of an ordinary user, who could not open what root writes there."""
    return os.geteuid() == 0 != folder.stat().st_uid


def narrow_data_dir(folder: Path) -> None:
    """Take from others what an earlier version left open: folders 700, files 600. Media and static files stay."""
    # Nobody's own folder, such as /tmp, is not ours to close.
    if is_open_to_others(folder) and not folder.stat().st_mode & stat.S_ISVTX:
        folder.chmod(0o700)
    for pattern in OWN:
        for path in folder.glob(pattern):
            # SQLite takes its second files away when it likes.
            with suppress(FileNotFoundError):
                path.chmod(0o700 if path.is_dir() else 0o600)


def stored_secret(path: Path) -> str:
    """Return a random value made once and stored there, so that sessions and signed links survive a restart."""
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        value = secrets.token_urlsafe(50)
        try:
            with path.open("x") as stream:
                stream.write(value)
        except FileExistsError:
            # Another process of the same start made it first.
            return path.read_text().strip()
        except OSError:
            # What a full disk took of it would be no secret at the next start.
            path.unlink(missing_ok=True)
            raise
        return value
