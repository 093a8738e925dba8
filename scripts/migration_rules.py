#!/usr/bin/env python
"""Migrations that can run while the version before them goes on selling.

    scripts/migration_rules.py            names what cannot; exit code 1 when there is some
    scripts/migration_rules.py --accept   takes the migrations that there are for released

New ones are those that `scripts/released_migrations.txt` does not name. One that breaks a rule on purpose says so, and
is run with the shop stopped::

    class Migration(migrations.Migration):
        stops_the_shop = "why it has to"
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from django.db.migrations import operations
from django.db.migrations.migration import Migration
from django.db.models import NOT_PROVIDED

ROOT = Path(__file__).resolve().parent.parent
RELEASED = Path(__file__).resolve().parent / "released_migrations.txt"

LARGE = frozenset(
    {
        *(
            "order",
            "orderitem",
            "orderevent",
            "ordertracking",
            "payment",
            "attempt",
            "ledgerentry",
            "invoice",
        ),
        *(
            "invoicedocument",
            "contract",
            "contractdocument",
            "chainlink",
            "outgoingmail",
            "auditentry",
            "visit",
        ),
        *(
            "searchentry",
            "ordersearchentry",
            "balancemovement",
            "stripeevent",
            "campaignrecipient",
            "dailycount",
        ),
    }
)
"""Tables that grow with every sale or visit: what reads one whole holds a lock that sales wait for."""
GONE = (operations.RemoveField, operations.DeleteModel, operations.RenameField, operations.RenameModel)


def faults(migration: Migration) -> Iterator[str]:
    """Yield what a migration does that the version before it, or a shop that is selling, does not bear."""
    if getattr(migration, "stops_the_shop", ""):
        return
    created = {
        operation.name_lower
        for operation in migration.operations
        if isinstance(operation, operations.CreateModel)
    }
    for operation in migration.operations:
        model = str(getattr(operation, "model_name", getattr(operation, "name", ""))).lower()
        if model in created:
            continue
        what = operation.describe()
        if isinstance(operation, GONE):
            yield f"{what}: the version before still asks for it. Stop using it in one release, remove it in the next."
        elif isinstance(operation, operations.AddField):
            field = operation.field
            given = field.null or field.many_to_many or field.generated
            if not given and field.db_default is NOT_PROVIDED:
                yield f"{what}: the version before inserts rows without it. Give it a db_default, or allow null."
        elif isinstance(operation, operations.AlterField):
            if model in LARGE:
                yield f"{what}: it may rewrite or read a large table. Look at its SQL (manage.py sqlmigrate)."
        elif isinstance(operation, (operations.AddIndex, operations.AddConstraint)):
            if model in LARGE:
                yield f"{what}: sales wait until a large table is read. Use AddIndexConcurrently, or NOT VALID."
        elif isinstance(operation, operations.RunPython) and operation.reverse_code is None:
            yield f"{what}: there is no way back. Give it a reverse, RunPython.noop at least."


def disk_migrations() -> dict[str, Migration]:
    """Return the migrations of the shop's own apps, by `app.name`."""
    from django.apps import apps
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(None, ignore_no_migrations=True)
    return {
        f"{app}.{name}": migration
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if ROOT in Path(apps.get_app_config(app).path).parents
        and ".venv" not in apps.get_app_config(app).path
    }


def main() -> int:
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    os.environ.setdefault("DEBUG", "true")
    import django

    django.setup()
    found = disk_migrations()
    if "--accept" in sys.argv[1:]:
        RELEASED.write_text("".join(f"{name}\n" for name in found))
        return 0
    released = set(RELEASED.read_text().split())
    broken = [
        f"{name}: {fault}"
        for name, migration in found.items()
        if name not in released
        for fault in faults(migration)
    ]
    print(
        "\n".join(broken) or f"{len(set(found) - released)} new migrations, each safe while the shop sells."
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
