"""Subscribing to the newsletter, confirming, choosing, ending it; and the letters that were sent.

No form of this module carries a CSRF token. The one that subscribes stands on pages that are cached whole, the same
bytes for everybody. None is needed: no session is looked at, so a forged request can do no more than its author could
do himself. Subscribing causes a confirmation mail, few of them for an address and for a caller; everything else is
allowed by the secret of a mail's link alone. RFC 8058 also wants ending to work by a POST of the mail program, without
cookie.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.selectors import find_user
from blog.forms import choices_context, origin_of, read_choices
from blog.models import ConsentSource, Purpose
from blog.selectors.consents import consent_text
from blog.selectors.letters import archived_letters, text_to_read
from blog.selectors.subscribers import claimed_number, find_by_token
from blog.services.newsletter.subscriptions import (
    ask_subscription,
    confirm_subscription,
    save_preferences,
    unsubscribe,
)
from catalog.selectors.addresses import in_each_language
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.languages import active_language
from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.problems import Problem
from shop.core.public_pages import public_page
from shop.core.row_keys import read_key

# What forms name as the place where they stand.
_SOURCES = {"blog": ConsentSource.BLOG}


@require_safe
@public_page()
def newsletter(request: HttpRequest) -> HttpResponse:
    """`/newsletter`."""
    return render(request, "blog/newsletter/page.html", _page_context())


@csrf_exempt
@never_cache
@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    """`POST /newsletter/demander` with `email`: always the same next page."""
    email = request.POST.get("email", "")
    try:
        limits.enforce(limits.NEWSLETTER_NETWORK, client_address(request))
        source = _SOURCES.get(request.POST.get("source", ""), ConsentSource.PAGE)
        ask_subscription(email=email, origin=origin_of(request, source))
    except Problem as problem:
        context = _page_context() | {
            "error": problem.detail,
            "email": email[:EMAIL_MAX_LENGTH],
            "alternates": in_each_language(lambda: reverse("blog:newsletter")),
        }
        page = render(request, "blog/newsletter/page.html", context, status=problem.status)
        return problem.set_headers(page)
    return HttpResponseRedirect(reverse("blog:newsletter-asked"), status=303)


@require_safe
def asked(request: HttpRequest) -> HttpResponse:
    """What to do next: the same page whoever asked and for whatever address."""
    return render(request, "blog/newsletter/asked.html")


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest) -> HttpResponseBase:
    """`/newsletter/confirmer?cle=…`: opening the link shows a button, pressing it confirms. Programs that open every
    link of a mail confirm nothing."""
    key = request.GET.get("cle", "")
    if request.method == "POST":
        subscriber = confirm_subscription(key=key, origin=origin_of(request, ConsentSource.MAIL))
    else:
        subscriber = find_by_token(key)
    if subscriber is None:
        return _expired(request)
    context = {
        "is_done": subscriber.receives,
        "consent": consent_text(Purpose.NEWSLETTER),
        "preferences": f"{reverse('blog:newsletter-preferences')}?cle={subscriber.token}",
    }
    return render(request, "blog/newsletter/confirm.html", context)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponseBase:
    """`/newsletter/preferences?cle=…`: what to receive, in which language, or nothing at all."""
    key, is_done = request.GET.get("cle", ""), False
    subscriber = find_by_token(key)
    if subscriber is None:
        return _expired(request)
    is_member = find_user(subscriber.email) is not None
    if request.method == "POST":
        saved = save_preferences(
            key=key,
            choices=read_choices(request, is_member=is_member),
            origin=origin_of(request, ConsentSource.PREFERENCES),
        )
        if saved is None:
            return _expired(request)
        subscriber, is_done = saved, True
    context = choices_context(subscriber) | {"is_done": is_done, "is_member": is_member}
    return render(request, "blog/newsletter/preferences.html", context)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest) -> HttpResponseBase:
    """`/newsletter/desinscription?cle=…`: a button, and what it does; mail programs press it by themselves."""
    key, letter = request.GET.get("cle", ""), request.GET.get("lettre", "")
    is_reminder = request.GET.get("objet") == "panier"
    ended = None
    if request.method == "POST":
        ended = unsubscribe(
            key=key,
            origin=origin_of(request, ConsentSource.MAIL),
            purpose=Purpose.CART_REMINDERS if is_reminder else Purpose.NEWSLETTER,
            campaign_id=read_key(letter),
        )
    found = find_by_token(key)
    context = {
        "is_done": ended is not None,
        # Cut on its way, or it has done its work already: for programs both are a 200.
        "is_unknown": request.method == "POST" and ended is None,
        "is_reminder": is_reminder,
        "key": found.token if found else "",
        "consent": consent_text(Purpose.NEWSLETTER),
    }
    return render(request, "blog/newsletter/stop.html", context)


@require_safe
@public_page()
def letters(request: HttpRequest) -> HttpResponse:
    """`/newsletter/archives`: what was sent, the newest first."""
    language = active_language()
    shown = [(letter, text_to_read(letter, language)) for letter in archived_letters()[:100]]
    context = {
        "letters": [(letter, text) for letter, text in shown if text is not None],
        "breadcrumbs": [*_breadcrumbs(), (_("Lettres envoyées"), None)],
    }
    return render(request, "blog/newsletter/letters.html", context)


@require_safe
@public_page()
def letter(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """`/newsletter/archives/<id>`: a letter as it was sent, in the visitor's language where it was."""
    found = archived_letters().filter(pk=campaign_id).first() if campaign_id < 2**63 else None
    text = None if found is None else text_to_read(found, active_language())
    if found is None or text is None:
        raise Http404
    written = {row.language for row in found.texts.all()}
    alternates = in_each_language(lambda: reverse("blog:newsletter-letter", args=[found.pk]))
    context = {
        "letter": found,
        "text": text,
        "own_url": next(url for code, _name, url in alternates if code == text.language),
        "written_in": [entry for entry in alternates if entry[0] in written],
        "breadcrumbs": [
            *_breadcrumbs(),
            (_("Lettres envoyées"), reverse("blog:newsletter-letters")),
            (text.subject, None),
        ],
    }
    return render(request, "blog/newsletter/letter.html", context)


def _page_context() -> dict[str, Any]:
    count = claimed_number()
    return {
        "consent": consent_text(Purpose.NEWSLETTER),
        "subscriber_count": number_format(count, force_grouping=True) if count else "",
        "breadcrumbs": [*_breadcrumbs()[:1], (_("Newsletter"), None)],
    }


def _breadcrumbs() -> list[tuple[str, str | None]]:
    return [(_("Accueil"), reverse("home")), (_("Newsletter"), reverse("blog:newsletter"))]


def _expired(request: HttpRequest) -> HttpResponse:
    return render(request, "blog/newsletter/expired.html", status=404)
