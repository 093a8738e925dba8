"""``/_mails``: reading the mails of a machine without a mail server. Never mounted outside DEBUG."""

from csp.constants import NONE, SELF, UNSAFE_INLINE
from csp.decorators import csp, csp_update
from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from shop.core.mail_content import is_resolved, load_attachments
from shop.core.mail_delivery import render as render_mail
from shop.core.models import OutgoingMail

PER_PAGE = 50


def _mail(mail_id: int) -> OutgoingMail:
    """Return the mail as it was sent, or as it would be sent now."""
    mail = get_object_or_404(OutgoingMail, pk=mail_id)
    if not is_resolved(mail):
        # The worker has yet to find out what it says, and whether it is sent.
        raise Http404
    if not mail.text:
        rendered = render_mail(mail)
        mail.subject, mail.text, mail.html = rendered.subject, rendered.text, rendered.html
    return mail


def _guard() -> None:
    if not settings.DEBUG or settings.EMAIL_URL:
        raise Http404


@require_safe
@never_cache
def mail_list(request: HttpRequest) -> HttpResponse:
    """Every mail, newest first; ``?to=`` narrows to one address."""
    _guard()
    mails = OutgoingMail.objects.only("kind", "to", "language", "state", "subject", "created_at")
    if to := request.GET.get("to", ""):
        mails = mails.filter(to__icontains=to)
    page = Paginator(mails, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "mailbox/list.html", {"page": page, "to": to})


@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
@require_safe
@never_cache
def mail_detail(request: HttpRequest, mail_id: int) -> HttpResponse:
    """One mail: its headers, its HTML in a frame of its own, its text."""
    _guard()
    mail = _mail(mail_id)
    files, _missing = load_attachments([{**one, "required": False} for one in mail.attachments])
    return render(request, "mailbox/detail.html", {"mail": mail, "files": files})


@require_safe
@never_cache
def mail_file(request: HttpRequest, mail_id: int, position: int) -> HttpResponse:
    """An attachment, by its place in the mail."""
    _guard()
    files, _missing = load_attachments([{**one, "required": False} for one in _mail(mail_id).attachments])
    if position >= len(files):
        raise Http404
    file = files[position]
    return HttpResponse(
        file.content,
        content_type=file.mime_type,
        headers={"Content-Disposition": content_disposition_header(False, file.name) or "inline"},
    )


# A mail carries its own styles and may load pictures of the shop, nothing else; scripts and forms are off by the
# sandbox as well.
@csp(  # type: ignore[arg-type]
    {
        "default-src": [NONE],
        "style-src": [UNSAFE_INLINE],
        "img-src": [SELF],
        "form-action": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [SELF],
        "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox"],
    }
)
@require_safe
@never_cache
@xframe_options_sameorigin
def mail_html(request: HttpRequest, mail_id: int) -> HttpResponse:
    """The HTML part alone."""
    _guard()
    return HttpResponse(_mail(mail_id).html)
