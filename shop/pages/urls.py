"""Addresses of story, FAQ, contact, legal pages and member area. Other apps name them without a namespace."""

from django.urls import path

from shop.pages.views import content
from shop.pages.views.contact import ContactView
from shop.pages.views.members import members_page, return_mails

urlpatterns = [
    path("cgv", content.legal_text, {"page": "terms"}, name="terms"),
    path("conditions-generales-vente", content.terms_alias, name="terms-alias"),
    path("politique-confidentialite", content.legal_text, {"page": "privacy"}, name="privacy"),
    path("mentions-legales", content.legal_text, {"page": "legal-notice"}, name="legal-notice"),
    path(
        "retractation/information", content.legal_text, {"page": "withdrawal-notice"}, name="withdrawal-form"
    ),
    path("notre-histoire", content.story, name="story"),
    path("faq", content.faq, name="faq"),
    path("contact", ContactView.as_view(), name="contact"),
    path("espace-membre", members_page, name="members"),
    path("espace-membre/favoris", return_mails, name="return-mails"),
]
