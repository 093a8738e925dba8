"""The demonstration's seller, whose mentions look real and name nobody, its texts and its season."""

from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from catalog.models import Category, Product
from shop.core.demo import demo_part
from shop.core.images import store_shipped_image
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.pages.models import SeasonalBanner
from shop.pages.services.content import BANDS, load_texts, set_banner_picture
from shop.pages.shipped import translated
from shop.statistics.demo import write_days
from shop.terms.versions import current_terms, publish_terms

_CHRISTMAS = "noel"
_PICTURE = Path(settings.BASE_DIR) / "catalog" / "demo" / "pictures" / "scene-marche-de-noel.jpg"

# Telephone numbers of the range kept for fiction, an all-zero SIRET, addresses at example.com.
SELLER = {
    "trader_name": "Alix Atelier EI",
    "siret": "000 000 000 00000",
    "address": "1 rue de la Démonstration\n00000 Exempleville\nFrance",
    "email": "boutique@example.com",
    "phone": "01 99 00 12 34",
    "publication_director": "Alix Atelier",
    "host_name": "Hébergeur de démonstration",
    "host_address": "2 rue de la Démonstration\n00000 Exempleville\nFrance",
    "host_phone": "01 99 00 56 78",
    "mediator_name": "Médiation de démonstration",
    "mediator_address": "3 rue de la Démonstration\n00000 Exempleville\nFrance",
    "mediator_url": "https://mediation.example.com",
    "packaging_id": "FR000000_00DEMO",
    "workshop_email": "atelier@example.com",
    "instagram_url": "https://instagram.example.com/etabli",
    "facebook_url": "https://facebook.example.com/etabli",
    # Of nobody: the banner shows, and who agrees is answered by no account.
    "analytics_id": "G-DEMO000000",
    "pixel_id": "000000000000000",
}


@demo_part(order=10)
def load_seller() -> None:
    """Fill the settings sheet, unless somebody has filled it before."""
    if not ShopSettings.objects.exists():
        save_shop_settings(ShopSettings(**SELLER, is_demonstration=True, installments_enabled=True))


@demo_part(order=25)
def publish_first_terms() -> None:
    """The first version of the terms, once texts and delivery zones are there."""
    if current_terms() is None:
        publish_terms(actor=None)


@demo_part(order=20)
def load_page_texts() -> None:
    """Texts and questions, and the band of the coming Christmas; what is there already is left as it is."""
    load_texts()
    if SeasonalBanner.objects.filter(key=_CHRISTMAS).exists():
        return
    starts_at, ends_at = christmas_season(timezone.localtime())
    banner = SeasonalBanner(
        key=_CHRISTMAS,
        link="/noel",
        in_menu=True,
        starts_at=starts_at,
        ends_at=ends_at,
        **translated("season", _CHRISTMAS),
    )
    set_banner_picture(banner=banner, image=store_shipped_image(_PICTURE, BANDS))


@demo_part(order=60)
def load_statistics() -> None:
    """Sixty days of visits to what the demonstration sells."""
    products = Product.objects.filter(is_published=True).order_by("pk").values_list("pk", flat=True)
    collections = Category.objects.order_by("pk").values_list("slug", flat=True)
    write_days(today=timezone.localdate(), products=list(products[:12]), collections=list(collections[:4]))


def christmas_season(today: datetime) -> tuple[datetime, datetime]:
    """From the first of November to the end of Christmas Day: of this year, or of the next once it is over."""
    year = today.year if (today.month, today.day) < (12, 26) else today.year + 1
    zone = timezone.get_current_timezone()
    return datetime(year, 11, 1, tzinfo=zone), datetime(year, 12, 26, tzinfo=zone)
