"""Every address of the shop. Pages carry a language prefix except in French; the API carries none."""

from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from orders.views.webhook import stripe_webhook
from shop.consent.api import ConsentApi
from shop.core import errors, media
from shop.core.api import SchemaApi, report_client_error
from shop.core.site import LanguageRoot, redirect_from_prefix
from shop.pages import sitemaps
from shop.pages.staff.home import staff_home
from shop.pages.views.content import home
from shop.statistics.views import take_event, take_vitals

urlpatterns = [
    path("webhooks/stripe", stripe_webhook, name="stripe-webhook"),
    path("api/schema", SchemaApi.as_view(), name="schema"),
    path("api/client-errors", report_client_error, name="client-errors"),
    path("api/statistics/events", take_event, name="statistics-events"),
    path("api/vitals", take_vitals, name="vitals"),
    path("api/consent", ConsentApi.as_view(), name="api-consent"),
    path("api/", include("catalog.api_urls")),
    path("api/", include("orders.api_urls")),
    path("api/", include("accounts.api_urls")),
    path("api/", include("blog.api_urls")),
    path("api/", include("shop.pages.api_urls")),
    path("functions/v1/", include("catalog.automation_urls")),
    path("functions/v1/", include("orders.automation_urls")),
    path("media/<path:path>", media.serve_media, name="media"),
    path("favicon.ico", sitemaps.favicon, name="favicon"),
    path("robots.txt", sitemaps.robots, name="robots"),
    path("sitemap.xml", sitemaps.sitemap_index, name="sitemap"),
    path("sitemap-pages.xml", sitemaps.page_sitemap, name="sitemap-pages"),
    path("sitemap-products-<int:number>.xml", sitemaps.product_sitemap, name="sitemap-products"),
    path("email-preview", RedirectView.as_view(pattern_name="staff-mails"), name="email-preview"),
    path("admin", staff_home, name="staff-home"),
    path("admin/", include("catalog.staff_urls")),
    path("admin/", include("orders.staff_urls")),
    path("admin/", include("accounts.staff_urls")),
    path("admin/", include("blog.staff_urls")),
    path("admin/", include("shop.pages.staff_urls")),
    path(settings.ADMIN_PATH, admin.site.urls),
]

if settings.DEBUG and not settings.EMAIL_URL:
    urlpatterns += [path("_mails", include("shop.core.mailbox_urls"))]

# French pages have no prefix: who types one gets there all the same.
urlpatterns.append(
    re_path(rf"^{settings.LANGUAGE_CODE}(?:/(?P<rest>.*))?$", redirect_from_prefix, name="french-prefix")
)
urlpatterns.append(LanguageRoot.resolver([path("", home, name="home")]))
urlpatterns += i18n_patterns(
    # First: most visitors ask for these, and each address above one's own takes its part of a request.
    path("", include("catalog.urls")),
    path("", include("shop.pages.urls")),
    path("", include("orders.urls")),
    path("", include("accounts.urls")),
    path("", include("blog.urls")),
    prefix_default_language=False,
)

# The shop's own page instead of Django's technical one, so that development shows what visitors see.
urlpatterns.append(re_path("", errors.page_not_found))

handler400 = errors.bad_request
handler403 = errors.permission_denied
handler404 = errors.page_not_found
handler500 = errors.server_error
