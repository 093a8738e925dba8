"""Who still shows the files of a photo that was removed: whoever may registers its answer here."""

from __future__ import annotations

from collections.abc import Callable, Collection

Find = Callable[[Collection[str]], set[str]]

_finders: list[Find] = []


def register_file_user(find: Find) -> None:
    """From now on `find(names)` is asked which of these files of the media storage are shown. Call it in an
    `AppConfig.ready()`; again changes nothing."""
    if find not in _finders:
        _finders.append(find)


def shown_files(names: Collection[str]) -> set[str]:
    """Those of these files that somebody shows. One query for each who registered."""
    return set().union(*(find(names) for find in _finders))
