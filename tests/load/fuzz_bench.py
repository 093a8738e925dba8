"""Requests that nobody's browser sends, thousands by each role: none is answered with an error of the shop's own.

    python tests/load/fuzz_bench.py [--requests 10000] [--seed 1]

Addresses, fields of calls and fields of forms are the shop's, their values odd, missing or of another kind. It runs in
this process, on a database that is thrown away (`TEST_DATABASE_URL` for PostgreSQL); what a request writes is taken
back. One that is answered with 5xx is printed with what went wrong, and the exit code is 1. A seed asks the same again.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import quote, urlencode

ROOT = Path(__file__).resolve().parents[2]
ROLES = ("anonymous", "member", "staff", "admin")
ODD: tuple[Any, ...] = (
    "", " ", "0", "-1", "1.5", "1e3", "NaN", "1,50", "٣", "²", "a" * 3000, "é\u0301", "İß", "\u202ex", "😀", "\x00",
    "\x1b", "<script>", "'; DROP TABLE x; --", "%", "_", "\\", "../../x", "//x.test", "javascript:x", "=1+1",
    "{{ 7*7 }}", "0001-01-01", "9999-12-31", "2026-02-30", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00",
    "24:00", "x@x.test", "fr", "FR", "ZZ", "true", "null", "00000000-0000-0000-0000-000000000001", None, True, False,
    0, -1, 1, 1.5, -0.0, 1e308, 2**31, 2**63, 10**30, [], {}, [None], [[]], {"": 0}, [1] * 200,
)  # fmt: skip
FORM = "application/x-www-form-urlencoded"
KINDS = (
    "application/json",
    "text/plain",
    "multipart/form-data",
    FORM,
    "application/json; charset=utf-7",
    "x",
)
NAMED = re.compile(r'<(?:input|select|textarea)[^>]* name="([^"]+)"')


@dataclass
class Asked:
    """What one role got."""

    statuses: Counter[int] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)


class Fuzzer:
    """Makes requests by chance, and counts the answers."""

    def __init__(self, world: Any, seed: int) -> None:
        from tests.permissions.expected import NOBODY, ROUTES
        from tests.permissions.matrix import routes, values_of
        from tests.permissions.odd_values import PARAMETERS, bodies, shape

        self.world, self.chance, self.parameters = world, random.Random(seed), PARAMETERS
        known = bodies()
        self.routes = [
            (name, values_of(world, pattern), known.get(shape(path), {}))
            for name, path, pattern in routes()
            if name
        ]
        self.open = {
            role: [
                route
                for route in self.routes
                if role in frozenset.union(*ROUTES.get(route[0], (NOBODY, NOBODY)))
            ]
            for role in ROLES
        }
        self.fields = dict(self._fields())

    def _fields(self) -> Iterator[tuple[str, list[str]]]:
        """The names of the fields of each page's forms."""
        for name, values, _bodies in self.routes:
            if not name.startswith("api-"):
                answer = self._send("admin", "get", _address(name, values))
                if "html" in answer.headers.get("Content-Type", "") and not answer.streaming:
                    yield name, sorted(set(NAMED.findall(answer.content.decode())))

    def ask(self, role: str, number: int) -> Asked:
        asked = Asked()
        for _request in range(number):
            method, address, sent = self._request(role)
            errors.clear()
            try:
                status = self._send(role, method, address, **sent).status_code
            except Exception as error:
                status = 500
                errors.append(f"{type(error).__name__}: {error}")
            asked.statuses[status] += 1
            # 503: what is asked for is switched off, and says so.
            if status >= 500 and status != 503:
                asked.failed.append(
                    f"{status} {role} {method} {address} {str(sent)[:300]} {' / '.join(errors)[:600]}"
                )
        return asked

    def _request(self, role: str) -> tuple[str, str, Mapping[str, Any]]:
        """Mostly what the role may open: the rest is refused before it is read."""
        pick = self.chance.choice
        name, values, bodies = pick(self.open[role] if self.chance.random() < 0.9 else self.routes)
        if values and self.chance.random() < 0.2:
            values = {**values, pick(list(values)): pick(ODD)}
        address = _address(name, values)
        if self.chance.random() < 0.5:
            asked = [(pick(self.parameters), str(pick(ODD))) for _each in range(pick((1, 2, 3)))]
            address += "?" + urlencode(asked)
        if bodies and self.chance.random() < 0.8:
            method = pick(list(bodies))
            return method, address, {"data": self._call(bodies[method]), "content_type": "application/json"}
        if self.fields.get(name) and self.chance.random() < 0.6:
            form = {key: str(pick(ODD)) for key in self.fields[name] if self.chance.random() < 0.8}
            return "post", address, {"data": urlencode(form), "content_type": FORM}
        method = pick((*["get"] * 6, *["post"] * 3, "head", "options", "put", "patch", "delete"))
        if method in ("get", "head", "options"):
            return method, address, {}
        return method, address, {"data": json.dumps(pick(ODD)), "content_type": pick(KINDS)}

    def _call(self, body: Any) -> str:
        from tests.permissions.odd_values import places, put

        for _change in range(self.chance.choice((1, 1, 2, 4))):
            body = put(body, self.chance.choice(list(places(body))), self.chance.choice(ODD))
        text = json.dumps(body)
        return text if self.chance.random() < 0.97 else text[: self.chance.randrange(len(text) + 1)]

    def _send(self, role: str, method: str, address: str, **sent: Any) -> Any:
        from tests.permissions.matrix import everything_undone

        headers = {"idempotency-key": str(self.chance.getrandbits(64))}
        with everything_undone():
            answer = self.world.browser(role).generic(method.upper(), address, headers=headers, **sent)
            if answer.streaming:
                for _part in answer:
                    pass
        return answer


