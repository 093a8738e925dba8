"""Changes of roles move to the audit trail, where every other change of rights is."""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

ACTION, SUBJECT = "role.changed", "accounts.user"


def move(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    entries = apps.get_model("core", "AuditEntry").objects
    for change in apps.get_model("accounts", "RoleChange").objects.order_by("pk").iterator():
        about = {"action": ACTION, "subject_type": SUBJECT, "subject_id": str(change.user_id)}
        # Entries stay when this step is taken back, and are not written twice.
        if not entries.filter(**about, created_at=change.created_at).exists():
            entries.create(
                **about,
                actor_id=change.changed_by_id,
                created_at=change.created_at,
                before={"role": change.old_role},
                after={"role": change.new_role},
            )


def move_back(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    people = set(apps.get_model("accounts", "User").objects.values_list("pk", flat=True))
    changes = apps.get_model("accounts", "RoleChange").objects
    entries = apps.get_model("core", "AuditEntry").objects.filter(action=ACTION, subject_type=SUBJECT)
    for entry in entries.order_by("created_at", "pk").iterator():
        if int(entry.subject_id) not in people:
            continue
        change = changes.create(
            user_id=int(entry.subject_id),
            old_role=entry.before.get("role", ""),
            new_role=entry.after.get("role", ""),
            changed_by_id=entry.actor_id if entry.actor_id in people else None,
        )
        changes.filter(pk=change.pk).update(created_at=entry.created_at)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('core', '0005_audit_searches'),
    ]

    operations = [
        migrations.RunPython(move, move_back),
        migrations.DeleteModel(name='RoleChange'),
    ]
