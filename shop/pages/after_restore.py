"""After a backup was brought back: archives of personal data, which no backup has."""

from shop.core.restored import Restored, after_restore
from shop.pages.models import DataExport


@after_restore("data exports")
def forget_exports(restored: Restored) -> None:
    """Whoever asked asks again."""
    DataExport.objects.all().delete()
