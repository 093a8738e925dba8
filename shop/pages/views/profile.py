"""What members change about themselves: names and language, addresses, e-mail address. Without JavaScript."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import Address, User
from accounts.notices import leave_notice
from accounts.recent_authentication import prove_fully
from accounts.selectors import address_of
from accounts.services.addresses import delete_address, save_address
from accounts.services.email_changes import cancel_email_change, check_new_email, request_email_change
from blog.forms import origin_of, read_choices
from blog.models import ConsentSource
from catalog.services.notices import withdraw_notice
from orders.selectors.rules import checkout_countries, country_name, default_country
from shop.core.kept_forms import members_only
from shop.core.languages import active_language
from shop.core.problems import Problem
from shop.core.row_keys import read_key
from shop.pages.forms import AddressForm, EmailChangeForm, ProfileForm
from shop.pages.selectors.personal_data import person_of
from shop.pages.services.profile import change_profile, choose_letters
from shop.pages.views.members import profile_context, render_tab

SEE_OTHER = 303


@members_only
@require_POST
def save_profile(request: HttpRequest) -> HttpResponse:
    """`POST /espace-membre/profil`: names, and the language of the shop's mails."""
    # Read anew: a form writes what was typed on its row, which pages show.
    user = User.objects.get(pk=cast(User, request.user).pk)
    form = ProfileForm(request.POST, instance=user)
    if not form.is_valid():
        return render_tab(request, "profile", profile_context(request, form), 400)
    change_profile(user=user, changed=form.changed_data)
    return _back(request, "profile_saved")


@members_only
@require_POST
@sensitive_post_parameters("password")
def change_email(request: HttpRequest) -> HttpResponse:
    """`POST /espace-membre/adresse-e-mail`: asks for another address, or takes the wish back (`annuler`)."""
    user = cast(User, request.user)
    if "annuler" in request.POST:
        is_cancelled = cancel_email_change(user=user)
        return _back(request, "email_change_cancelled" if is_cancelled else "")
    form = EmailChangeForm(request.POST)
    form.is_valid()
    typed = form.cleaned_data.copy()
    refusal: Problem | None = None
    # Each on its own: what is wrong with both is said at once.
    for field, check in (
        ("email", partial(check_new_email, user)),
        ("password", partial(prove_fully, request)),
    ):
        try:
            if field in typed:
                check(typed[field])
        except Problem as problem:
            refusal = problem
            form.add_error(field, problem.detail)
    if form.is_valid():
        try:
            request_email_change(user=user, email=typed["email"], language=active_language())
        except Problem as problem:
            refusal = problem
            form.add_error("password", problem.detail)
        else:
            return _back(request, "email_change_requested")
    context = profile_context(request) | {"email_form": form}
    page = render_tab(request, "profile", context, refusal.status if refusal else 400)
    return refusal.set_headers(page) if refusal else page


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def address_page(request: HttpRequest, address_id: int | None = None) -> HttpResponseBase:
    """`/espace-membre/adresses/nouvelle` and `/espace-membre/adresses/<id>`: somebody else's does not exist."""
    user = cast(User, request.user)
    address = address_of(user, address_id) if address_id is not None else None
    if address_id is not None and address is None:
        raise Http404
    choices = checkout_countries()
    countries = [(choice.code, choice.name) for choice in choices]
    if address is not None and address.country not in dict(countries):
        # A country that is no longer served: the address stays what it is until somebody changes it.
        countries = [(address.country, country_name(address.country)), *countries]
    initial = {"country": default_country(choices), **_names(user)} if address is None else {}
    form = AddressForm(request.POST or None, instance=address, initial=initial, countries=countries)
    status, error = 200, ""
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                save_address(user=user, details=form.details(), address_id=address_id)
            except Problem as problem:
                status, error = problem.status, _show(form, problem)
            else:
                return _back(request, "address_saved")
    context: dict[str, Any] = {
        "form": form,
        "address": address,
        "error": error,
        "breadcrumbs": [
            (_("Accueil"), reverse("home")),
            (_("Espace membre"), f"{reverse('members')}?tab=profile"),
            (_("Adresse"), None),
        ],
    }
    return render(request, "pages/members/address.html", context, status=status)


@members_only
@require_POST
def remove_address(request: HttpRequest, address_id: int) -> HttpResponse:
    """`POST /espace-membre/adresses/<id>/supprimer`."""
    try:
        delete_address(user=cast(User, request.user), address_id=address_id)
    except Problem:
        raise Http404 from None
    return _back(request, "address_deleted")


@members_only
@require_POST
def remove_notice(request: HttpRequest) -> HttpResponse:
    """`POST /espace-membre/alertes/supprimer`: the wish whose key comes as `remove`; none is no error."""
    key = read_key(request.POST.get("remove", ""))
    if key is not None:
        withdraw_notice(notice_id=key, emails=person_of(cast(User, request.user)).emails)
    return _back(request, "notice_removed")


@members_only
@require_POST
def save_newsletter(request: HttpRequest) -> HttpResponse:
    """`POST /espace-membre/newsletter`: what the member's own address receives, in the language of the profile."""
    choose_letters(
        user=cast(User, request.user),
        choices=read_choices(request, is_member=True),
        origin=origin_of(request, ConsentSource.PROFILE),
    )
    return _back(request, "newsletter_saved")


def _names(user: User) -> dict[str, str]:
    has_one = Address.objects.filter(user=user).exists()
    return {} if has_one else {"first_name": user.first_name, "last_name": user.last_name}


def _show(form: forms.BaseForm, problem: Problem) -> str:
    """Put what was refused beside its fields; return what belongs to none."""
    shown = {name: texts for name, texts in problem.errors.items() if name in form.fields}
    for name, texts in shown.items():
        form.add_error(name, " ".join(texts))
    return "" if shown else problem.detail


def _back(request: HttpRequest, notice: str) -> HttpResponseRedirect:
    """Lead to the top of the profile, where the notice is seen."""
    if notice:
        leave_notice(request, notice)
    return HttpResponseRedirect(f"{reverse('members')}?tab=profile", status=SEE_OTHER)
