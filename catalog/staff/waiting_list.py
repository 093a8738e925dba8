"""`/admin/attentes` and `/admin/favoris`: who waits for a mail about what, and which pieces are wanted."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from catalog.models import Favourite, Notice, Product
from catalog.selectors.favourites import wanted_products
from catalog.selectors.notices import SUBJECT
from catalog.services.waiting_list import delete_wish
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

NOTICES = (
    Part("en-attente", "En attente", lambda rows: rows.filter(confirmed_at__isnull=False, sent_at=None)),
    Part("a-confirmer", "À confirmer", lambda rows: rows.filter(confirmed_at=None)),
    Part("prevenus", "Prévenus", lambda rows: rows.filter(sent_at__isnull=False)),
    Part("tous", "Tous"),
)
FAVOURITES = (
    Part("tous", "Tous"),
    Part("a-prevenir", "À prévenir du retour", lambda rows: rows.filter(notify_when_back=True)),
)
_NAMES = tuple(f"name_{language}" for language in settings.MODELTRANSLATION_LANGUAGES)
SEARCHED = ("email", *(f"{what}__{name}" for what in ("product", "category") for name in _NAMES))


@staff_page(StaffAction.SEE_WAITING_LIST)
def notices_page(request: HttpRequest) -> HttpResponseBase:
    """Mails that visitors asked for, the latest first. One query for the rows."""
    rows = Notice.objects.select_related(*SUBJECT)
    context = {
        "list": staff_list(request, rows, NOTICES, searched=SEARCHED, moment="asked_at"),
        "may_delete": may(request.user, StaffAction.DELETE_FROM_WAITING_LIST),
    }
    return render(request, "staff/waiting_list/notices.html", context)


@staff_page(StaffAction.DELETE_FROM_WAITING_LIST, WRITE)
def notice_delete(request: HttpRequest, notice_id: int) -> HttpResponseBase:
    """Ask, then delete a wish and its address, as its owner's link does."""
    notice = get_object_or_404(Notice.objects.select_related(*SUBJECT), pk=notice_id)
    return _delete(request, notice, f"L'alerte de {notice.email}", reverse("staff-waiting-list"))


@staff_page(StaffAction.SEE_WAITING_LIST)
def favourites_page(request: HttpRequest) -> HttpResponseBase:
    """Pieces by how many members saved them. One query."""
    return render(request, "staff/waiting_list/favourites.html", {"products": wanted_products()})


@staff_page(StaffAction.SEE_WAITING_LIST)
def product_favourites_page(request: HttpRequest, product_id: int) -> HttpResponseBase:
    """The members who saved a piece. Two queries."""
    product = get_object_or_404(Product, pk=product_id)
    rows = Favourite.objects.filter(product=product).select_related("user")
    context = {
        "product": product,
        "list": staff_list(request, rows, FAVOURITES, searched=("user__email",), moment="created_at"),
        "may_delete": may(request.user, StaffAction.DELETE_FROM_WAITING_LIST),
    }
    return render(request, "staff/waiting_list/members.html", context)


@staff_page(StaffAction.DELETE_FROM_WAITING_LIST, WRITE)
def favourite_delete(request: HttpRequest, favourite_id: int) -> HttpResponseBase:
    """Ask, then take a piece out of a member's list."""
    row = Favourite.objects.select_related("user", "product").filter(pk=favourite_id).first()
    if row is None:
        raise Http404
    back = reverse("staff-product-favourites", args=[row.product_id])
    return _delete(request, row, f"Le favori de {row.user.email}", back)


def _delete(request: HttpRequest, row: Notice | Favourite, what: str, back: str) -> HttpResponseBase:
    if request.method == "POST":
        delete_wish(row=row, actor=cast(AbstractBaseUser, request.user))
        messages.success(request, "Supprimé.")
        return redirect(back)
    context: dict[str, Any] = {
        "title": "Supprimer\u00a0?",
        "back": back,
        "submit": "Supprimer",
        "danger": True,
        "sentences": [
            f"{what} et son adresse disparaissent de la liste\u00a0: la personne ne reçoit plus rien à ce sujet."
        ],
    }
    return render(request, "staff/ask.html", context)
