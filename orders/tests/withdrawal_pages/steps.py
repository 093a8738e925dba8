"""The two steps of the withdrawal function, as a browser takes them."""

from __future__ import annotations

import re

from orders.tests.withdrawing import address_in


def typed(placed, **changes):
    return {
        "name": "Léa Martin", "order": placed.reference, "email": "lea@example.com", "scope": "all", "goods": "",
        "reason": "", **changes,
    }  # fmt: skip


def signed_in(response):
    return re.search(r'name="declaration" value="([^"]+)"', response.content.decode())[1]


def confirm(client, step, language="fr"):
    return client.post(address_in(language, "/retractation/confirmation"), {"declaration": signed_in(step)})
