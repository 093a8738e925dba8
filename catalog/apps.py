from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CatalogConfig(AppConfig):
    name = "catalog"
    verbose_name = _("Catalogue")

    def ready(self) -> None:
        from catalog import personal_data
        from catalog.selectors.favourites import favourite_ids
        from catalog.selectors.pictures import product_files
        from catalog.selectors.product_columns import column_label, product_column
        from catalog.selectors.promotions import next_change
        from catalog.selectors.shown_files import register_file_user
        from shop.core.audit_labels import register_columns
        from shop.core.boundaries import register_boundary
        from shop.core.mail_content import register_marketing
        from shop.core.me_parts import register_me_part

        register_marketing("notice_available", "favourite_available")
        register_columns("catalog.product", product_column, column_label)
        register_boundary("promotions", next_change)
        register_me_part("favourites", favourite_ids)
        # A copy of a product may show the photos of the first.
        register_file_user(product_files)
        personal_data.register()
