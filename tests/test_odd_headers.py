"""Headers that no honest client sends, as a WSGI server hands them on (bytes read as Latin-1): never a 500.

NUL and line breaks are not among them: gunicorn refuses them itself.
"""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from gunicorn.app.wsgiapp import WSGIApplication
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader
from gunicorn.http.wsgi import create

from orders.tests.factories import checkout_body, line, make_product, make_zones

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]

ODD = {
    "Latin-1": b"\xe9",
    "UTF-8": "é€😀".encode(),
    "no UTF-8": b"\xff\xfe\xc3",
    "digits of another script": "٣".encode(),
    "long": b"a" * 10_000,
    "many parts": b"a=b;," * 2_000,
    "a number without end": b"9" * 5_000,
    "quotes": b'"\'\\";q=\xe9;=',
    "empty": b"",
}
TOGETHER = (
    "ACCEPT", "ACCEPT_ENCODING", "ACCEPT_LANGUAGE", "AUTHORIZATION", "IDEMPOTENCY_KEY", "IF_MODIFIED_SINCE",
    "IF_NONE_MATCH", "IF_UNMODIFIED_SINCE", "IF_MATCH", "RANGE", "REFERER", "USER_AGENT", "X_FORWARDED_FOR",
    "X_FRAGMENT", "X_REQUEST_ID", "X_REQUESTED_WITH", "STRIPE_SIGNATURE",
)  # fmt: skip
ALONE = (
    "HTTP_HOST", "HTTP_ORIGIN", "HTTP_X_CSRFTOKEN", "HTTP_X_FORWARDED_PROTO", "HTTP_COOKIE", "CONTENT_TYPE",
    "CONTENT_LENGTH", "QUERY_STRING", "REMOTE_ADDR",
)  # fmt: skip
"""Those that may have a request refused before the others are read."""
COOKIES = ("sessionid", "csrftoken", "messages", "django_language", "language", "cart")


def call(method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """One request through the handler that gunicorn calls."""
    answered: list[str] = []
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": "",
        "SERVER_NAME": "testserver", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "testserver",
        "REMOTE_ADDR": "127.0.0.1", "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(), "wsgi.multithread": True, "wsgi.multiprocess": True, "wsgi.run_once": False,
        **headers,
    }  # fmt: skip
    answer = _handler()(environ, lambda status, _headers, _info=None: answered.append(status))
    content = b"".join(answer)
    answer.close()
    return int(answered[0].split()[0]), content


@cache
def _handler() -> WSGIHandler:
    handler = WSGIHandler.__new__(WSGIHandler)
    handler.load_middleware()
    return handler


@pytest.fixture
def asked(settings) -> list[tuple[str, str, bytes]]:
    settings.DEBUG = False
    settings.DEBUG_PROPAGATE_EXCEPTIONS = False
    settings.TRUSTED_PROXIES = 1
    make_zones()
    product = make_product(price="60.00")
    order = json.dumps(checkout_body([line(product)], "60.00")).encode()
    quote = json.dumps({"lines": [line(product)]}).encode()
    return [
        ("GET", "/", b""),
        ("GET", f"/produit/{product.pk}", b""),
        ("GET", "/api/me", b""),
        ("GET", "/api/products", b""),
        ("POST", "/api/cart/quote", quote),
        ("POST", "/api/checkout", order),
        ("POST", "/api/contact", b"{}"),
        ("POST", "/webhooks/stripe", b"{}"),
        ("POST", "/contact", b"name=x"),
        ("GET", "/auth", b""),
    ]


def test_odd_headers_of_any_page_or_call_answer_no_500(asked):
    for case, value in ODD.items():
        odd = {f"HTTP_{name}": value.decode("latin-1") for name in TOGETHER}
        for method, path, body in asked:
            status, content = call(method, path, body, **odd)
            assert status < 500, (method, path, case, content[:300])


@pytest.mark.parametrize("header", ALONE)
def test_an_odd_header_that_is_read_first_answers_no_500(asked, header):
    for case, value in ODD.items():
        for method, path, body in asked[4:9]:
            status, content = call(method, path, body, **{header: value.decode("latin-1")})
            assert status < 500, (method, path, case, content[:300])


def test_odd_cookies_and_multipart_boundaries_answer_no_500(asked):
    for case, value in ODD.items():
        odd = value.decode("latin-1")
        cookies = "; ".join(f"{name}={odd}" for name in COOKIES)
        for method, path, body in asked[:6]:
            status, content = call(method, path, body, HTTP_COOKIE=cookies)
            assert status < 500, (method, path, case, content[:300])
        for content_type in (f"multipart/form-data; boundary={odd}", f"application/json; charset={odd}", odd):
            for path in ("/contact", "/api/contact", "/api/checkout", "/webhooks/stripe"):
                status, content = call("POST", path, b"--x\r\n\r\n", CONTENT_TYPE=content_type)
                assert status < 500, (path, content_type[:60], content[:300])


@pytest.mark.parametrize("peer", [("127.0.0.1", 4000), ""], ids=["a proxy of this machine", "a Unix socket"])
def test_no_header_moves_the_shop_into_another_folder_or_says_that_a_call_is_encrypted(monkeypatch, peer):
    monkeypatch.setattr("sys.argv", ["gunicorn", "shop.wsgi"])
    settings = WSGIApplication().cfg
    sent = b"GET /other/produits HTTP/1.1\r\nHost: testserver\r\nSCRIPT_NAME: /other\r\nPATH_INFO: /admin\r\n"
    sent += b"X-Forwarded-Ssl: on\r\nX-Forwarded-Proto: https\r\n\r\n"
    request = Request(settings, IterUnreader([sent]), peer)
    _answer, environ = create(request, None, peer, ("127.0.0.1", 8000), settings)
    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"]) == ("", "/other/produits")
    assert environ["wsgi.url_scheme"] == "http"
    # Django reads it where TRUSTED_PROXIES says so.
    assert environ["HTTP_X_FORWARDED_PROTO"] == "https"
