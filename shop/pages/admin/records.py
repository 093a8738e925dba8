"""What the shop writes about messages, personal data, programs, visits and itself, in Django's admin: to look up."""

from __future__ import annotations

from functools import partial

from django.contrib import admin

from shop.backups.models import Backup
from shop.consent.models import ConsentProof, ConsentVersion
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import RecordAdmin, YesNoFilter
from shop.integrations.models import (
    ApiKey,
    RepeatedCall,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from shop.pages.models import CartReminder, ContactImage, ContactReply, DataExport, InactivityNotice
from shop.statistics.models import DailyCount, DailyVital
from shop.terms.models import TermsVersion
from shop.watching.models import Incident

show = partial(admin.site.register, admin_class=RecordAdmin)

show(
    ContactReply,
    view_action=StaffAction.SEE_CONTACTS,
    staff_list="staff-messages",
    staff_row="staff-message",
    staff_key="request_id",
    list_display=("created_at", "request", "actor"),
    search_fields=("request__reference", "request__email", "text", "key"),
    ordering=("-pk",),
)
show(
    ContactImage,
    view_action=StaffAction.SEE_CONTACTS,
    staff_list="staff-messages",
    staff_row="staff-message",
    staff_key="request_id",
    list_display=("file", "request", "width", "height"),
    search_fields=("file", "request__reference", "request__email"),
    ordering=("-pk",),
)

show(
    CartReminder,
    view_action=StaffAction.SEE_USERS,
    staff_list="staff-users",
    staff_row="staff-user",
    list_display=("user", "sent_at"),
    search_fields=("user__email",),
)
show(
    DataExport,
    view_action=StaffAction.SEE_USERS,
    staff_list="staff-users",
    staff_row="staff-user",
    staff_key="user_key",
    list_display=(
        *("user_key", "email", "state", "done", "total", "tries"),
        *("requested_at", "ready_at", "expires_at"),
    ),
    list_filter=("state",),
    search_fields=("user_key", "email"),
    # Where the archive lies is for the person whose data it holds.
    exclude=("file",),
)
show(
    InactivityNotice,
    view_action=StaffAction.SEE_USERS,
    staff_list="staff-users",
    staff_row="staff-user",
    staff_key="user_key",
    list_display=("user_key", "announced_at"),
    search_fields=("user_key",),
    ordering=("-pk",),
)
show(
    ConsentProof,
    view_action=StaffAction.SEE_USERS,
    staff_list="staff-register",
    list_display=("recorded_at", "browser_id", "number", "version", "choices", "language"),
    list_filter=("recorded_at",),
    search_fields=("browser_id",),
)
show(
    ConsentVersion,
    view_action=StaffAction.SEE_SETTINGS,
    staff_list="staff-register",
    list_display=("version", "services", "first_answered_at"),
    search_fields=("version",),
    ordering=("-first_answered_at",),
)

show(
    ApiKey,
    view_action=StaffAction.SEE_AUTOMATION,
    staff_list="staff-api-keys",
    list_display=(
        "name",
        "prefix",
        "scopes",
        "created_by",
        "created_at",
        "last_used_at",
        "last_day",
        "revoked_at",
    ),
    list_filter=(("revoked_at", YesNoFilter),),
    search_fields=("name", "prefix"),
    exclude=("secret_hash",),
)
show(
    RepeatedCall,
    view_action=StaffAction.SEE_AUTOMATION,
    staff_list="staff-api-keys",
    list_display=("created_at", "api_key", "idempotency_key", "subject_id"),
    search_fields=("idempotency_key", "api_key__name", "api_key__prefix"),
    ordering=("-pk",),
    exclude=("fingerprint",),
)
show(
    WebhookEndpoint,
    view_action=StaffAction.SEE_AUTOMATION,
    staff_list="staff-webhooks",
    staff_row="staff-webhook",
    list_display=("__str__", "url", "is_active", "paused_at", "created_by", "created_at"),
    list_filter=("is_active", ("paused_at", YesNoFilter)),
    search_fields=("url", "description"),
    exclude=("secret", "former_secret"),
)
show(
    WebhookEvent,
    view_action=StaffAction.SEE_AUTOMATION,
    staff_list="staff-webhooks",
    list_display=("created_at", "kind", "subject", "id", "endpoint", "dispatched_at"),
    list_filter=("created_at", "kind", ("dispatched_at", YesNoFilter)),
    search_fields=("subject",),
)
show(
    WebhookDelivery,
    view_action=StaffAction.SEE_AUTOMATION,
    staff_list="staff-webhooks",
    staff_row="staff-webhook",
    staff_key="endpoint_id",
    list_display=("created_at", "event", "endpoint", "state", "attempts", "next_attempt_at"),
    list_filter=("state",),
    search_fields=("event__subject", "endpoint__url", "endpoint__description"),
    ordering=("-pk",),
)
show(
    WebhookAttempt,
    view_action=StaffAction.SEE_AUTOMATION,
    staff_list="staff-webhooks",
    staff_row="staff-webhook",
    staff_key="delivery.endpoint_id",
    list_display=("started_at", "delivery", "status", "failure", "milliseconds"),
    search_fields=("delivery__event__subject", "failure", "answer"),
    ordering=("-pk",),
)

show(
    DailyCount,
    view_action=StaffAction.SEE_STATISTICS,
    staff_list="staff-statistics",
    list_display=("day", "measure", "label", "language", "device", "count", "is_demonstration"),
    list_filter=("day", "measure", "is_demonstration"),
    search_fields=("label",),
    ordering=("-day", "-pk"),
)
show(
    DailyVital,
    view_action=StaffAction.SEE_STATISTICS,
    staff_list="staff-statistics",
    list_display=("day", "metric", "page", "device", "bucket", "count", "is_demonstration"),
    list_filter=("day", "metric", "is_demonstration"),
    search_fields=("page",),
    ordering=("-day", "-pk"),
)

show(
    TermsVersion,
    view_action=StaffAction.SEE_TERMS,
    staff_list="staff-terms",
    staff_row="staff-terms-version",
    staff_key="number",
    list_display=("number", "published_at", "published_by", "sha256"),
    search_fields=("number", "sha256"),
)
show(
    Incident,
    view_action=StaffAction.SEE_JOBS,
    staff_list="staff-state",
    list_display=(
        "label",
        "name",
        "started_at",
        "last_seen_at",
        "well_at",
        "ended_at",
        "alerted_at",
        "cleared_at",
    ),
    list_filter=("name", ("ended_at", YesNoFilter)),
    search_fields=("name", "label"),
)
show(
    Backup,
    view_action=StaffAction.SEE_JOBS,
    staff_list="staff-state",
    list_display=("name", "made_at", "finished_at", "rows", "files", "size"),
    date_hierarchy="made_at",
    search_fields=("name",),
)
