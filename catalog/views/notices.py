"""Asking for one mail when something can be bought, confirming the wish, and ending it.

No form of this module carries a CSRF token. Two are on pages that are cached whole, the same bytes for everybody,
and a token would be one visitor's. None is needed: no session is looked at, so a forged request can do no more than
its author could do himself. Asking causes a confirmation mail, a few an hour for an address and for a caller;
confirming and ending are allowed by the secret of the mail's link alone. RFC 8058 also wants the last of them to work
by a POST of the mail program, without cookie.
"""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog.models import Product
from catalog.selectors.addresses import in_each_language
from catalog.selectors.categories import find_category
from catalog.services.notices import (
    Subject,
    ask_notice,
    confirm_notice,
    find_notice,
    stop_notices,
    subject_of,
)
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.problems import Problem
from shop.core.row_keys import read_key


@csrf_exempt
@never_cache
@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    """`POST /avis/demander` with `email` and `product_id` or `category_slug`: always the same next page."""
    subject = _requested(request)
    try:
        limits.enforce(limits.NOTICE_NETWORK, client_address(request))
        ask_notice(
            email=request.POST.get("email", ""),
            language=get_language() or "",
            product_id=None if subject.product is None else subject.product.pk,
            category_slug="" if subject.category is None else subject.category.slug,
            variant_id=None if subject.variant is None else subject.variant.pk,
        )
    except Problem as problem:
        return _refuse(request, subject, problem)
    return HttpResponseRedirect(reverse("catalog:notice-asked"), status=303)


def _refuse(request: HttpRequest, subject: Subject, problem: Problem) -> HttpResponse:
    """The form again, with what was typed and why it was refused."""
    context = {
        "error": problem.detail,
        "email": request.POST.get("email", "")[:EMAIL_MAX_LENGTH],
        "product": subject.product,
        "category": subject.category,
        "variant": subject.variant,
        "back": subject.url,
        "alternates": in_each_language(lambda: subject.url),
        "breadcrumbs": [(_("Accueil"), reverse("home")), (subject.name, subject.url)],
    }
    page = render(request, "catalog/notice_form.html", context, status=problem.status)
    return problem.set_headers(page)


@require_safe
def asked(request: HttpRequest) -> HttpResponse:
    """What to do next: the same page whoever asked and for whatever address."""
    return render(request, "catalog/notice_asked.html")


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest) -> HttpResponseBase:
    """`/avis/confirmer?cle=…`: opening the link shows a button, pressing it confirms. Programs that open every link
    of a mail confirm nothing."""
    key = request.GET.get("cle", "")
    notice = confirm_notice(key=key) if request.method == "POST" else find_notice(key)
    if notice is None or notice.sent_at is not None:
        # A wish that was answered is over: nobody is written to about it again.
        return render(request, "catalog/notice_expired.html", status=404)
    context = {"subject": subject_of(notice), "is_done": notice.confirmed_at is not None}
    return render(request, "catalog/notice_confirm.html", context)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest) -> HttpResponseBase:
    """`/avis/desinscription?cle=…`: a button, and what it does; mail programs press it by themselves."""
    is_post = request.method == "POST"
    is_done = is_post and stop_notices(key=request.GET.get("cle", ""))
    # Cut on its way, or it has done its work already: for programs both are a 200.
    context = {"is_done": is_done, "is_unknown": is_post and not is_done}
    return render(request, "catalog/notice_stop.html", context)


def _requested(request: HttpRequest) -> Subject:
    """What the form is about. Raises `Http404`: our own forms name something that is there."""
    number, slug = read_key(request.POST.get("product_id", "")), request.POST.get("category_slug", "")
    if number is not None:
        product = Product.objects.filter(pk=number, is_published=True).first()
        if product is not None:
            chosen = read_key(request.POST.get("variant_id", ""))
            variants = product.variants.select_related("variation")
            variant = None if chosen is None else variants.filter(pk=chosen).first()
            return Subject(product, None, variant)
    elif slug and "\x00" not in slug:
        # The page with the form may be older than the address.
        category = find_category(slug)
        if category is not None:
            return Subject(None, category)
    raise Http404
