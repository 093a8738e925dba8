"""`/admin/cles-api`: the keys of programs, made and revoked."""

from __future__ import annotations

from datetime import date
from typing import cast

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.recent_authentication import ask_again
from shop.core.problems import InvalidFields, Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_pages import WRITE, staff_page
from shop.integrations.keys import NewKey, all_keys, create_api_key, revoke_api_key
from shop.integrations.models import Scope
from shop.integrations.repeated_calls import make_once_for_staff

MADE_BEFORE = (
    "Cette clé est déjà créée, et ne peut plus être affichée. Si vous ne l'avez pas copiée, révoquez-la, puis créez-en "
    "une autre."
)


@staff_page(StaffAction.SEE_AUTOMATION, WRITE)
@sensitive_variables("made")
def api_keys(request: HttpRequest) -> HttpResponseBase:
    """Lists the keys; makes one, whose text is on the answer's page alone."""
    made: NewKey | None = None
    refusal: Problem | None = None
    if request.method == "POST":
        require(request.user, StaffAction.EDIT_AUTOMATION)
        if (asked := ask_again(request)) is not None:
            return asked
        name, scopes = request.POST.get("name", ""), request.POST.getlist("scopes")
        day = request.POST.get("last_day", "")

        def make() -> int:
            nonlocal made
            made = create_api_key(
                name=name, scopes=scopes, actor=cast(User, request.user), last_day=_read_day(day)
            )
            return made.row.pk

        try:
            body = {"key": name, "scopes": scopes, "last_day": day}
            if not make_once_for_staff(request, body=body, make=make).is_new:
                refusal = Problem("made_before", MADE_BEFORE, 409)
        except Problem as problem:
            refusal = problem
    context = {
        "keys": all_keys(),
        "made": made,
        "refusal": refusal,
        "name": request.POST.get("name", "") if refusal else "",
        "last_day": request.POST.get("last_day", "") if refusal else "",
        "chosen": request.POST.getlist("scopes") if refusal else [Scope.READ_PRODUCTS.value],
        "scopes": Scope.choices,
        "may_edit": may(request.user, StaffAction.EDIT_AUTOMATION),
    }
    return render(request, "staff/api_keys.html", context, status=refusal.status if refusal else 200)


def _read_day(text: str) -> date | None:
    try:
        return cast(date | None, forms.DateField(required=False).clean(text))
    except ValidationError as error:
        raise InvalidFields({"last_day": error.messages}) from error


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
def api_key_revoke(request: HttpRequest, key_id: int) -> HttpResponseBase:
    """Ends a key; a look at the address alone does nothing."""
    if request.method == "POST":
        key = revoke_api_key(key_id=key_id, actor=cast(User, request.user))
        if key is not None:
            messages.success(
                request, f"La clé «\u00a0{key.name}\u00a0» est révoquée\u00a0: elle n'ouvre plus rien."
            )
    return redirect("staff-api-keys")
