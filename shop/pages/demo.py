"""Who sells in the demonstration: mentions that look real and name nobody."""

from shop.core.demo import demo_part
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

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
}


@demo_part(order=10)
def load_seller() -> None:
    """Fills the settings sheet, unless somebody has filled it before."""
    if not ShopSettings.objects.exists():
        save_shop_settings(ShopSettings(**SELLER, is_demonstration=True, installments_enabled=False))
