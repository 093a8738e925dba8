"""How static files are stored for production."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from whitenoise.storage import CompressedManifestStaticFilesStorage

BUILD = "build/"


class ShopStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Hashes and compresses static files, and leaves the names of the front-end build alone.

    Those names carry a hash already, and the modules import each other by them: under a second name a browser
    would load a module twice (two Reacts on one page, whose hooks do not work with each other). They are
    compressed like the rest.
    """

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool | Exception]]:
        built = {name for name in paths if _is_built(name)}
        others = {name: place for name, place in paths.items() if name not in built}
        yield from super().post_process(others, dry_run=dry_run, **options)
        if not dry_run:
            for name, compressed_name in self.compress_files(built):
                yield name, compressed_name, True

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name, compressed in super().compress_files(paths):
            # Written past the storage, which gives every other file its mode.
            Path(self.path(compressed)).chmod(settings.FILE_UPLOAD_PERMISSIONS)
            yield name, compressed

    def hashed_name(self, name: str, content: Any = None, filename: str | None = None) -> str:
        if _is_built(name):
            return name
        return str(super().hashed_name(name, content, filename))

    def stored_name(self, name: str) -> str:
        if _is_built(name):
            return name
        return str(super().stored_name(name))


def _is_built(name: str) -> bool:
    return name.replace("\\", "/").startswith(BUILD)
