"""Of those who miss a page or a fragment at once, one makes it; one whose seconds alone are over is shown meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from shop.core import content_version as content_version_module
from shop.core import public_pages
from shop.core.content_version import SHARED_SECONDS, agreed_content_version, content_version
from shop.core.fragment_cache import FragmentCache, cached_content, cached_fragment, fragments_of
from shop.core.public_pages import PublicPageMiddleware, public_page


@pytest.fixture(autouse=True)
def page_cache(settings: Any, monkeypatch: pytest.MonkeyPatch, time_machine: Any) -> FragmentCache[Any, Any]:
    # Nothing is shown beyond midnight.
    time_machine.move_to("2026-11-23T12:00:00+01:00")
    settings.PAGE_CACHE_SECONDS = settings.FRAGMENT_CACHE_SECONDS = 60
    page_cache: FragmentCache[Any, Any] = FragmentCache(10)
    monkeypatch.setattr(public_pages, "page_cache", page_cache)
    monkeypatch.setattr("shop.core.fragment_cache._fragments", FragmentCache(10))
    monkeypatch.setattr("shop.core.boundaries._registry", {})
    return page_cache


class SlowPage:
    """A public page that is made when `go` is set; `made` counts how often."""

    def __init__(self) -> None:
        self.begun, self.go, self.made = Event(), Event(), 0
        self.answer = PublicPageMiddleware(public_page()(self.view))

    def view(self, request: HttpRequest) -> HttpResponse:
        self.begun.set()
        assert self.go.wait(10)
        self.made += 1
        return HttpResponse(f"page {self.made}")

    def ask(self) -> bytes:
        response = self.answer(RequestFactory().get("/page", headers={"host": "localhost"}))
        assert isinstance(response, HttpResponse)
        return response.content


def in_threads(number: int, call: Callable[[], bytes]) -> tuple[list[Thread], list[bytes]]:
    answers: list[bytes] = []
    threads = [Thread(target=lambda: answers.append(call())) for _ in range(number)]
    for thread in threads:
        thread.start()
    return threads, answers


def test_a_page_that_many_ask_for_at_once_is_made_once():
    page = SlowPage()
    threads, answers = in_threads(8, page.ask)
    assert page.begun.wait(10)
    page.go.set()
    for thread in threads:
        thread.join(10)
    assert answers == [b"page 1"] * 8
    assert page.made == 1


def test_a_page_whose_seconds_are_over_is_shown_while_one_makes_the_next(settings, monkeypatch):
    page = SlowPage()
    page.go.set()
    assert page.ask() == b"page 1"
    later = monotonic() + settings.PAGE_CACHE_SECONDS + 1
    monkeypatch.setattr("shop.core.fragment_cache.monotonic", lambda: later)
    page.go.clear()
    page.begun.clear()
    threads, answers = in_threads(1, page.ask)
    assert page.begun.wait(10)
    assert page.ask() == b"page 1"
    page.go.set()
    threads[0].join(10)
    assert answers == [b"page 2"]
    assert page.ask() == b"page 2"


def test_a_page_from_before_a_change_is_never_shown_while_the_next_is_made(monkeypatch):
    page = SlowPage()
    page.go.set()
    assert page.ask() == b"page 1"
    monkeypatch.setattr(public_pages, "content_version", lambda: "another")
    page.go.clear()
    page.begun.clear()
    threads, answers = in_threads(2, page.ask)
    assert page.begun.wait(10)
    page.go.set()
    for thread in threads:
        thread.join(10)
    assert answers == [b"page 2", b"page 2"]


def test_a_page_that_fails_leaves_nobody_waiting():
    def broken(request: HttpRequest) -> HttpResponse:
        raise LookupError

    answer = PublicPageMiddleware(public_page()(broken))
    request = RequestFactory().get("/page", headers={"host": "localhost"})
    for _ in range(2):
        with pytest.raises(LookupError):
            answer(request)
    assert public_pages._makers._under_way == {}


def test_a_fragment_that_is_none_is_read_once():
    reads = []
    with fragments_of("1"):
        for _ in range(3):
            assert cached_fragment(lambda: reads.append(1), "nothing") is None
    assert reads == [1]


def test_content_read_elsewhere_is_of_the_version_of_now(monkeypatch):
    assert cached_content(lambda: "before", "words") == "before"
    assert cached_content(lambda: "not read", "words") == "before"
    monkeypatch.setattr("shop.core.fragment_cache.content_version", lambda: "another")
    assert cached_content(lambda: "after", "words") == "after"


def test_content_that_another_release_read_is_not_taken_for_this_one_s(monkeypatch):
    assert cached_content(lambda: "before", "words") == "before"
    monkeypatch.setattr("shop.core.fragment_cache.code_fingerprint", lambda: "another")
    assert cached_content(lambda: "after", "words") == "after"


def test_a_page_without_fragments_asks_the_cache_once_for_the_same_content(settings, monkeypatch):
    settings.FRAGMENT_CACHE_SECONDS = 0
    asked = []
    monkeypatch.setattr("shop.core.fragment_cache.cache.get", asked.append)
    for _page in range(2):
        with fragments_of("1"):
            for _card in range(3):
                assert cached_content(lambda: "places", "places") == "places"
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("path", "seconds"), [("/admin/catalogue", [2]), ("/api/admin/search", [2]), ("/api/checkout", [])]
)
def test_a_change_by_staff_is_answered_when_no_proxy_shows_the_page_before(
    settings, monkeypatch, path, seconds
):
    settings.PROXY_CACHE_SECONDS = 1
    slept: list[float] = []
    monkeypatch.setattr(public_pages, "sleep", slept.append)
    versions = iter(["1", "2"])
    monkeypatch.setattr(public_pages, "current_content_version", lambda: next(versions))
    PublicPageMiddleware(lambda request: HttpResponse("saved"))(RequestFactory().post(path))
    assert slept == seconds


class OtherProcesses:
    """The version that they share, as Redis holds it; `asked` counts how often this process looks. While it `is_away`
    from this process, nothing is found and what is written is lost."""

    def __init__(self) -> None:
        self.value, self.asked, self.is_away = 1, 0, False

    def get(self, key: str) -> int | None:
        self.asked += 1
        return None if self.is_away else self.value

    def add(self, key: str, value: int, timeout: None) -> None:
        assert self.is_away

    def set(self, key: str, value: int, timeout: None) -> None:
        self.value = self.value if self.is_away else value

    def delete(self, key: str) -> None:
        self.value = self.value if self.is_away else 0


@pytest.fixture
def others(settings: Any, monkeypatch: pytest.MonkeyPatch) -> OtherProcesses:
    settings.REDIS_URL = "redis://127.0.0.1:9"
    others = OtherProcesses()
    monkeypatch.setattr("shop.core.content_version.caches", {"shared": others})
    monkeypatch.setattr("shop.core.content_version._known", (0.0, None))
    return others


def test_the_version_of_other_processes_is_asked_for_once_a_moment(others, monkeypatch):
    clock = {"now": 100.0}
    monkeypatch.setattr("shop.core.content_version.monotonic", lambda: clock["now"])
    assert [content_version(), content_version()] == ["1", "1"]
    others.value = 2
    clock["now"] += SHARED_SECONDS - 0.001
    assert (content_version(), others.asked) == ("1", 1)
    clock["now"] += 0.001
    assert (content_version(), others.asked) == ("2", 2)


def test_what_this_process_changes_it_sees_at_once(others, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    assert content_version() == "1"
    content_version_module._change()
    assert others.value > 1
    assert content_version() == str(others.value)


def test_what_redis_did_not_hear_of_is_told_by_whoever_reaches_it_next(others, settings, tmp_path):
    """One slow answer is enough for a process to leave Redis alone for seconds, while others go on asking it."""
    settings.DATA_DIR = tmp_path
    assert agreed_content_version() == "1"
    others.is_away = True
    content_version_module._change()
    assert (agreed_content_version(), others.value) == (None, 1)
    others.is_away = False
    told = agreed_content_version()
    assert (told, others.value > 1) == (str(others.value), True)
    assert agreed_content_version() == told


@pytest.mark.parametrize(
    ("path", "is_changed", "seconds"),
    [
        ("/admin/catalogue", True, [SHARED_SECONDS]),
        ("/admin/catalogue", False, []),
        ("/api/checkout", True, []),
    ],
)
def test_a_change_by_staff_is_answered_when_every_process_asks_again(
    others, monkeypatch, path, is_changed, seconds
):
    """Even what this process knows from a moment ago, when a thread of it asked just before the change."""
    slept: list[float] = []
    monkeypatch.setattr(public_pages, "sleep", slept.append)

    def save(request: HttpRequest) -> HttpResponse:
        assert content_version() == "1"
        others.value += is_changed
        return HttpResponse("saved")

    PublicPageMiddleware(save)(RequestFactory().post(path))
    assert slept == seconds


@pytest.mark.parametrize(
    ("seconds", "header"),
    [(0, "public, no-cache"), (1, "public, max-age=0, s-maxage=1, stale-if-error=3600")],
)
def test_proxies_keep_pages_as_long_as_they_are_told_to(settings, seconds, header):
    settings.PROXY_CACHE_SECONDS = seconds
    answer = PublicPageMiddleware(public_page()(lambda request: HttpResponse("page")))
    response = answer(RequestFactory().get("/page", headers={"host": "localhost"}))
    assert response.headers["Cache-Control"] == header
    assert content_version() is not None