def _address(name: str, values: dict[str, Any]) -> str:
    """The address of a route, also with values that no link of the shop has."""
    from django.urls import NoReverseMatch, reverse

    try:
        return reverse(name, kwargs=values)
    except NoReverseMatch:
        return "/" + "/".join(quote(str(part), safe="") for part in ("x", *values.values()))


errors: list[str] = []


class _Errors(logging.Handler):
    """Keeps what is logged as an error while a request is answered."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            errors.append(f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=10_000, help="how many each role makes")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    sys.path.insert(0, str(ROOT))
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.conf import settings

    settings.ALLOWED_HOSTS = ["testserver"]
    django.setup()
    logging.getLogger().handlers = [_Errors(logging.ERROR)]
    logging.getLogger("django").handlers = []
    from django.test.utils import get_runner

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        return report(arguments.requests, arguments.seed)
    finally:
        runner.teardown_databases(databases)


def report(number: int, seed: int) -> int:
    """Print the figures of each role; how many requests failed."""
    import pytest
    from celery import Task
    from django.db import transaction

    from shop.core.folder_media import FolderMediaStorage
    from tests.permissions.world import make_world

    failed = 0
    with pytest.MonkeyPatch.context() as patch, transaction.atomic():
        patch.setattr(Task, "apply_async", lambda *args, **kwargs: None)
        # A transaction that is taken back brings no file back.
        patch.setattr(FolderMediaStorage, "delete", lambda *args: None)
        fuzzer = Fuzzer(make_world(patch), seed)
        for role in ROLES:
            started = perf_counter()
            asked = fuzzer.ask(role, number)
            counted = ", ".join(f"{count} × {status}" for status, count in sorted(asked.statuses.items()))
            print(
                f"{number} requests as {role} in {perf_counter() - started:.0f} s: {counted}; "
                f"{len(asked.failed)} failed",
                *asked.failed,
                sep="\n  ",
                flush=True,
            )
            failed += len(asked.failed)
        transaction.set_rollback(True)
    return failed


if __name__ == "__main__":
    sys.exit(min(1, main()))
