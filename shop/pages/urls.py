"""Addresses of the legal pages and the member area. Other rooms call them without a namespace."""

from django.urls import path

from shop.pages import views
from shop.pages.members import members_page

urlpatterns = [
    path("cgv", views.legal_text, {"page": "terms"}, name="terms"),
    path("conditions-generales-vente", views.terms_alias, name="terms-alias"),
    path("politique-confidentialite", views.legal_text, {"page": "privacy"}, name="privacy"),
    path("mentions-legales", views.legal_text, {"page": "legal-notice"}, name="legal-notice"),
    path("espace-membre", members_page, name="members"),
]
