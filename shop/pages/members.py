"""The member area: joins who somebody is with what they ordered."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User
from orders.selectors.orders import member_history, member_orders

TABS = ("orders", "profile")


@require_safe
@never_cache
@login_required
def members_page(request: HttpRequest) -> HttpResponse:
    """`/espace-membre?tab=orders|profile`; an unknown tab shows the orders."""
    user = cast(User, request.user)
    tab = request.GET.get("tab", "")
    context = {
        "tab": tab if tab in TABS else "orders",
        "member": user,
        "orders": member_orders(user),
        "history": member_history(user),
        "breadcrumbs": [(_("Accueil"), reverse("home")), (_("Espace membre"), None)],
    }
    return render(request, "pages/members.html", context)
