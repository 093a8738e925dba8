"""Forms that carry too much are refused before they are read."""

import pytest
from django.test import Client

from shop.core import uploads

FORM = b'--x\r\nContent-Disposition: form-data; name="kind"\r\n\r\nquestion\r\n--x--\r\n'


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/contact", "/api/contact"])
@pytest.mark.parametrize(("size", "status"), [(0, 200), (1, 413)])
def test_a_form_has_a_bound(monkeypatch: pytest.MonkeyPatch, path: str, size: int, status: int) -> None:
    monkeypatch.setattr(uploads, "LIMIT", len(FORM) - size)
    answer = Client().post(path, FORM, content_type="multipart/form-data; boundary=x")
    # Within the bound the form is read, and lacks its fields: a page that says so, or a 400 that names them.
    reads_api = path.startswith("/api/")
    assert answer.status_code == (400 if reads_api and not size else status)
    if reads_api:
        assert answer.json()["code"] == ("too_large" if size else "invalid")


@pytest.mark.django_db
def test_the_operators_address_has_no_wider_bound_before_anybody_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uploads, "LIMIT", len(FORM) - 1)
    # Whoever brings a cookie has the form read for its token.
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32
    answer = client.post("/gestion/login/", FORM, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 413
