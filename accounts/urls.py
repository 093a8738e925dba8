"""Pages of the accounts app."""

from django.urls import path

from accounts import email_change_views, second_step_views, security_views, views
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
    path(
        localized("%(auth)s/%(second_step)s"),
        second_step_views.SecondFactorView.as_view(),
        name="second-factor",
    ),
    path(localized("%(auth)s/%(passkey)s"), second_step_views.sign_in_by_passkey, name="passkey-signin"),
    path(
        localized("%(auth)s/%(passkey)s/%(options)s"),
        second_step_views.passkey_options,
        name="passkey-options",
    ),
    path(localized("%(members)s/%(confirm)s"), second_step_views.confirm_identity, name="confirm-identity"),
    path(localized("%(members)s/%(security)s"), security_views.SecurityView.as_view(), name="security"),
    path(localized("%(members)s/%(security)s/%(app)s"), security_views.AppView.as_view(), name="app"),
    path(
        localized("%(members)s/%(security)s/%(passkey)s"),
        security_views.NewPasskeyView.as_view(),
        name="new-passkey",
    ),
    path(
        localized("%(members)s/%(security)s/%(passkey)s/%(options)s"),
        security_views.new_passkey_options,
        name="new-passkey-options",
    ),
    path(
        localized("%(members)s/%(security)s/%(passkey)s/<int:passkey_id>"),
        security_views.change_passkey,
        name="passkey",
    ),
    path(
        localized("%(members)s/%(security)s/%(codes)s"),
        security_views.RecoveryCodesView.as_view(),
        name="recovery-codes",
    ),
    path(
        localized("%(members)s/%(security)s/%(codes)s/%(file)s"),
        security_views.recovery_codes_file,
        name="recovery-codes-file",
    ),
]
