"""Django's admin with the shop's own site."""

from django.contrib.admin.apps import AdminConfig


class ShopAdminConfig(AdminConfig):
    default_site = "shop.admin_site.ShopAdminSite"
