"""With DEBUG as without, a visitor reads the shop's own page and never Django's."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import path

from shop.core import errors
from shop.core.uploads import LIMIT

handler400 = errors.bad_request
handler404 = errors.page_not_found
handler500 = errors.server_error


def fail(request):
    raise RuntimeError("secret of the traceback")


urlpatterns = [
    path("fine", lambda request: HttpResponse(request.get_host())),
    path("broken", fail),
    path("api/broken", fail),
    path("form", lambda request: HttpResponse(request.POST.get("words"))),
    path("api/form", lambda request: HttpResponse(request.POST.get("words"))),
]


@pytest.fixture
def visitor(settings, client):
    settings.ROOT_URLCONF = __name__
    settings.ALLOWED_HOSTS = ["localhost"]
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize(
    ("address", "host", "status", "template"),
    [("/fine", "evil.example", 400, "errors/400.html"), ("/broken", "localhost", 500, "errors/500.html")],
)
def test_error_with_or_without_debug_shows_the_shops_page(
    visitor, settings, debug, address, host, status, template
):
    settings.DEBUG = debug
    answer = visitor.get(address, headers={"host": host})
    assert (answer.status_code, answer.content.decode()) == (status, render_to_string(template))


@pytest.mark.parametrize("debug", [False, True])
def test_error_of_a_call_with_or_without_debug_is_the_shops_problem(visitor, settings, debug):
    settings.DEBUG = debug
    answer = visitor.get("/api/broken", headers={"host": "localhost", "accept": "application/json"})
    assert answer.status_code == 500
    assert json.loads(answer.content)["code"] == "server_error"
    assert b"traceback" not in answer.content


def test_form_that_is_too_large_is_told_so(visitor):
    answer, called = (
        visitor.post(
            address, {"images": SimpleUploadedFile("a.jpg", bytes(LIMIT))}, headers={"host": "localhost"}
        )
        for address in ("/form", "/api/form")
    )
    assert (answer.status_code, answer.content.decode()) == (413, render_to_string("errors/413.html"))
    assert (called.status_code, json.loads(called.content)["code"]) == (413, "too_large")
