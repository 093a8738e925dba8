"""Addresses of story, FAQ, contact, legal pages and member area. Other rooms call them without a namespace."""

from django.urls import path

from shop.pages import views
from shop.pages.contact import ContactView
from shop.pages.members import members_page, return_mails

urlpatterns = [
    path("cgv", views.legal_text, {"page": "terms"}, name="terms"),
    path("conditions-generales-vente", views.terms_alias, name="terms-alias"),
    path("politique-confidentialite", views.legal_text, {"page": "privacy"}, name="privacy"),
    path("mentions-legales", views.legal_text, {"page": "legal-notice"}, name="legal-notice"),
    path("retractation/information", views.legal_text, {"page": "withdrawal-notice"}, name="withdrawal-form"),
    path("notre-histoire", views.story, name="story"),
    path("faq", views.faq, name="faq"),
    path("contact", ContactView.as_view(), name="contact"),
    path("espace-membre", members_page, name="members"),
    path("espace-membre/favoris", return_mails, name="return-mails"),
]
