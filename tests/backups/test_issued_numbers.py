"""The last number of each year's invoices is stored beside the backups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from orders.models import InvoiceSeries
from orders.tasks import store_issued_numbers
from shop.backups.vault import ISSUED_NUMBERS, open_vault

pytestmark = pytest.mark.django_db


def test_a_new_target_has_the_numbers_of_the_one_before(settings: Any, tmp_path: Path) -> None:
    cache.delete(ISSUED_NUMBERS)
    InvoiceSeries.objects.update_or_create(year=2026, defaults={"last_number": 12})
    for name in ("first", "second"):
        settings.BACKUP_URL = str(tmp_path / name)
        store_issued_numbers(timezone.now())
        assert open_vault().fetch_record(ISSUED_NUMBERS)["2026"] == 12
    cache.delete(ISSUED_NUMBERS)
