from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OrdersConfig(AppConfig):
    name = "orders"
    verbose_name = _("Commandes et paiements")

    def ready(self) -> None:
        from accounts.services.email_changes import register_moved_address
        from accounts.services.signing_up import register_orders
        from catalog.selectors.dispatch import register_dispatch
        from catalog.selectors.held_units import register_held_units
        from catalog.selectors.purchases import register_purchases
        from catalog.selectors.shown_files import register_file_user
        from orders import personal_data, watched
        from orders.selectors.orders import find_purchase, held_units, shown_pictures
        from orders.selectors.promises import dispatch_from
        from orders.selectors.saved_carts import saved_cart_state
        from orders.services.checkout.guest_accounts import move_orders
        from orders.services.checkout.placement import join_orders
        from orders.services.fulfilment.order_links import order_link_content
        from orders.services.invoicing import sending
        from shop.core.mail_content import register_resolver
        from shop.core.me_parts import register_me_part

        register_orders(join_orders)
        register_moved_address(move_orders)
        register_purchases(find_purchase)
        register_held_units(held_units())
        register_file_user(shown_pictures)
        register_dispatch(dispatch_from)
        register_me_part("cart", saved_cart_state)
        sending.register()
        register_resolver("order_link_request", order_link_content)
        personal_data.register()
        watched.register()
