"""The demonstration's seller, whose mentions look real and name nobody, its texts and its season."""

from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from shop.core.demo import demo_part
from shop.core.images import draw_shipped_image
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.pages.models import SeasonalBanner
from shop.pages.services.content import load_texts, set_banner_picture
from shop.pages.shipped import translated

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
}


@demo_part(order=10)
def load_seller() -> None:
    """Fill the settings sheet, unless somebody has filled it before."""
    if not ShopSettings.objects.exists():
        save_shop_settings(ShopSettings(**SELLER, is_demonstration=True, installments_enabled=True))


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
    set_banner_picture(banner=banner, image=draw_shipped_image(_PICTURE))


def christmas_season(today: datetime) -> tuple[datetime, datetime]:
    """From the first of November to the end of Christmas Day: of this year, or of the next once it is over."""
    year = today.year if (today.month, today.day) < (12, 26) else today.year + 1
    zone = timezone.get_current_timezone()
    return datetime(year, 11, 1, tzinfo=zone), datetime(year, 12, 26, tzinfo=zone)
