"""The member area: joins who somebody is with what they ordered."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.notices import leave_toast
from catalog.selectors.favourites import favourite_cards
from catalog.services.favourites import choose_return_mails
from orders.selectors.orders import member_history, member_orders

TABS = ("orders", "favoris", "profile")


@require_safe
@never_cache
@login_required
def members_page(request: HttpRequest) -> HttpResponse:
    """`/espace-membre?tab=orders|favoris|profile`; an unknown tab shows the orders."""
    user = cast(User, request.user)
    asked = request.GET.get("tab", "")
    tab = asked if asked in TABS else "orders"
    context = {
        "tab": tab,
        "member": user,
        "orders": member_orders(user) if tab == "orders" else (),
        "history": member_history(user) if tab == "orders" else (),
        "favourites": favourite_cards(user.pk) if tab == "favoris" else (),
        "breadcrumbs": [(_("Accueil"), reverse("home")), (_("Espace membre"), None)],
    }
    return render(request, "pages/members.html", context)


@require_POST
@never_cache
@login_required
def return_mails(request: HttpRequest) -> HttpResponse:
    """`POST /espace-membre/favoris`: the favourites whose keys come as `notify` are written about when they are back,
    the others are not."""
    keys = [value for value in request.POST.getlist("notify") if value.isascii() and value.isdecimal()]
    choose_return_mails(
        user_id=cast(User, request.user).pk,
        product_ids=[int(key) for key in keys if len(key) < 19],
        language=get_language() or "",
    )
    response = HttpResponseRedirect(f"{reverse('members')}?tab=favoris", status=303)
    leave_toast(response, "return_mails_saved")
    return response
