"""Calls of staff in the tests of the catalogue, which knows people only by what they may do."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from catalog.models import Product
from shop.core.staff_actions import StaffAction

PRODUCTS = "/api/admin/products"


def staff_browser(*actions: StaffAction, email: str = "equipe@example.com") -> Client:
    """A browser of somebody with access to the administration who may do these actions; all without any."""
    user = get_user_model().objects.create_user(email, "figurine-atelier-2026")
    user.is_staff = True
    user.is_superuser = not actions
    user.save()
    for action in actions:
        app, _dot, codename = action.value.partition(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
    browser = Client()
    browser.force_login(user)
    return browser


def send(
    browser: Client, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> Any:
    """The answer to a call with a JSON body."""
    return browser.generic(
        method.upper(),
        f"{PRODUCTS}{path}",
        json.dumps(body or {}),
        content_type="application/json",
        headers=headers,
    )


def names(answer) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [row["name"] for row in answer.json()["results"]]


def columns(product: Product) -> dict:
    return Product.objects.filter(pk=product.pk).values().get()


def sent(client: Client, page: str, **changes: Any) -> dict[str, Any]:
    """What a browser sends of a page that was just opened."""
    context = client.get(page).context
    values = {field.name: field.value() for field in context["form"]}
    body = {name: value for name, value in values.items() if value not in (None, False)}
    body |= {"seen": context["seen"] or "", "features-TOTAL_FORMS": "0", "features-INITIAL_FORMS": "0"}
    return body | changes
