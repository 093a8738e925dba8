"""Carts that a browser has priced."""

import json

from django.test import Client


def quote(client: Client, lines, language="fr", **more):
    return client.post(
        "/api/cart/quote",
        json.dumps({"lines": lines, **more}),
        content_type="application/json",
        headers={"accept-language": language},
    )
