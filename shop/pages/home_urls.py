"""The address of the home page; see `shop.core.language_root`."""

from django.urls import path

from shop.pages import views

urlpatterns = [path("", views.home, name="home")]
