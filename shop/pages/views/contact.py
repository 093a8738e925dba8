"""`/contact`: the form, without JavaScript. The page carries a token, so no cache keeps it."""

from __future__ import annotations

import re
import secrets
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache

from catalog.models import Product
from catalog.selectors.addresses import product_url
from shop.core.client_address import client_address
from shop.core.problems import Problem
from shop.pages.forms import ContactForm, find_piece
from shop.pages.models import ContactKind, PageText
from shop.pages.selectors.content import PageTexts, questions
from shop.pages.services.contact import send_message

_REFERENCE = re.compile(r"[0-9A-F]{8}\Z")


@method_decorator(never_cache, name="dispatch")
class ContactView(View):
    """`?produit=<id>` names the piece, `?devis=1` opens the quote request, `?envoi=<reference>` says thank you."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        sent = request.GET.get("envoi", "")
        product = find_piece(request.GET.get("produit", ""))
        form = ContactForm(initial=_initial(request, product))
        return draw_contact(request, form=form, product=product, sent=sent if _REFERENCE.match(sent) else "")

    def post(self, request: HttpRequest) -> HttpResponseBase:
        product = find_piece(request.POST.get("produit", ""))
        form = ContactForm(request.POST, request.FILES)
        if not form.is_valid():
            return _refused(request, form, product)
        data = form.cleaned_data
        if data["website"]:
            # A machine: it gets the same answer as everybody, and nothing is stored.
            return _thank(secrets.token_hex(4).upper())
        try:
            stored = send_message(
                message=form.as_message(product),
                pictures=data["images"],
                address=client_address(request),
            )
        except Problem as problem:
            form.add_error("images" if "images" in problem.errors else None, problem.detail)
            status = problem.status if problem.status in (429, 503) else 200
            return problem.set_headers(_refused(request, form, product, status))
        return _thank(stored.reference)


def _refused(
    request: HttpRequest, form: ContactForm, product: Product | None, status: int = 200
) -> HttpResponse:
    """What was typed is shown again; no browser lets a page fill in files, so they are asked for once more: those, too,
    that came with one that is refused."""
    good = len(request.FILES.getlist("images")) - form.has_error("images")
    if form["kind"].value() == ContactKind.QUOTE and good > 0:
        form.add_error(
            "images", _("Joignez vos images à nouveau\u00a0: votre navigateur ne les a pas gardées.")
        )
    return draw_contact(request, form=form, product=product, status=status)


def draw_contact(
    request: HttpRequest,
    *,
    form: ContactForm,
    product: Product | None = None,
    sent: str = "",
    text: PageText | None = None,
    status: int = 200,
) -> HttpResponse:
    """The contact page. `text` is shown whatever its dates: for previews."""
    return render(
        request,
        "pages/contact.html",
        {
            "form": form,
            "product": product,
            "product_url": product_url(product) if product else "",
            "sent": sent,
            "texts": PageTexts(text),
            "faq": questions(contact=True),
            "kind": form["kind"].value(),
            "breadcrumbs": [(_("Accueil"), reverse("home")), (_("Contact"), None)],
        },
        status=status,
    )


def _thank(reference: str) -> HttpResponse:
    return redirect(f"{reverse('contact')}?envoi={reference}#envoi")


def _initial(request: HttpRequest, product: Product | None) -> dict[str, Any]:
    quote = request.GET.get("devis") == "1"
    initial: dict[str, Any] = {"kind": ContactKind.QUOTE if quote else ContactKind.QUESTION}
    if product is not None:
        initial["subject"] = _("Question sur %(name)s") % {"name": product.name}
    if request.user.is_authenticated:
        user = request.user
        initial |= {"first_name": user.first_name, "last_name": user.last_name, "email": user.email}
    return initial
