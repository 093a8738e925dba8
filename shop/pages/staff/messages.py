"""`/admin/messages`: what visitors wrote, and the answers."""

from __future__ import annotations

from typing import cast

from django import forms
from django.contrib import messages
from django.db.models import Count
from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from shop.core.file_storage import private_storage
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page
from shop.pages.forms import LinesField
from shop.pages.models import ContactImage, ContactRequest, ContactState
from shop.pages.selectors.contacts import contact_with_words
from shop.pages.services import contact

PARTS = (
    Part(
        "a-repondre",
        "À répondre",
        lambda rows: rows.filter(state=ContactState.NEW),
        empty="Tout le monde a sa réponse.",
    ),
    Part("repondus", "Répondus", lambda rows: rows.filter(state=ContactState.ANSWERED)),
    Part("tous", "Tous"),
)
SEARCHED = ("reference", "email", "first_name", "last_name", "subject", "message")


class ReplyForm(forms.Form):
    """The answer's words; `seen` is how many answers were on screen."""

    seen = forms.IntegerField(required=False)
    text = LinesField(
        label="Votre réponse",
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="«\u00a0Bonjour\u00a0», votre prénom, le nom de la boutique et le message du client sont ajoutés.",
    )


@staff_page(StaffAction.SEE_CONTACTS)
def message_list(request: HttpRequest) -> HttpResponseBase:
    rows = ContactRequest.objects.annotate(picture_count=Count("images"))
    listed = staff_list(request, rows, PARTS, searched=SEARCHED, moment="created_at")
    return render(request, "staff/messages/list.html", {"list": listed})


@staff_page(StaffAction.SEE_CONTACTS, WRITE)
def message(request: HttpRequest, contact_id: int) -> HttpResponseBase:
    """Show a message with its answers; a POST sends one."""
    asked = contact_with_words(contact_id)
    if asked is None:
        raise Http404
    form, status = ReplyForm(request.POST or None), 200
    if request.method == "POST":
        require(request.user, StaffAction.ANSWER_CONTACT)
        if form.is_valid():
            try:
                is_sent = contact.reply(request=asked, actor=cast(User, request.user), **form.cleaned_data)
            except Problem as problem:
                status = problem.status
                form.add_error(None, problem.detail)
                asked = contact_with_words(contact_id) or asked
            except ContactRequest.DoesNotExist:
                # Deleted, or its author was erased, at this moment.
                raise Http404 from None
            else:
                if is_sent:
                    messages.success(request, f"Réponse envoyée à {asked.email}.")
                else:
                    messages.info(request, f"Cette réponse est déjà partie à {asked.email}, une seule fois.")
                return redirect("staff-message", contact_id)
    context = {
        "asked": asked,
        "form": form,
        "is_open": asked.state == ContactState.NEW,
        "may_answer": may(request.user, StaffAction.ANSWER_CONTACT),
        "may_delete": may(request.user, StaffAction.DELETE_CONTACT),
    }
    return render(request, "staff/messages/detail.html", context, status=status)


@staff_page(StaffAction.ANSWER_CONTACT, ("POST",))
def mark(request: HttpRequest, contact_id: int) -> HttpResponseBase:
    """Mark the message as answered elsewhere, or as new again: `etat` says which."""
    answered = request.POST.get("etat") == ContactState.ANSWERED
    try:
        contact.mark_by(request_id=contact_id, answered=answered, actor=cast(User, request.user))
    except ContactRequest.DoesNotExist:
        raise Http404 from None
    messages.success(request, "Marqué comme répondu." if answered else "Marqué comme à répondre.")
    return redirect("staff-message", contact_id)


@staff_page(StaffAction.DELETE_CONTACT, WRITE)
def delete(request: HttpRequest, contact_id: int) -> HttpResponseBase:
    """Ask first, then delete the message with its pictures and answers."""
    asked = get_object_or_404(ContactRequest, pk=contact_id)
    if request.method == "POST":
        contact.delete_by(request=asked, actor=cast(User, request.user))
        messages.success(request, "Message supprimé.")
        return redirect("staff-messages")
    return render(request, "staff/messages/delete.html", {"asked": asked})


@staff_page(StaffAction.SEE_CONTACTS)
def picture(request: HttpRequest, pk: int) -> HttpResponseBase:
    """A visitor's picture, for the workshop alone: no cache keeps it."""
    row = get_object_or_404(ContactImage, pk=pk)
    if not private_storage().exists(row.file):
        raise Http404
    response = FileResponse(private_storage().open(row.file), content_type="image/jpeg")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
