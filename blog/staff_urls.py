"""Addresses of the blog in the staff area, below `/admin/`."""

from django.urls import path, re_path

from blog.staff import articles, newsletter
from blog.staff.tags import SCREENS

_LETTER = "newsletter/<int:campaign_id>"

urlpatterns = [
    path("blog", articles.article_list, name="staff-articles"),
    path("blog/new", articles.article_new, name="staff-article-new"),
    re_path(r"^blog/(?P<article_id>[0-9]{1,18})$", articles.article_edit, name="staff-article"),
    re_path(
        r"^blog/(?P<article_id>[0-9]{1,18})/(?P<action>publier|depublier|corbeille|restaurer)$",
        articles.article_act,
        name="staff-article-act",
    ),
    *(pattern for screen in SCREENS for pattern in screen.urls()),
    path("newsletter", newsletter.letters, name="staff-newsletter"),
    path("newsletter/abonnes", newsletter.subscribers, name="staff-newsletter-subscribers"),
    path(
        "newsletter/abonnes/<int:subscriber_id>",
        newsletter.suspension,
        name="staff-newsletter-suspension",
    ),
    path(_LETTER, newsletter.letter, name="staff-newsletter-letter"),
    path(f"{_LETTER}/envoyer", newsletter.send, name="staff-newsletter-send"),
    path(f"{_LETTER}/etape", newsletter.step, name="staff-newsletter-step"),
    path(f"{_LETTER}/copier", newsletter.copy, name="staff-newsletter-copy"),
    path(f"{_LETTER}/supprimer", newsletter.delete, name="staff-newsletter-delete"),
    path(f"{_LETTER}/apercu", newsletter.preview, name="staff-newsletter-preview"),
    path(f"{_LETTER}/contenu", newsletter.html, name="staff-newsletter-html"),
    path(f"{_LETTER}/essai", newsletter.test, name="staff-newsletter-test"),
]
