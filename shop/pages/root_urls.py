"""Addresses for machines: they carry no language prefix."""

from django.urls import path

from shop.pages import sitemaps

urlpatterns = [
    path("robots.txt", sitemaps.robots, name="robots"),
    path("sitemap.xml", sitemaps.sitemap_index, name="sitemap"),
    path("sitemap-pages.xml", sitemaps.page_sitemap, name="sitemap-pages"),
    path("sitemap-products-<int:number>.xml", sitemaps.product_sitemap, name="sitemap-products"),
]
