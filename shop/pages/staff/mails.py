"""`/admin/e-mails`: every mail as it looks, one sent to oneself, and those that were sent."""

from __future__ import annotations

import logging
from typing import Any, cast

from csp.constants import SELF
from csp.decorators import csp, csp_update
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_sameorigin

from accounts.models import User
from shop.core import mail_delivery
from shop.core.audit import record_audit
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import ACCOUNT_MAILS
from shop.core.mail_samples import KINDS
from shop.core.models import MailState, OutgoingMail
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import MAIL_POLICY, WRITE, staff_page
from shop.pages.selectors.mail_previews import mail_kinds, order_for_preview, preview_mail
from shop.pages.services.mail_tests import send_test

logger = logging.getLogger(__name__)

PARTS = (
    Part("tous", "Tous"),
    Part(
        "echecs", "En échec", lambda rows: rows.filter(state=MailState.FAILED), empty="Aucun e-mail en échec."
    ),
    Part("en-attente", "En file d'attente", lambda rows: rows.filter(state=MailState.QUEUED)),
    Part("envoyes", "Envoyés", lambda rows: rows.filter(state=MailState.SENT)),
)
SEARCHED = ("to", "reference", "subject", "kind", "message_id")
# Not their words.
LISTED = ("created_at", "to", "kind", "reference", "state", "subject")


@staff_page(StaffAction.SEE_MAILS)
def mail_index(request: HttpRequest) -> HttpResponseBase:
    return render(request, "staff/mails/index.html", {"kinds": mail_kinds()})


@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
@staff_page(StaffAction.SEE_MAILS)
def mail_preview(request: HttpRequest, kind: str) -> HttpResponseBase:
    """Show a mail at the width of a phone and as plain text, with sample data or those of an order."""
    language, order, search = _asked(request, request.GET)
    mail = _drawn(kind, language, order)
    query = {"langue": language, "commande": search if order else ""}
    context = {
        "kind": kind,
        "mail": mail,
        "language": language,
        "languages": settings.LANGUAGES,
        "search": search,
        "order": order,
        "html_url": reverse("staff-mail-html", args=[kind], query=query),
        "may_send": may(request.user, StaffAction.RESEND_MAIL),
    }
    return render(request, "staff/mails/preview.html", context)


@csp(MAIL_POLICY)  # type: ignore[arg-type]
@xframe_options_sameorigin
@staff_page(StaffAction.SEE_MAILS)
def mail_html(request: HttpRequest, kind: str) -> HttpResponseBase:
    """The HTML part alone, for the frame of the preview."""
    language, order, _search = _asked(request, request.GET)
    return HttpResponse(_drawn(kind, language, order).html)


@staff_page(StaffAction.RESEND_MAIL, ("POST",))
def mail_test(request: HttpRequest, kind: str) -> HttpResponseBase:
    """Send the mail to the person who asks, and to nobody else."""
    if kind not in KINDS:
        raise Http404
    language, order, search = _asked(request, request.POST)
    actor = cast(User, request.user)
    try:
        send_test(kind=kind, language=language, order=order, actor=actor)
    except Exception as error:
        logger.exception("the test mail %s could not be written", kind)
        messages.error(request, f"Erreur lors de l'envoi de l'email\u00a0: {str(error) or 'Erreur inconnue'}")
    else:
        messages.success(request, f"Email envoyé\u00a0! Un e-mail d'essai part à {actor.email}.")
    return redirect(reverse("staff-mail", args=[kind], query={"langue": language, "commande": search}))


@staff_page(StaffAction.SEE_MAILS)
def outbox(request: HttpRequest) -> HttpResponseBase:
    rows = OutgoingMail.objects.only(*LISTED)
    listed = staff_list(request, rows, PARTS, searched=SEARCHED, moment="created_at")
    return render(request, "staff/mails/outbox.html", {"list": listed})


@staff_page(StaffAction.SEE_MAILS, WRITE)
def sent_mail(request: HttpRequest, mail_id: int) -> HttpResponseBase:
    """Show a mail that was written; a POST puts one that failed back into the queue."""
    mail = get_object_or_404(OutgoingMail, pk=mail_id)
    may_resend = may(request.user, StaffAction.RESEND_MAIL)
    if request.method == "POST":
        return _resent(request, mail)
    context = {
        "mail": mail,
        # Links in account mails open the account: they are for its owner's eyes.
        "is_secret": mail.kind.startswith(ACCOUNT_MAILS),
        "may_resend": may_resend and mail.state == MailState.FAILED,
    }
    return render(request, "staff/mails/sent.html", context)


def _resent(request: HttpRequest, mail: OutgoingMail) -> HttpResponseBase:
    require(request.user, StaffAction.RESEND_MAIL)
    with transaction.atomic():
        revived = mail_delivery.resend(mail_id=mail.pk)
        if revived:
            record_audit("mail.resent", mail, actor=cast(User, request.user))
    if revived:
        messages.success(request, "E-mail remis en file d'attente.")
    else:
        messages.warning(request, "Cet e-mail n'est pas en échec\u00a0: rien à renvoyer.")
    return redirect("staff-sent-mail", mail.pk)


def _asked(request: HttpRequest, values: Any) -> tuple[str, Any, str]:
    """Return the language, the order and what it was searched by."""
    language = values.get("langue", "")
    if language not in dict(settings.LANGUAGES):
        language = SOURCE_LANGUAGE
    search = values.get("commande", "").strip()[:100]
    order = order_for_preview(search) if search and may(request.user, StaffAction.SEE_ORDERS) else None
    return language, order, search


def _drawn(kind: str, language: str, order: Any) -> mail_delivery.RenderedMail:
    if kind not in KINDS:
        raise Http404
    return preview_mail(kind, language, order)
