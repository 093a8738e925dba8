"""Addresses of the newsletter's pages."""

from django.urls import path

from blog import newsletter_views as newsletter
from shop.core.page_slugs import localized

urlpatterns = [
    path(localized("%(newsletter)s"), newsletter.newsletter, name="newsletter"),
    path(localized("%(newsletter)s/%(ask)s"), newsletter.ask, name="newsletter-ask"),
    path(localized("%(newsletter)s/%(asked)s"), newsletter.asked, name="newsletter-asked"),
    path(localized("%(newsletter)s/%(confirm)s"), newsletter.confirm, name="newsletter-confirm"),
    path(localized("%(newsletter)s/%(preferences)s"), newsletter.preferences, name="newsletter-preferences"),
    path(localized("%(newsletter)s/%(unsubscribe)s"), newsletter.stop, name="newsletter-stop"),
    path(localized("%(newsletter)s/%(letters)s"), newsletter.letters, name="newsletter-letters"),
    path(
        localized("%(newsletter)s/%(letters)s/<int:campaign_id>"), newsletter.letter, name="newsletter-letter"
    ),
]
