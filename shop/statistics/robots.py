"""Who only reads for a machine: search engines, previews of links, monitors."""

from __future__ import annotations

from functools import lru_cache

from crawleruseragents import is_crawler

_LONGEST = 400


@lru_cache(maxsize=2048)
def _is_robot(user_agent: str) -> bool:
    return bool(is_crawler(user_agent))


def is_robot(user_agent: str) -> bool:
    """Return whether a program of the well-known list calls, or one that does not say what it is.

    The list is long, so what it says of an agent is remembered.
    """
    return not user_agent or _is_robot(user_agent[:_LONGEST])
