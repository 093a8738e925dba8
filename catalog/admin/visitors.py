"""What visitors left, in Django's admin: reviews to moderate, and who waits for what."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from catalog.models import Favourite, Notice, Review, ReviewDecision, ReviewState
from catalog.services.reviews import REASON_MAX_LENGTH, moderate_review
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights


class ReviewForm(forms.ModelForm[Review]):
    """The decision, never the author's words."""

    decision = forms.ChoiceField(
        label=_("décision"),
        choices=[
            ("", _("Pas encore")),
            (ReviewState.PUBLISHED.value, _("Publier")),
            (ReviewState.REFUSED.value, _("Refuser ou retirer")),
        ],
        required=False,
    )
    reason = forms.CharField(
        label=_("motif"),
        required=False,
        max_length=REASON_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Envoyé à l'auteur et consigné ; obligatoire pour refuser."),
    )

    class Meta:
        model = Review
        fields = ()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("decision") == ReviewState.REFUSED and not str(cleaned.get("reason", "")).strip():
            self.add_error("reason", _("Indiquez le motif : l'auteur le recevra."))
        return cleaned


class DecisionInline(StaffRights, admin.TabularInline[ReviewDecision, Review]):
    view_action = StaffAction.SEE_REVIEWS
    model = ReviewDecision
    extra = 0
    can_delete = False
    fields = readonly_fields = ("decided_at", "state_before", "state_after", "reason", "actor")


@admin.register(Review)
class ReviewAdmin(StaffAdmin[Review]):
    """Reviews are published or refused here; their words are their authors'."""

    audited_fields = frozenset()
    view_action = StaffAction.SEE_REVIEWS
    change_action = StaffAction.MODERATE_REVIEW
    form = ReviewForm
    inlines = (DecisionInline,)
    list_display = ("title", "rating", "product", "author_name", "state", "demonstration", "created_at")
    list_filter = ("state", "rating", "demonstration", "language")
    list_select_related = ("product",)
    search_fields = ("title", "text", "author_name", "guest_email", "order_reference")
    date_hierarchy = "created_at"
    readonly_fields = (
        "product",
        "rating",
        "title",
        "text",
        "language",
        "author_name",
        "user",
        "guest_email",
        "order_reference",
        "experience_date",
        "created_at",
        "state",
        "moderation_reason",
        "moderated_by",
        "moderated_at",
        "published_at",
        "demonstration",
    )
    fields = (*readonly_fields, "decision", "reason")

    def save_model(self, request: HttpRequest, obj: Review, form: Any, change: bool) -> None:
        decision = form.cleaned_data.get("decision")
        if decision:
            moderate_review(
                review_id=obj.pk,
                state=ReviewState(decision),
                reason=form.cleaned_data.get("reason", ""),
                moderator_id=request.user.pk,
                moderator=f"#{request.user.pk}",
            )


class WaitingListAdmin(StaffAdmin[Any]):
    """Rows that visitors made: to look at, and to delete when their owner asks."""

    audited_fields = frozenset()
    view_action = StaffAction.SEE_WAITING_LIST
    delete_action = StaffAction.DELETE_FROM_WAITING_LIST


@admin.register(Notice)
class NoticeAdmin(WaitingListAdmin):
    list_display = ("email", "product", "category", "language", "asked_at", "confirmed_at", "sent_at")
    list_filter = (("confirmed_at", admin.EmptyFieldListFilter), ("sent_at", admin.EmptyFieldListFilter))
    list_select_related = ("product", "category")
    search_fields = ("email",)
    # The secret of the mail's links is nobody's business here.
    exclude = ("token",)


@admin.register(Favourite)
class FavouriteAdmin(WaitingListAdmin):
    list_display = ("product", "user", "notify_when_back", "created_at")
    list_filter = ("notify_when_back",)
    list_select_related = ("product", "user")
    search_fields = ("user__email",)
