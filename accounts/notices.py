"""What ``/auth`` and the page of an account's security say after a redirect, and what the next public page says in the
browser."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from shop.core import limits
from shop.core.client_address import client_address

SESSION_KEY = "auth_notice"
COOKIE = "notice"
COOKIE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence at the top of the page; ``kind`` is ``success``, ``info`` or ``error``."""

    kind: str
    title: str | Promise
    text: str | Promise = ""


NOTICES = {
    "signed_up": Notice(
        "success", _("Inscription réussie"), _("Vérifiez votre e-mail pour confirmer votre compte")
    ),
    "confirmed": Notice(
        "success", _("E-mail confirmé"), _("Votre adresse est confirmée : vous pouvez vous connecter.")
    ),
    "bad_confirmation": Notice(
        "error",
        _("Lien expiré"),
        _(
            "Ce lien de confirmation n'est plus valable. Connectez-vous, ou inscrivez-vous à nouveau "
            "pour en recevoir un autre."
        ),
    ),
    "reset_sent": Notice(
        "success",
        _("E-mail envoyé"),
        _("Si un compte existe à cette adresse, un lien pour choisir un nouveau mot de passe y arrive."),
    ),
    "bad_reset": Notice(
        "error",
        _("Impossible de mettre à jour le mot de passe"),
        _("Ce lien n'est plus valable. Demandez-en un nouveau."),
    ),
    "bad_email_change": Notice(
        "error",
        _("Lien expiré"),
        _(
            "Ce lien n'est plus valable\u00a0: il a déjà servi, il a été remplacé ou il est trop ancien. Votre profil "
            "montre l'adresse de votre compte."
        ),
    ),
    "session_ended": Notice(
        "info",
        _("Session terminée"),
        _("Par sécurité, une session d'administration prend fin au bout de quelque temps. Reconnectez-vous."),
    ),
    "passkey_refused": Notice(
        "error",
        _("Erreur de connexion"),
        _(
            "Cette clé d'accès n'a pas pu être vérifiée. Réessayez, ou connectez-vous avec votre mot de passe."
        ),
    ),
    "second_step_ended": Notice(
        "info", _("Reconnectez-vous"), _("La connexion a attendu trop longtemps. Recommencez.")
    ),
    "password_changed": Notice(
        "success", _("Mot de passe mis à jour"), _("Toutes vos autres sessions ont été fermées.")
    ),
    "session_closed": Notice("success", _("Session fermée")),
    "sessions_closed": Notice("success", _("Toutes vos autres sessions ont été fermées.")),
    "totp_added": Notice("success", _("Application ajoutée"), _("Son code est demandé à chaque connexion.")),
    "totp_removed": Notice("success", _("Application retirée")),
    "passkey_added": Notice("success", _("Clé d'accès ajoutée"), _("Elle vous connecte sans mot de passe.")),
    "passkey_renamed": Notice("success", _("Nom enregistré")),
    "passkey_removed": Notice("success", _("Clé d'accès retirée")),
    "profile_saved": Notice("success", _("Profil enregistré")),
    "newsletter_saved": Notice("success", _("Vos préférences sont enregistrées.")),
    "address_saved": Notice("success", _("Adresse enregistrée")),
    "address_deleted": Notice("success", _("Adresse supprimée")),
    "notice_removed": Notice("success", _("Alerte retirée")),
    "email_change_requested": Notice(
        "success",
        _("Deux e-mails vous attendent"),
        _(
            "Ouvrez le lien de chacun, dans l'ancienne boîte et dans la nouvelle\u00a0: l'adresse change ensuite."
        ),
    ),
    "email_change_cancelled": Notice("success", _("Demande annulée"), _("Votre adresse ne change pas.")),
    "password_set": Notice(
        "success",
        _("Mot de passe mis à jour"),
        _("Vous pouvez vous connecter avec votre nouveau mot de passe."),
    ),
}


def leave_notice(request: HttpRequest, code: str) -> None:
    """Keep a notice for the next page that takes one; strangers without a session have so many of them."""
    if request.session.keys() or limits.consume(limits.VISITOR_NOTICE_NETWORK, client_address(request)):
        request.session[SESSION_KEY] = code


def take_notice(request: HttpRequest) -> Notice | None:
    """Return the notice left by the previous request, once."""
    code = request.session.pop(SESSION_KEY, None) if SESSION_KEY in request.session else None
    return NOTICES.get(str(code))


def end_with_notice(request: HttpRequest, code: str) -> HttpResponseRedirect:
    """Lead to the page that shows the notice, also without scripts: `/auth` has nothing to say to who is signed in."""
    leave_notice(request, code)
    return HttpResponseRedirect(reverse("members" if request.user.is_authenticated else "accounts:auth"))


def leave_toast(response: HttpResponseBase, code: str) -> None:
    """Let the next page show a toast. Public pages are cached, so the browser reads it from a cookie."""
    response.set_cookie(
        COOKIE,
        code,
        max_age=COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=False,
        samesite="Lax",
    )
