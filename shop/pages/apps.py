from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PagesConfig(AppConfig):
    name = "shop.pages"
    verbose_name = _("Pages et messages")
    label = "pages"

    def ready(self) -> None:
        from accounts.services.email_changes import register_moved_address
        from blog.services.newsletter.subscriptions import REMINDER_MAIL
        from catalog.services.categories import register_keeper
        from catalog.services.notices import move_notices
        from shop.core.boundaries import register_boundary
        from shop.core.mail_content import register_condition, register_marketing, register_resolver
        from shop.core.me_parts import register_me_erasure

        # Importing the checks registers them.
        from shop.pages import checks, personal_data  # noqa: F401
        from shop.pages.selectors.content import next_dated_change, what_keeps_category
        from shop.pages.selectors.legal_texts import draft_terms
        from shop.pages.services.cart_reminders import may_be_sent
        from shop.pages.services.contact import move_messages
        from shop.pages.services.erasures import erase_member
        from shop.pages.services.guest_erasures import MAIL, erasure_link_content
        from shop.terms.versions import register_terms

        personal_data.register()
        register_moved_address(move_notices)
        register_moved_address(move_messages)
        register_boundary("texts", next_dated_change)
        register_keeper(what_keeps_category)
        register_terms(draft_terms)
        register_me_erasure(erase_member)
        register_resolver(MAIL, erasure_link_content)
        register_marketing(REMINDER_MAIL)
        register_condition(REMINDER_MAIL, may_be_sent)
