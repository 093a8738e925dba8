"""The member area: joins who somebody is with what they ordered."""

from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.notices import leave_toast, take_notice
from accounts.recent_authentication import lacks_second_factor
from accounts.selectors import addresses_of, pending_email_change
from blog.forms import choices_context
from blog.selectors.consents import latest_consents
from blog.selectors.subscribers import find_subscriber
from catalog.selectors.addresses import in_each_language
from catalog.selectors.favourites import favourite_cards
from catalog.selectors.notices import notices_of
from catalog.services.favourites import choose_return_mails, remove_favourite
from catalog.services.notices import subject_of
from orders.models import Order
from orders.models.order import PAID_STATUSES
from orders.selectors.admin_orders import find_orders
from orders.selectors.order_cards import PAGE_SIZE, order_cards, order_page
from orders.selectors.orders import member_history, member_orders
from orders.selectors.rules import country_name
from shop.core.kept_forms import members_only
from shop.core.keyset import BadCursor
from shop.core.postcodes import postcode_error, postcode_notice
from shop.core.row_keys import read_key, read_keys
from shop.core.staff_actions import StaffAction, may
from shop.pages.forms import EmailChangeForm, ProfileForm
from shop.pages.selectors.personal_data import person_of

ADMINISTRATION = "administration"
TABS = ("orders", "favoris", "profile", ADMINISTRATION)
LATEST_STEPS = 3


@members_only
@require_safe
def members_page(request: HttpRequest) -> HttpResponse:
    """`/espace-membre?tab=orders|favoris|profile|administration`; an unknown tab, and one that is not for this person,
    shows the orders."""
    user = cast(User, request.user)
    sees_orders = may(user, StaffAction.SEE_ORDERS)
    tab = request.GET.get("tab", "")
    if tab not in TABS or (tab == ADMINISTRATION and not sees_orders):
        tab = "orders"
    parts = {
        "orders": _orders,
        "favoris": _favourites,
        "profile": _profile,
        ADMINISTRATION: _administration,
    }
    return render_tab(request, tab, parts[tab](request, user))


def render_tab(request: HttpRequest, tab: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """Return the page with one of its tabs open."""
    user = cast(User, request.user)
    context |= {
        "tab": tab,
        "member": user,
        "notice": take_notice(request),
        "sees_orders": may(user, StaffAction.SEE_ORDERS),
        "breadcrumbs": [(_("Accueil"), reverse("home")), (_("Espace membre"), None)],
    }
    if request.method == "POST":
        # The address takes forms alone.
        context["alternates"] = in_each_language(lambda: f"{reverse('members')}?tab={tab}")
    return render(request, "pages/members.html", context, status=status)


def _orders(request: HttpRequest, user: User) -> dict[str, Any]:
    """The paid orders a page at a time, with the latest closed ones below the first; `partie=historique` pages these.

    Queries, however many orders: four of the list (count, then orders, lines with their products, tracking, payments:
    seven), five of the closed ones, and the parts of the cards.
    """
    is_history = request.GET.get("partie") == "historique"
    listing = order_page(
        member_history(user) if is_history else member_orders(user), request.GET.get("page", "")
    )
    paged = list(listing.object_list)
    closed: list[Order] = []
    if not is_history and listing.number == 1:
        closed = list(member_history(user)[: PAGE_SIZE + 1])
    cards = order_cards([*paged, *closed[:PAGE_SIZE]], user_id=user.pk)
    return {
        "is_history": is_history,
        "listing": listing,
        "orders": [] if is_history else cards[: len(paged)],
        "history": cards if is_history else cards[len(paged) :],
        "has_more_history": len(closed) > PAGE_SIZE,
    }


def _favourites(request: HttpRequest, user: User) -> dict[str, Any]:
    return {"favourites": favourite_cards(user.pk)}


def _profile(request: HttpRequest, _user: User) -> dict[str, Any]:
    return profile_context(request)


def profile_context(request: HttpRequest, form: ProfileForm | None = None) -> dict[str, Any]:
    """Return what the tab of the profile shows, with the form as it was filled in if it was. Nine queries."""
    user = cast(User, request.user)
    return {
        "form": form or ProfileForm(instance=user),
        "addresses": [
            (
                address,
                country_name(address.country, address.custom_country),
                postcode_error(address.country, address.postal_code)
                or postcode_notice(address.country, address.postal_code),
            )
            for address in addresses_of(user)
        ],
        "email_form": EmailChangeForm(),
        "asks_second_factor": lacks_second_factor(request),
        "email_change": pending_email_change(user),
        "notices": [(notice, subject_of(notice)) for notice in notices_of(person_of(user).emails)],
        **choices_context(find_subscriber(user.email)),
        "consents": latest_consents(user.email),
        "is_member": True,
    }


def _administration(request: HttpRequest, user: User) -> dict[str, Any]:
    """The orders of everybody, as the administration's own list finds them: what is done about one is done there."""
    search = request.GET.get("recherche", "").strip()[:100]
    status = request.GET.get("statut", "")
    wanted = [status] if status in PAID_STATUSES else list(PAID_STATUSES)
    try:
        page = find_orders(statuses=wanted, search=search, cursor=request.GET.get("suite", "")[:200])
    except BadCursor:
        page = find_orders(statuses=wanted, search=search)
    return {
        "found": [(order, list(order.tracking.all())[:LATEST_STEPS]) for order in page.rows],
        "next_cursor": page.next_cursor,
        "is_later": "suite" in request.GET,
        "search": search,
        "status": status,
        "statuses": [(value.value, value.label) for value in PAID_STATUSES],
    }


@members_only
@require_POST
def return_mails(request: HttpRequest) -> HttpResponse:
    """`POST /espace-membre/favoris`: the favourites whose keys come as `notify` are written about when they are back;
    those that the page showed so, whose keys come as `seen` too, no longer without it."""
    choose_return_mails(
        user_id=cast(User, request.user).pk,
        product_ids=read_keys(request.POST.getlist("notify")),
        seen_ids=read_keys(request.POST.getlist("seen")),
        language=get_language() or "",
    )
    response = HttpResponseRedirect(f"{reverse('members')}?tab=favoris", status=303)
    leave_toast(response, "return_mails_saved")
    return response


@members_only
@require_POST
def remove_one(request: HttpRequest) -> HttpResponse:
    """`POST /espace-membre/favoris/supprimer`: the favourite whose key comes as `remove`; none is no error."""
    key = read_key(request.POST.get("remove", ""))
    if key is not None:
        remove_favourite(user_id=cast(User, request.user).pk, product_id=key)
    response = HttpResponseRedirect(f"{reverse('members')}?tab=favoris", status=303)
    leave_toast(response, "favourite_removed")
    return response
