from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BlogConfig(AppConfig):
    name = "blog"
    verbose_name = _("Blog")

    def ready(self) -> None:
        from accounts.services.email_changes import register_moved_address
        from blog import personal_data

        # Importing the search registers it.
        from blog.models import ArticlePicture
        from blog.selectors import search  # noqa: F401
        from blog.selectors.articles import next_publication
        from blog.selectors.letters import shown_pictures, what_keeps_category
        from blog.services.newsletter.sending import BULK_KIND, letter_content
        from blog.services.newsletter.subscriptions import move_subscriber
        from blog.services.newsletter.suspensions import suspend_address
        from blog.services.pictures import PICTURE_KIND
        from catalog.selectors.shown_files import register_file_user
        from catalog.services.categories import register_keeper
        from catalog.services.media import register_pictures
        from shop.core.boundaries import register_boundary
        from shop.core.mail_content import register_marketing, register_refused_address, register_resolver

        personal_data.register()
        register_moved_address(move_subscriber)
        register_boundary("articles", next_publication)
        register_file_user(shown_pictures)
        register_keeper(what_keeps_category)
        register_pictures(PICTURE_KIND, ArticlePicture)
        register_resolver(BULK_KIND, letter_content)
        register_refused_address(suspend_address)
        register_marketing(BULK_KIND, "newsletter_letter")
