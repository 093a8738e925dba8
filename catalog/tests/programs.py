"""A program with a key, which writes and reads products."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from catalog.tests.factories import make_finish_category
from shop.integrations.keys import READ_AND_WRITE, NewKey, create_api_key

URL = "/functions/v1/product-automation"


class Program:
    """A client with a key."""

    def __init__(self, key: NewKey) -> None:
        self.key = key
        self.client = Client()

    def _send(self, method: str, url: str, body: Any = None, **headers: str) -> Any:
        named = {"authorization": f"Bearer {self.key.text}", "accept-language": "fr", **headers}
        call = getattr(self.client, method)
        if method == "get":
            return call(url, headers=named)
        return call(url, body, content_type="application/json", headers=named)

    def post(self, body: Any, **headers: str) -> Any:
        return self._send("post", URL, body, **headers)

    def put(self, product_id: Any, body: Any) -> Any:
        return self._send("put", f"{URL}?id={product_id}", body)

    def get(self, query: str = "") -> Any:
        return self._send("get", f"{URL}{query}")


@pytest.fixture
def program() -> Program:
    make_finish_category("mangas", offers_formats=True, name_fr="Mangas", name_en="Manga")
    return Program(create_api_key(name="Import", scopes=READ_AND_WRITE, actor=None))


def minimal(**fields: Any) -> dict[str, Any]:
    return {"name": "Golem de poche", "price": "49.99", "category": "Mangas", **fields}
