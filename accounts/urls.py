"""Pages of the accounts app."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("auth", views.AuthView.as_view(), name="auth"),
    path("auth/confirmation", views.ConfirmationView.as_view(), name="confirmation"),
    path("auth/confirmation/<str:key>", views.follow_confirmation_link, name="confirm-email"),
    path("auth/nouveau-mot-de-passe", views.NewPasswordView.as_view(), name="new-password"),
    path("auth/nouveau-mot-de-passe/<str:key>", views.follow_reset_link, name="reset-link"),
    path("auth/deconnexion", views.sign_out, name="signout"),
]
