"""The front-end build as templates see it: which file stands behind a name.

`npm run build` writes files whose names carry their content's hash, and a manifest that lists them. Names are
looked up there and nowhere else, so a name that the build does not know is an error, not a broken link.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static


class UnknownAssetError(LookupError):
    """The build has nothing of this name."""


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """A built file and the modules a browser needs before it can run it, relative to the static folder."""

    file: str
    imports: tuple[str, ...]

    @property
    def url(self) -> str:
        return static(self.file)

    @property
    def import_urls(self) -> list[str]:
        return [static(name) for name in self.imports]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the last build made."""

    assets: Mapping[str, BuiltFile]
    islands: Mapping[str, BuiltFile]
    locales: Mapping[str, str]


def asset(name: str) -> BuiltFile:
    """Return the built file behind a name such as `app.css`, `runtime.js` or `fonts/….woff2`.

    Raises `UnknownAssetError`, and `ImproperlyConfigured` when nothing was built.
    """
    return _found(manifest().assets, name, "asset")


def island_file(name: str) -> BuiltFile:
    """Return the module of an island. Raises like `asset`."""
    return _found(manifest().islands, name, "island")


def locale_file(language: str) -> str | None:
    """Return the address of the islands' words in a language, if they have it."""
    name = manifest().locales.get(language)
    return static(name) if name else None


def manifest() -> Manifest:
    """Return the build's manifest; while developing it is read again after every build.

    Raises `ImproperlyConfigured` when it is missing or unreadable.
    """
    path = Path(settings.ASSET_MANIFEST)
    try:
        written_at = path.stat().st_mtime_ns if settings.DEBUG else 0
        return _read(path, written_at)
    except FileNotFoundError as error:
        raise ImproperlyConfigured(
            f"{path} n'existe pas\u00a0: lancez `npm run build` (ou `npm run watch`)."
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImproperlyConfigured(f"{path} est illisible\u00a0: relancez `npm run build`.") from error


@lru_cache(maxsize=8)
def _read(path: Path, written_at: int) -> Manifest:
    content = json.loads(path.read_text(encoding="utf-8"))
    return Manifest(
        assets=_files(content["assets"]),
        islands=_files(content["islands"]),
        locales=dict(content["locales"]),
    )


def _files(entries: Mapping[str, Mapping[str, object]]) -> dict[str, BuiltFile]:
    found = {}
    for name, entry in entries.items():
        imports = entry["imports"]
        if not isinstance(imports, list):
            raise TypeError(f"The imports of {name} are no list.")
        found[name] = BuiltFile(file=str(entry["file"]), imports=tuple(str(item) for item in imports))
    return found


def _found(files: Mapping[str, BuiltFile], name: str, kind: str) -> BuiltFile:
    try:
        return files[name]
    except KeyError:
        known = ", ".join(sorted(files)) or "none"
        raise UnknownAssetError(f"The build has no {kind} named {name!r}; known: {known}.") from None
