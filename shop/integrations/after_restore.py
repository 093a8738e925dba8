"""After a backup was brought back: keys that were revoked since are forgotten to be."""

from shop.core.audit import record_audit
from shop.core.restored import Restored, after_restore
from shop.integrations.models import ApiKey


@after_restore("API keys")
def revoke_keys(restored: Restored) -> None:
    """All of them, unless the operator knows that none was revoked since."""
    if restored.keeps_api_keys:
        return
    keys = list(ApiKey.objects.select_for_update().filter(revoked_at=None))
    for key in keys:
        key.revoked_at = restored.now
        key.save(update_fields=["revoked_at"])
        record_audit("api_key.revoked", key, actor=None, before={"name": key.name, "prefix": key.prefix})
    if keys:
        restored.notes.append(
            f"Keys of programs revoked: {', '.join(key.name for key in keys)}. Make new ones."
        )
