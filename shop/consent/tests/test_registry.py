"""What Python and TypeScript really store is what the registry says, and nothing of it is only said."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from shop.consent.registry import THIRD_PARTIES, Storage, necessary_items

BASE = Path(settings.BASE_DIR)
APPS = ("accounts", "blog", "catalog", "orders", "shop")
# What the framework sets by its own settings; their middleware is installed.
OF_DJANGO = {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "messages"}
STORES = {
    "localStorage": Storage.LOCAL,
    "browserStore": Storage.LOCAL,
    "sessionStorage": Storage.SESSION,
    "tabStore": Storage.SESSION,
}


def python_files() -> Iterator[Path]:
    for app in APPS:
        yield from (path for path in (BASE / app).rglob("*.py") if "tests" not in path.parts)


def cookies_set_by(path: Path) -> Iterator[str]:
    """The names of `set_cookie` and `set_signed_cookie`: text, a setting, or a constant of the module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in ("set_cookie", "set_signed_cookie"):
            continue
        name: Any = node.args[0]
        if isinstance(name, ast.Constant):
            yield str(name.value)
        elif isinstance(name, ast.Attribute) and ast.unparse(name.value) == "settings":
            yield str(getattr(settings, name.attr))
        else:
            module = importlib.import_module(".".join(path.relative_to(BASE).with_suffix("").parts))
            yield str(getattr(module, ast.unparse(name)))


def scripts() -> dict[str, str]:
    """Sources by path, without their comments."""
    return {
        str(path.relative_to(BASE)): re.sub(
            r"/\*[\s\S]*?\*/|^\s*//.*", "", path.read_text(encoding="utf-8"), flags=re.M
        )
        for path in (BASE / "frontend_islands").rglob("*.ts*")
        if ".test." not in path.name and "testing" not in path.parts
    }


def keys_written() -> Iterator[tuple[str, Storage]]:
    """Every key given to `setItem` or a store's `write`, resolved to its text; `*` for what is put behind a prefix."""
    files = scripts()
    constants = {
        path: dict(re.findall(r"const (\w+) = \"([^\"]+)\"", source)) for path, source in files.items()
    }
    for path, source in files.items():
        known = {
            name: text
            for imported in re.findall(r"from \"([.@]/[^\"]+)\"", source)
            for name, text in constants.get(module(path, imported), {}).items()
        } | constants[path]
        calls = [
            (STORES[store], name)
            for store, name in re.findall(r"\b(\w+Storage|\w+Store)\.(?:setItem|write)\(([^,]+),", source)
        ]
        calls += [(Storage.SESSION, name) for name in re.findall(r"\bwriteTab\((\w+),", source)]
        for storage, name in calls:
            # The function that hands its callers' names on.
            if path.endswith("/tab-memory.ts") and name == "key":
                continue
            first, plus, _rest = name.partition(" + ")
            assert first in known, f"{path}: write the key {name} as a constant"
            yield known[first] + ("*" if plus else ""), storage


def module(path: str, imported: str) -> str:
    folder = "frontend_islands" if imported.startswith("@") else str(Path(path).parent)
    return f"{folder}/{imported.partition('/')[2]}.ts"


def registered() -> set[tuple[str, Storage]]:
    return {(item.name, item.storage) for item in necessary_items()}


def test_every_cookie_that_python_sets_is_registered_and_every_registered_one_is_set():
    found = {name for path in python_files() for name in cookies_set_by(path)} | OF_DJANGO
    assert found == {name for name, storage in registered() if storage == Storage.COOKIE}


def test_every_key_that_scripts_store_is_registered_and_every_registered_one_is_stored():
    assert set(keys_written()) == {each for each in registered() if each[1] != Storage.COOKIE}


def test_scripts_store_by_no_other_means():
    """Cookies of scripts only end one (`notice`, what a withdrawal deletes); no databases, no caches."""
    for path, source in scripts().items():
        for cookie in re.findall(r"document\.cookie = .*", source):
            assert "Max-Age=0" in cookie, path
        assert not re.search(r"\b(indexedDB|caches\.open|cookieStore\.set|navigator\.storage)\b", source), (
            path
        )
        stored = re.findall(r"\b(?:area\(\)|localStorage|sessionStorage)(?:\[|\.\w+ = )", source)
        assert stored == [], path


def test_a_third_party_stands_in_no_page_and_only_in_the_module_that_loads_it():
    hosts = {
        host.removeprefix("https://").lstrip("*.")
        for party in THIRD_PARTIES
        for each in party.hosts.values()
        for host in each
    }
    templates = [path for path in (BASE / "templates").rglob("*") if path.is_file()]
    named = {
        str(path.relative_to(BASE))
        for path in [*templates, *(BASE / name for name in scripts())]
        if any(host in path.read_text(encoding="utf-8") for host in hosts)
    }
    assert named == {"frontend_islands/consent/measure.ts"}


def test_pages_load_nothing_from_another_host():
    loads = re.compile(
        r"<(?:script|img|iframe|link|source|video|audio|embed|object)\b[^>]*(?:src|srcset|href|data)=\"(?:https?:)?//"
    )
    breaches = [
        str(path.relative_to(BASE))
        for path in (BASE / "templates").rglob("*.html")
        if loads.search(path.read_text(encoding="utf-8"))
    ]
    assert breaches == []


@pytest.mark.parametrize("party", THIRD_PARTIES, ids=lambda party: party.code)
def test_a_service_is_allowed_by_whole_https_hosts_alone(party):
    assert set(party.hosts) <= {"script-src", "img-src", "connect-src"}
    for hosts in party.hosts.values():
        assert all(re.fullmatch(r"https://(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+", host) for host in hosts)
    assert not any("*" in host for host in party.hosts["script-src"])
