"""What an order's page says about withdrawing from it."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from orders.access import access_token
from orders.models import Order
from orders.models.returns import OPEN_CASES
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.withdrawals import cases_of, withdrawal_path

register = template.Library()


@register.simple_tag
def withdrawal_panel(order: Order) -> dict[str, Any]:
    """What `orders/_withdrawal.html` shows: until when, the link of the function (L221-21), and what was declared.

    Three queries at most; nothing for an unpaid order. `all_withdrawn` also takes the promised date off the page.

    The link carries the order's signature: who sees this page may follow it without signing in.
    """
    if order.paid_at is None:
        return {"shown": False}
    cases = cases_of(order)
    if not order.is_paid and not cases:
        return {"shown": False}
    deadline = withdrawal_deadline(order)
    return {
        "shown": True,
        "deadline": deadline,
        "is_over": deadline is not None and deadline < timezone.localdate(),
        "url": withdrawal_path(order, access_token(order)),
        "cases": cases,
        "all_withdrawn": any(
            case.state in OPEN_CASES and not case.goods and not case.withdrawal.lines.all() for case in cases
        ),
    }
