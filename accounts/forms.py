"""The plain forms of ``/auth``. They check what was typed; whether it is right, the services say."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from shop.core.models import EMAIL_MAX_LENGTH

EMAIL = forms.EmailInput(attrs={"autocomplete": "email", "class": "input"})


class AddressForm(forms.Form):
    """An e-mail address; its format is the service's affair, so that one message serves every way in."""

    empty_message = _("Veuillez entrer votre adresse e-mail")

    email = forms.CharField(required=False, max_length=EMAIL_MAX_LENGTH * 2, widget=EMAIL)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if any(not str(self.data.get(name, "")).strip() for name in self.fields):
            raise forms.ValidationError(self.empty_message, code="empty")
        return cleaned


class ForgotForm(AddressForm):
    """Asks for the link to choose a new password."""


class CredentialsForm(AddressForm):
    """Address and password, to sign in or to sign up."""

    empty_message = _("Veuillez remplir tous les champs")

    # Never trimmed: a space may be part of a password. Its length is judged by the services, unhashed.
    password = forms.CharField(required=False, strip=False, widget=forms.PasswordInput)


class NewPasswordForm(forms.Form):
    """A new password, typed twice."""

    password = forms.CharField(required=False, strip=False, widget=forms.PasswordInput)
    password_confirmation = forms.CharField(required=False, strip=False, widget=forms.PasswordInput)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        password = cleaned.get("password", "")
        if not password:
            raise forms.ValidationError(_("Veuillez remplir tous les champs"), code="empty")
        if password != cleaned.get("password_confirmation"):
            self.add_error(
                "password_confirmation",
                forms.ValidationError(_("Veuillez confirmer le même mot de passe"), code="mismatch"),
            )
        return cleaned


class OwnPasswordForm(NewPasswordForm):
    """A new password, typed twice, by who types the present one."""

    old_password = forms.CharField(required=False, strip=False, widget=forms.PasswordInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not cleaned.get("old_password"):
            self.add_error("old_password", _("Veuillez entrer votre mot de passe"))
        return cleaned
