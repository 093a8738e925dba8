from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OrdersConfig(AppConfig):
    name = "orders"
    verbose_name = _("Commandes et paiements")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts.joining import register_orders
        from catalog.selectors.purchases import register_purchases
        from orders.invoices import sending
        from orders.selectors.purchases import find_purchase
        from orders.services.joining import join_orders

        register_orders(join_orders)
        register_purchases(find_purchase)
        sending.register()
