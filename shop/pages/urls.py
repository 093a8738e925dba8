"""Addresses of story, FAQ, contact, legal pages and member area. Other apps name them without a namespace."""

from django.urls import path

from shop.core.page_slugs import localized
from shop.pages.views import content, personal_data, profile
from shop.pages.views.contact import ContactView
from shop.pages.views.members import members_page, remove_one, return_mails

urlpatterns = [
    path(localized("%(terms)s"), content.terms, name="terms"),
    path(localized("%(terms)s/<str:number>"), content.terms, name="terms-version"),
    path("conditions-generales-vente", content.terms_alias, name="terms-alias"),
    path(localized("%(privacy)s"), content.legal_text, {"page": "privacy"}, name="privacy"),
    path(localized("%(cookies)s"), content.legal_text, {"page": "cookies"}, name="cookies"),
    path(localized("%(legal_notice)s"), content.legal_text, {"page": "legal-notice"}, name="legal-notice"),
    path(
        localized("%(withdrawal)s/%(information)s"),
        content.legal_text,
        {"page": "withdrawal-notice"},
        name="withdrawal-form",
    ),
    path(localized("%(story)s"), content.story, name="story"),
    path(localized("%(faq)s"), content.faq, name="faq"),
    path(localized("%(contact)s"), ContactView.as_view(), name="contact"),
    path(localized("%(members)s"), members_page, name="members"),
    path(localized("%(members)s/%(data)s"), personal_data.data_page, name="members-data"),
    path(
        localized("%(members)s/%(data)s/%(archive)s"),
        personal_data.export_request,
        name="members-data-export",
    ),
    path(
        localized("%(members)s/%(data)s/%(archive)s/<uuid:key>"),
        personal_data.export_file,
        name="members-data-file",
    ),
    path(
        localized("%(members)s/%(data)s/%(erasure)s"), personal_data.erasure_request, name="members-erasure"
    ),
    path(localized("%(erasure)s"), personal_data.erasure_link, name="erasure-link"),
    path(localized("%(members)s/%(favourites)s"), return_mails, name="return-mails"),
    path(localized("%(members)s/%(favourites)s/%(delete)s"), remove_one, name="remove-favourite"),
    path(localized("%(members)s/%(profile)s"), profile.save_profile, name="members-profile"),
    path(localized("%(members)s/%(newsletter)s"), profile.save_newsletter, name="members-newsletter"),
    path(
        localized("%(members)s/%(alerts)s/%(delete)s"),
        profile.remove_notice,
        name="members-notice-delete",
    ),
    path(localized("%(members)s/%(email_change)s"), profile.change_email, name="members-email"),
    path(
        localized("%(members)s/%(addresses)s/%(new_address)s"),
        profile.address_page,
        name="members-address-new",
    ),
    path(
        localized("%(members)s/%(addresses)s/<int:address_id>"), profile.address_page, name="members-address"
    ),
    path(
        localized("%(members)s/%(addresses)s/<int:address_id>/%(delete)s"),
        profile.remove_address,
        name="members-address-delete",
    ),
]
