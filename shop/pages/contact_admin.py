"""What staff do with a contact request: answer it by mail, or say that it was answered elsewhere."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import User
from shop.core.staff_actions import StaffAction, require
from shop.pages.models import ContactRequest, ContactState
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
    """Shows what the visitor wrote and sends the answer."""
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
    """Marks the request as answered, or as new again."""
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
