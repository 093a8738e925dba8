"""How long the page of the audit trail takes among many entries: milliseconds by search.

    DATA_DIR=/tmp/somewhere [DATABASE_URL=postgres://…] python tests/load/audit_trail_bench.py [--entries 1000000]

Whole pages, asked for in this process by an admin, on a database made for it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from datetime import timedelta
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
TRAIL = "/gestion/core/auditentry/"
BATCH = 10_000
ACTIONS = ("product.changed", "product.changed", "product.changed", "refund.decided", "role.changed")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ |= {"DJANGO_SETTINGS_MODULE": "shop.settings", "DEBUG": "true", "STAFF_SECOND_FACTOR": "false"}
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client
    from django.utils import timezone

    from accounts.models import User
    from accounts.tests.people import make_admin
    from shop.core.keyset import write_cursor
    from shop.core.models import AuditEntry

    call_command("migrate", verbosity=0)
    chef = User.objects.filter(is_superuser=True).first() or make_admin()
    now = timezone.now()
    for first in range(AuditEntry.objects.count(), options.entries, BATCH):
        AuditEntry.objects.bulk_create(
            AuditEntry(
                action=ACTIONS[number % len(ACTIONS)],
                subject_type="catalog.product",
                subject_id=str(number % 5000),
                actor_id=chef.pk if number % 100 == 0 else 10_000 + number % 20,
                created_at=now - timedelta(minutes=options.entries - number),
                before={"price": "40.00"},
                after={"price": "45.00"},
            )
            for number in range(first, min(first + BATCH, options.entries))
        )
    client = Client(SERVER_NAME="localhost")
    client.force_login(chef)
    middle = AuditEntry.objects.order_by("created_at")[options.entries // 2]
    day = middle.created_at.date().isoformat()
    cases = {
        "first page": "",
        "half-way, next page": f"?cursor={write_cursor(middle.created_at, middle.pk)}",
        "a person": f"?person={chef.email}",
        "a person who did nothing": "?person=999999999",
        "an action": "?action=role.changed",
        "an action that never was": "?action=mail.resent",
        "an object": "?subject_type=catalog.product&subject_id=77",
        "an object without entries": "?subject_type=catalog.product&subject_id=none",
        "a kind of object": "?subject_type=catalog.product",
        "a kind without entries": "?subject_type=core.shopsettings",
        "a key alone": "?subject_id=77",
        "a key alone that is none": "?subject_id=none",
        "a person, an action, a day": f"?person={chef.email}&action=refund.decided&since={day}&until={day}",
    }
    print(f"{AuditEntry.objects.count()} entries, {options.repeat} times each, median and slowest in ms")
    for name, query in cases.items():
        times = []
        for _ in range(options.repeat):
            start = perf_counter()
            answer = client.get(f"{TRAIL}{query}")
            times.append((perf_counter() - start) * 1000)
            assert answer.status_code == 200, answer.status_code
        print(f"{name:32}{statistics.median(times):9.1f}{max(times):9.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
