"""Pages of the accounts app."""

from django.urls import path

from accounts import email_change_views, views
from shop.core.page_slugs import localized

app_name = "accounts"
urlpatterns = [
    path(localized("%(auth)s"), views.AuthView.as_view(), name="auth"),
    path(localized("%(auth)s/%(confirmation)s"), views.ConfirmationView.as_view(), name="confirmation"),
    path(
        localized("%(auth)s/%(confirmation)s/<str:key>"), views.follow_confirmation_link, name="confirm-email"
    ),
    path(localized("%(auth)s/%(new_password)s"), views.NewPasswordView.as_view(), name="new-password"),
    path(localized("%(auth)s/%(new_password)s/<str:key>"), views.follow_reset_link, name="reset-link"),
    path(
        localized("%(auth)s/%(email_change)s"),
        email_change_views.EmailChangeView.as_view(),
        name="email-change",
    ),
    path(
        localized("%(auth)s/%(email_change)s/<str:key>"),
        email_change_views.follow_email_change_link,
        name="email-change-link",
    ),
    path(localized("%(auth)s/%(sign_out)s"), views.sign_out, name="signout"),
]
