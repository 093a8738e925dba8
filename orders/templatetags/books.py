"""The accounts on the admin's first page."""

from typing import Any

from django import template
from django.utils import timezone

from orders.books.todo import sees_tasks, tasks
from shop.core.staff_actions import StaffAction, may

register = template.Library()


@register.inclusion_tag("admin/orders/books/_tasks.html", takes_context=True)
def waiting_tasks(context: dict[str, Any]) -> dict[str, Any]:
    """What waits for a person, as far as they may see it."""
    user = context["request"].user
    return {
        "allowed": sees_tasks(user),
        "has_books": may(user, StaffAction.SEE_BOOKS),
        "tasks": tasks(timezone.localdate(), user),
    }
