"""`/admin/avis`: reviews are published or refused here; their words are their authors'."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from catalog.models import Review, ReviewState
from catalog.selectors.moderation import named_decisions, review_with_decisions
from catalog.services.reviews import REASON_MAX_LENGTH, moderate_review
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

PARTS = (
    Part(
        "a-relire",
        "À relire",
        lambda rows: rows.filter(state=ReviewState.PENDING),
        empty="Aucun avis n'attend.",
    ),
    Part("publies", "Publiés", lambda rows: rows.filter(state=ReviewState.PUBLISHED)),
    Part("refuses", "Refusés", lambda rows: rows.filter(state=ReviewState.REFUSED)),
    Part("tous", "Tous"),
)
SEARCHED = ("title", "text", "author_name", "guest_email", "order_reference", "product__name_fr")


class DecisionForm(forms.Form):
    """The decision, never the author's words; `seen` is the state that was on screen."""

    decision = forms.ChoiceField(choices=[(ReviewState.PUBLISHED, ""), (ReviewState.REFUSED, "")])
    seen = forms.ChoiceField(choices=ReviewState.choices)
    reason = forms.CharField(
        label="Motif du refus",
        error_messages={"required": "Indiquez le motif\u00a0: l'auteur le recevra."},
        max_length=REASON_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Envoyé à l'auteur et consigné. Une note basse n'est jamais un motif.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = self.data.get("decision") != ReviewState.PUBLISHED


@staff_page(StaffAction.SEE_REVIEWS)
def review_list(request: HttpRequest) -> HttpResponseBase:
    rows = Review.objects.select_related("product")
    context = {
        "list": staff_list(request, rows, PARTS, searched=SEARCHED, moment="created_at"),
        "may_moderate": may(request.user, StaffAction.MODERATE_REVIEW),
    }
    return render(request, "staff/reviews/list.html", context)


@staff_page(StaffAction.SEE_REVIEWS, WRITE)
def review(request: HttpRequest, review_id: int) -> HttpResponseBase:
    """Show a review with the decisions about it; a POST decides."""
    row = review_with_decisions(review_id)
    if row is None:
        raise Http404
    form = DecisionForm(request.POST or None)
    status = 200
    if request.method == "POST":
        require(request.user, StaffAction.MODERATE_REVIEW)
        if form.is_valid():
            try:
                _decide(request, row, form)
            except Problem as problem:
                status = problem.status
                if problem.errors:
                    form.add_error("reason", [text for texts in problem.errors.values() for text in texts])
                else:
                    messages.error(request, problem.detail)
            else:
                return redirect("staff-reviews")
        row = review_with_decisions(review_id) or row
    context = {
        "review": row,
        "decisions": named_decisions(row),
        "form": form,
        "may_moderate": may(request.user, StaffAction.MODERATE_REVIEW),
    }
    return render(request, "staff/reviews/detail.html", context, status=status)


def _decide(request: HttpRequest, row: Review, form: DecisionForm) -> None:
    answer = form.cleaned_data
    moderate_review(
        review_id=row.pk,
        seen=ReviewState(answer["seen"]),
        state=ReviewState(answer["decision"]),
        reason=answer["reason"],
        moderator_id=request.user.pk,
        moderator=f"#{request.user.pk}",
    )
    published = answer["decision"] == ReviewState.PUBLISHED
    messages.success(request, "Avis publié." if published else "Avis refusé\u00a0: l'auteur reçoit le motif.")
