"""Contact requests in Django's admin: staff answer them by mail, or mark them as answered elsewhere."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from accounts.models import User
from shop.core.audit import record_audit
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_admin import StaffAdmin, staff_action
from shop.pages.models import ContactImage, ContactRequest, ContactState
from shop.pages.services import contact


class ReplyForm(forms.Form):
    """The answer's words; `key` makes one mail of two clicks."""

    text = forms.CharField(
        label=gettext_lazy("Votre réponse"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 10, "class": "vLargeTextField"}),
        help_text=gettext_lazy(
            "«\u00a0Bonjour\u00a0», votre prénom, le nom de la boutique et le message du client sont ajoutés."
        ),
    )
    key = forms.UUIDField(widget=forms.HiddenInput)


def reply_page(request: HttpRequest, contact_id: int) -> HttpResponseBase:
    """Show what the visitor wrote and send the answer."""
    require(request.user, StaffAction.ANSWER_CONTACT)
    asked = get_object_or_404(ContactRequest, pk=contact_id)
    form = ReplyForm(request.POST or None, initial={"key": uuid.uuid4()})
    if request.method == "POST" and form.is_valid():
        contact.reply(
            request=asked,
            text=form.cleaned_data["text"],
            key=form.cleaned_data["key"],
            actor=cast(User, request.user),
        )
        messages.success(request, _("Réponse envoyée à %(email)s.") % {"email": asked.email})
        return redirect("admin:pages_contactrequest_change", contact_id)
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": _("Répondre"),
        "asked": asked,
        "form": form,
        "opts": ContactRequest._meta,
    }
    return TemplateResponse(request, "admin/pages/contactrequest/reply.html", context)


@require_POST
def mark_page(request: HttpRequest, contact_id: int) -> HttpResponseBase:
    """Mark the request as answered, or as new again."""
    require(request.user, StaffAction.ANSWER_CONTACT)
    asked = get_object_or_404(ContactRequest, pk=contact_id)
    contact.set_answered(request=asked, answered=asked.state == ContactState.NEW)
    messages.success(
        request,
        _("Marquée comme répondue.")
        if asked.state == ContactState.ANSWERED
        else _("Marquée comme nouvelle."),
    )
    return redirect("admin:pages_contactrequest_change", contact_id)


@admin.register(ContactRequest)
class ContactRequestAdmin(StaffAdmin[ContactRequest]):
    """What visitors wrote: read, marked as answered, deleted; never changed."""

    audited_fields = frozenset({"kind", "state"})
    view_action = StaffAction.SEE_CONTACTS
    delete_action = StaffAction.DELETE_CONTACT
    list_display = (
        "reference",
        "created_at",
        "kind",
        "state",
        "first_name",
        "last_name",
        "email",
        "subject",
        "picture_count",
    )
    list_filter = ("state", "kind", "language")
    search_fields = ("reference", "email", "last_name", "subject", "message")
    date_hierarchy = "created_at"
    actions = ("mark_answered", "mark_new")
    fields = (
        "reference",
        ("state", "answered_at"),
        ("kind", "created_at", "language"),
        ("first_name", "last_name", "email"),
        "product",
        "subject",
        "message",
        ("budget", "deadline"),
        "pictures",
        "answers",
    )
    readonly_fields = ("pictures", "answers")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ContactRequest]:
        return super().get_queryset(request).annotate(images_found=Count("images"))

    def get_urls(self) -> list[URLPattern]:
        pages = (
            ("picture/<int:pk>", self.picture_view, "pages_contactimage_file"),
            ("<int:contact_id>/reply/", reply_page, "pages_contactrequest_reply"),
            ("<int:contact_id>/mark/", mark_page, "pages_contactrequest_mark"),
        )
        own = [path(route, self.admin_site.admin_view(view), name=name) for route, view, name in pages]
        return own + super().get_urls()

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        context = {**(extra_context or {}), "may_answer": may(request.user, StaffAction.ANSWER_CONTACT)}
        return super().change_view(request, object_id, form_url, context)

    def picture_view(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """A visitor's picture, for operators alone: no cache keeps it."""
        if not self.has_view_permission(request):
            raise Http404
        row = get_object_or_404(ContactImage, pk=pk)
        if not contact.private_storage().exists(row.file):
            raise Http404
        response = FileResponse(contact.private_storage().open(row.file), content_type="image/jpeg")
        response["Cache-Control"] = "private, no-store"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

    @admin.display(description=gettext_lazy("images"), ordering="images_found")
    def picture_count(self, row: ContactRequest) -> int:
        return int(row.images_found)  # type: ignore[attr-defined]

    @admin.display(description=gettext_lazy("images de référence"))
    def pictures(self, row: ContactRequest) -> SafeString | str:
        shown = [
            (reverse("admin:pages_contactimage_file", args=[image.pk]), image.width, image.height)
            for image in row.images.all()
        ]
        if not shown:
            return "–"
        return format_html_join(
            " ",
            '<a href="{0}" target="_blank" rel="noopener"><img src="{0}" alt="{1} × {2}" height="160"></a>',
            shown,
        )

    @admin.display(description=gettext_lazy("réponses"))
    def answers(self, row: ContactRequest) -> SafeString | str:
        sent = [
            (date_format(localtime(reply.created_at), "SHORT_DATETIME_FORMAT"), reply.text)
            for reply in row.replies.all()
        ]
        return format_html_join("", '<p>{}</p><p class="shop-words">{}</p>', sent) if sent else "–"

    @staff_action(StaffAction.ANSWER_CONTACT, description=gettext_lazy("Marquer comme répondues"))
    def mark_answered(self, request: HttpRequest, chosen: QuerySet[ContactRequest]) -> None:
        self._mark(request, chosen, answered=True)

    @staff_action(StaffAction.ANSWER_CONTACT, description=gettext_lazy("Marquer comme nouvelles"))
    def mark_new(self, request: HttpRequest, chosen: QuerySet[ContactRequest]) -> None:
        self._mark(request, chosen, answered=False)

    def delete_model(self, request: HttpRequest, obj: ContactRequest) -> None:
        contact.delete_request(request=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ContactRequest]) -> None:
        for row in queryset.order_by("pk"):
            contact.delete_request(request=row)

    def _mark(self, request: HttpRequest, chosen: QuerySet[ContactRequest], *, answered: bool) -> None:
        wanted = ContactState.ANSWERED if answered else ContactState.NEW
        rows = list(chosen.exclude(state=wanted).order_by("pk"))
        for row in rows:
            contact.set_answered(request=row, answered=answered)
            record_audit(
                "contact.answered",
                row,
                actor=request.user,  # type: ignore[arg-type]
                before={"state": ContactState.NEW if answered else ContactState.ANSWERED},
                after={"state": wanted},
            )
        self.message_user(
            request,
            ngettext("%(count)d demande modifiée.", "%(count)d demandes modifiées.", len(rows))
            % {"count": len(rows)},
            messages.SUCCESS,
        )
