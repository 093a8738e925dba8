"""What visitors left, in Django's admin: reviews, and who waits for what."""

from __future__ import annotations

from django.contrib import admin

from catalog.models import Favourite, Notice, Review, ReviewDecision
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights, YesNoFilter


class DecisionInline(StaffRights, admin.TabularInline[ReviewDecision, Review]):
    view_action = StaffAction.SEE_REVIEWS
    model = ReviewDecision
    fields = readonly_fields = ("decided_at", "state_before", "state_after", "reason", "actor")


@admin.register(Review)
class ReviewAdmin(StaffAdmin[Review]):
    """Reviews and the decisions about them; staff decide on their own screen."""

    view_action = StaffAction.SEE_REVIEWS
    staff_list, staff_row = "staff-reviews", "staff-review"
    inlines = (DecisionInline,)
    list_display = ("title", "rating", "product", "author_name", "state", "demonstration", "created_at")
    list_filter = ("state", "rating", "demonstration", "language")
    list_select_related = ("product",)
    search_fields = ("title", "text", "author_name", "guest_email", "order_reference")
    date_hierarchy = "created_at"
    fields = (
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


@admin.register(Notice)
class NoticeAdmin(StaffAdmin[Notice]):
    """Mails that visitors asked for."""

    view_action = StaffAction.SEE_WAITING_LIST
    staff_list = "staff-waiting-list"
    list_display = ("email", "product", "category", "language", "asked_at", "confirmed_at", "sent_at")
    list_filter = (("confirmed_at", YesNoFilter), ("sent_at", YesNoFilter))
    list_select_related = ("product", "category")
    search_fields = ("email",)
    # The secret of the mail's links is nobody's business here.
    exclude = ("token",)


@admin.register(Favourite)
class FavouriteAdmin(StaffAdmin[Favourite]):
    """Pieces that members saved."""

    view_action = StaffAction.SEE_WAITING_LIST
    staff_list = "staff-favourites"
    list_display = ("product", "user", "notify_when_back", "created_at")
    list_filter = ("notify_when_back",)
    list_select_related = ("product", "user")
    search_fields = ("user__email",)
