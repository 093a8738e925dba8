"""The accounts on the admin's first page."""

from typing import Any

from django import template
from django.utils import timezone

from orders.books.todo import tasks

register = template.Library()


@register.inclusion_tag("admin/orders/books/_tasks.html", takes_context=True)
def waiting_tasks(context: dict[str, Any]) -> dict[str, Any]:
    """What waits for a person, for operators who may see the ledger; nothing for others."""
    user = context["request"].user
    allowed = user.has_perm("orders.view_ledgerentry")
    return {"allowed": allowed, "tasks": tasks(timezone.localdate()) if allowed else []}
