"""Scheduled jobs of orders beside those in `tasks`."""

from datetime import datetime, time, timedelta

from orders.books import jobs as books
from orders.services.fulfilment.delivery_promises import report_overdue_orders
from orders.services.withdrawals.cases import alert_open_cases
from shop.core.jobs import scheduled_job

__all__ = ["books"]


@scheduled_job("overdue-deliveries", every=timedelta(days=1), at=time(8))
def announce_overdue_deliveries(now: datetime) -> None:
    """Promised dates that have passed: customers learn what they may do."""
    report_overdue_orders(now)


@scheduled_job("withdrawal-alerts", every=timedelta(days=1), at=time(8))
def alert_withdrawals(now: datetime) -> None:
    """Refunds of declarations that are due soon, or now."""
    alert_open_cases(now)
