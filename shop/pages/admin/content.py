"""What pages say, in Django's admin: to look up. Staff keep it on their own screens."""

from __future__ import annotations

from typing import Any

from django.contrib import admin

from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin
from shop.pages.models import FaqEntry, HomeSection, OfficialText, PageText, Redirect, SeasonalBanner


class ContentAdmin(StaffAdmin[Any]):
    """Rows of pages."""

    view_action = StaffAction.SEE_TEXTS
    list_per_page = 50


@admin.register(FaqEntry)
class FaqEntryAdmin(ContentAdmin):
    staff_list, staff_row = "staff-faq", "staff-faq-edit"
    list_display = ("question", "category", "on_home", "on_contact", "on_faq", "position", "is_published")
    list_filter = ("category", "is_published", "on_home", "on_contact")
    search_fields = ("question_fr", "answer_fr", "question_en", "question_es", "question_de")


@admin.register(PageText)
class PageTextAdmin(ContentAdmin):
    staff_list, staff_row = "staff-passages", "staff-passages-edit"
    list_display = ("key", "title", "starts_at", "ends_at")
    search_fields = ("key", "title_fr", "body_fr")


@admin.register(SeasonalBanner)
class SeasonalBannerAdmin(ContentAdmin):
    staff_list, staff_row = "staff-banners", "staff-banners-edit"
    list_display = ("title", "starts_at", "ends_at", "in_menu")
    search_fields = ("title_fr", "text_fr")


@admin.register(HomeSection)
class HomeSectionAdmin(ContentAdmin):
    staff_list, staff_row = "staff-sections", "staff-sections-edit"
    list_display = ("kind", "position", "is_visible", "starts_on", "ends_on")


@admin.register(Redirect)
class RedirectAdmin(ContentAdmin):
    staff_list, staff_row = "staff-redirects", "staff-redirects-edit"
    list_display = ("old_path", "new_path", "created_at")
    search_fields = ("old_path", "new_path")


@admin.register(OfficialText)
class OfficialTextAdmin(ContentAdmin):
    staff_list, staff_row = "staff-official", "staff-official-edit"
    list_display = ("kind", "language", "updated_at")
    list_filter = ("kind", "language")
