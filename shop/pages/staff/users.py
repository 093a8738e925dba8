"""`/admin/utilisateurs`: who has an account, which role they hold, and whether they may sign in."""

from __future__ import annotations

import logging
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db import DatabaseError
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import Role, User
from accounts.recent_authentication import ask_again
from accounts.selectors import find_users, role_of, user_with_role
from accounts.services import grant_role, set_blocked
from shop.core.keyset import BadCursor, KeysetPage
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_pages import staff_page
from shop.pages.selectors.staff_users import paid_orders_of

logger = logging.getLogger(__name__)

NOT_LOADED = "Impossible de charger les utilisateurs"
NOT_CHANGED = "Erreur lors de la modification du rôle"
MEANWHILE = "Le rôle a changé entre-temps\u00a0: relisez-le ci-dessous. Rien n'a été modifié."
PAGE_SIZE = 30
ROLES = (("", "Tous"), ("admin", "Admin"), ("staff", "Équipe"), ("user", "Membre"))
# What a role allows, said before it is given.
EFFECTS = {
    Role.ADMIN: "Tout\u00a0: prix, remboursements, réglages, comptes et rôles. "
    "Il lui faudra une seconde étape de connexion.",
    Role.STAFF: "Préparer et expédier les commandes, répondre aux messages, tenir le stock. "
    "Ni prix, ni remboursements, ni réglages.",
    Role.USER: "Rien de l'administration\u00a0: seulement son espace membre.",
}


class RoleForm(forms.Form):
    """The role to give, and the one that was on screen."""

    role = forms.ChoiceField(choices=Role.choices)
    seen = forms.ChoiceField(choices=Role.choices)


@staff_page(StaffAction.SEE_USERS)
def user_list(request: HttpRequest) -> HttpResponseBase:
    search = request.GET.get("recherche", "").strip()[:100]
    role = request.GET.get("role", "")
    role = role if role in Role.values else ""
    found: KeysetPage[User] = KeysetPage([], "")
    counts, failure = {}, ""
    try:
        found = find_users(
            search=search, role=role, cursor=request.GET.get("suite", "")[:200], page_size=PAGE_SIZE
        )
        counts = paid_orders_of(user.pk for user in found.rows)
    except BadCursor:
        return redirect("staff-users")
    except DatabaseError:
        logger.exception("the accounts could not be listed")
        failure = NOT_LOADED
    context: dict[str, Any] = {
        "rows": [(user, role_of(user), counts.get(user.pk, 0)) for user in found.rows],
        "next_cursor": found.next_cursor,
        "roles": ROLES,
        "role": role,
        "search": search,
        "failure": failure,
    }
    return render(request, "staff/users/list.html", context, status=503 if failure else 200)


@staff_page(StaffAction.SEE_USERS)
def user_detail(request: HttpRequest, user_id: int) -> HttpResponseBase:
    user = _found(user_id)
    orders_url = f"{reverse('staff-orders')}?{urlencode({'q': user.email})}"
    context = {
        "person": user,
        "role": role_of(user),
        "roles": [(role, role.label, EFFECTS[role]) for role in Role],
        "orders": paid_orders_of([user.pk]).get(user.pk, 0),
        "orders_url": orders_url if may(request.user, StaffAction.SEE_ORDERS) else "",
        "may_change_role": may(request.user, StaffAction.CHANGE_ROLES) and not user.is_closed,
        "may_block": may(request.user, StaffAction.BLOCK_USER) and not user.is_staff and not user.is_closed,
        "may_see_audit": may(request.user, StaffAction.SEE_AUDIT),
    }
    return render(request, "staff/users/detail.html", context)


@staff_page(StaffAction.CHANGE_ROLES, ("POST",))
def change_role(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """Say what the role will do, ask for the second factor again, then give it."""
    user = _found(user_id)
    form = RoleForm(request.POST)
    if not form.is_valid() or form.cleaned_data["seen"] != role_of(user):
        messages.error(request, MEANWHILE if form.is_valid() else NOT_CHANGED)
        return redirect("staff-user", user_id)
    role = Role(form.cleaned_data["role"])
    if "confirmed" not in request.POST:
        context = {
            "person": user,
            "role": role,
            "label": role.label,
            "before": role_of(user),
            "effect": EFFECTS[role],
            "is_self": user.pk == request.user.pk,
        }
        return render(request, "staff/users/confirm_role.html", context)
    if answer := ask_again(request):
        return answer
    try:
        grant_role(user=user, role=role, changed_by=cast(User, request.user))
    except Problem as problem:
        messages.error(request, problem.detail)
    except DatabaseError:
        logger.exception("the role of account %s could not be changed", user_id)
        messages.error(request, NOT_CHANGED)
    else:
        messages.success(request, f"{user.email} a maintenant le rôle {role.label}.")
        if user.pk == request.user.pk:
            return redirect("home")
    return redirect("staff-user", user_id)


@staff_page(StaffAction.BLOCK_USER, ("POST",))
def block(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """Close the account to its owner, or open it again: `bloquer` is `oui` or `non`."""
    user = _found(user_id)
    blocked = request.POST.get("bloquer") == "oui"
    if blocked and "confirmed" not in request.POST:
        return render(request, "staff/users/confirm_block.html", {"person": user})
    try:
        set_blocked(user=user, blocked=blocked, changed_by=cast(User, request.user))
    except Problem as problem:
        messages.error(request, problem.detail)
    else:
        messages.success(request, "Compte bloqué." if blocked else "Compte débloqué.")
    return redirect("staff-user", user_id)


def _found(user_id: int) -> User:
    user = user_with_role(user_id)
    if user is None:
        raise Http404
    return user
