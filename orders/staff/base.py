"""What the pages of the staff area share: what is carried out and said, forms, links, and the page that asks."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise

from orders.stripe import gateway
from shop.core.problems import Problem
from shop.core.row_keys import read_key

PROVIDER_AWAY = "Le service de paiement ne répond pas\u00a0: rien n'a changé. Réessayez."
NOTED = "C'est noté."


@dataclass(frozen=True, slots=True)
class PageLink:
    """A button that leads to a page."""

    label: str | Promise
    url: str


def order_url(order_id: uuid.UUID) -> str:
    """Return the address of the order's own page."""
    return reverse("staff-order", args=[order_id])


def row_number(text: str) -> int:
    """Return the key that an address or a hidden field names; 0, which no row has, when it is none."""
    return read_key(text) or 0


def carry_out(request: HttpRequest, act: Callable[[], object], done: str | Promise = NOTED) -> bool:
    """Call `act` and show `done`, or why it was refused. Return whether it was carried out."""
    try:
        act()
    except gateway.GatewayError:
        messages.error(request, PROVIDER_AWAY)
    except Problem as problem:
        messages.error(request, problem.detail)
    else:
        messages.success(request, str(done))
        return True
    return False


class DayInput(forms.DateInput):
    """The browser's own field for a day."""

    input_type = "date"

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs, format="%Y-%m-%d")


class DayField(forms.DateField):
    """A day as browsers send it, YYYY-MM-DD."""

    widget = DayInput
    input_formats = ["%Y-%m-%d"]


def ask_page(
    request: HttpRequest,
    *,
    title: str | Promise,
    back: str,
    submit: str | Promise = "Enregistrer",
    form: forms.Form | None = None,
    template: str = "staff/ask.html",
    **values: Any,
) -> HttpResponse:
    """Draw a page that does one thing: says what will happen, asks what it needs, and leads back.

    `sentences` of `values` stand above the form; a template of its own fills the block `ask`.
    """
    context = {"title": title, "back": back, "submit": submit, "form": form, **values}
    return render(request, template, context)
