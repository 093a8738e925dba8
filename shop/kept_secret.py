"""A secret of a machine that was given none."""

import secrets
from pathlib import Path


def kept_secret(path: Path) -> str:
    """A random value made once and kept there, so that sessions and signed links survive a restart."""
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
        path.chmod(0o600)
        return value
