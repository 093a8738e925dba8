"""What the accounts do by themselves, once a day."""

import logging
from datetime import datetime, time, timedelta

from orders.books.alerts import alert_turnover
from orders.services.reconciliation.nightly import reconcile_days
from orders.stripe import gateway
from shop.core.jobs import scheduled_job

logger = logging.getLogger(__name__)


@scheduled_job("reconcile-books", every=timedelta(days=1), at=time(3, 30))
def reconcile_books(now: datetime) -> None:
    """The ledger against the provider's account. While the provider is away the job fails, and is tried again."""
    try:
        report = reconcile_days(now)
    except gateway.GatewayNotConfigured:
        return
    logger.info(
        "books: %d movements looked at, %d healed, %d open", report.looked_at, report.healed, report.open
    )


@scheduled_job("turnover-alerts", every=timedelta(days=1), at=time(7))
def alert_about_turnover(now: datetime) -> None:
    """Ceilings that come near."""
    alert_turnover(now)
