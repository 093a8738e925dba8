"""What the accounts hold of people."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import FACTOR_NAMES, Address, EmailChange, SignUp, User
from accounts.services.email_changes import purge_email_changes
from accounts.services.signing_up import purge_sign_ups
from accounts.sessions import end_all_sessions, purge_ended_sessions
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.personal_data import (
    Basis,
    Period,
    Person,
    ProcessingActivity,
    Record,
    RetentionRule,
    record_of,
    register_activity,
    register_last_use,
    register_not_personal,
    register_retention,
)


def register() -> None:
    """Register the activities and rules of the accounts."""
    register_activity(
        ProcessingActivity(
            name="account",
            label=_("Gérer votre compte"),
            purpose=_("Ouvrir un compte, se connecter, retrouver ses commandes"),
            data=_(
                "e-mail, nom, langue, adresses, mot de passe sous forme d'empreinte irréversible, seconde étape de "
                "connexion, appareils connectés, dates d'inscription et de dernière visite"
            ),
            basis=Basis.CONTRACT,
            periods=(
                Period("inactive_years", _("après votre dernière activité")),
                Period("sign_up_days", _("pour une inscription jamais confirmée")),
                Period("email_change_days", _("pour un changement d'adresse e-mail jamais confirmé")),
                Period("session_days", _("après la dernière visite, pour un appareil connecté")),
            ),
            recipients=_("hébergeur"),
            columns={
                "accounts.User": (
                    *("password", "last_login", "last_seen_at"),
                    *("email", "first_name", "last_name", "language"),
                ),
                "accounts.SignUp": ("email", "password", "first_name", "last_name", "language", "orders"),
                "accounts.UserRole": ("user",),
                "accounts.User_groups": ("user",),
                "accounts.User_user_permissions": ("user",),
                "accounts.Address": ("*",),
                "accounts.EmailChange": ("*",),
                "account.EmailAddress": ("user", "email"),
                "account.EmailConfirmation": ("email_address", "key"),
                "mfa.Authenticator": ("*",),
                "usersessions.UserSession": ("*",),
            },
            kept=_("le numéro du compte, sans nom ni adresse, dans les journaux de la gestion"),
            export=_account,
            erase=_erase_account,
        )
    )
    register_not_personal("A right, not a person.", {"accounts.UserRole": ("role",)})
    register_retention(
        RetentionRule("sign-ups", _("Inscriptions jamais confirmées"), "sign_up_days", purge_sign_ups)
    )
    register_retention(
        RetentionRule(
            "email-changes",
            _("Changements d'adresse jamais confirmés"),
            "email_change_days",
            purge_email_changes,
        )
    )
    register_retention(RetentionRule("sessions", _("Appareils connectés"), "session_days", _purge_sessions))
    register_last_use("accounts", _last_visits)


def _account(person: Person) -> list[Record]:
    users = User.objects.filter(pk=person.key)
    addresses = EmailAddress.objects.filter(user_id=person.key).order_by("pk")
    sign_ups = SignUp.objects.filter(person.has_address()).order_by("created_at")
    book = Address.objects.filter(user=person.key).order_by("pk")
    changes = EmailChange.objects.filter(user=person.key)
    factors = Authenticator.objects.filter(user=person.key).order_by("pk")
    sessions = UserSession.objects.filter(user=person.key).order_by("pk")
    return [
        *(
            record_of(
                user,
                *("email", "first_name", "last_name", "language"),
                *("date_joined", "last_login", "last_seen_at"),
            )
            for user in users
        ),
        *(record_of(address, "email", "verified", "primary") for address in addresses),
        *(
            record_of(asked, "email", "first_name", "last_name", "language", "created_at")
            for asked in sign_ups
        ),
        *(
            record_of(
                address,
                *("label", "first_name", "last_name", "address", "postal_code", "city", "country"),
                *("custom_country", "phone"),
            )
            for address in book
        ),
        *(record_of(change, "new_email", "requested_at") for change in changes),
        # Allauth's names of these columns are English.
        *(
            record_of(
                factor,
                type=(_("Seconde étape de connexion"), str(FACTOR_NAMES[factor.type])),
                created_at=(_("Ajoutée le"), factor.created_at),
                last_used_at=(_("Utilisée pour la dernière fois le"), factor.last_used_at),
            )
            for factor in factors
        ),
        *(
            record_of(
                session,
                user_agent=(_("Navigateur"), session.user_agent),
                created_at=(_("Ouvert le"), session.created_at),
                last_seen_at=(_("Vu pour la dernière fois le"), session.last_seen_at),
            )
            for session in sessions
        ),
    ]


def _erase_account(person: Person) -> bool:
    """Whatever would go with the row goes; the row stays, without a word about anybody: orders and journals name it."""
    SignUp.objects.filter(person.has_address()).delete()
    user = User.objects.select_for_update(no_key=True).filter(pk=person.key).first()
    if user is None:
        return True
    end_all_sessions(user)
    for relation in User._meta.related_objects:
        if relation.on_delete is models.CASCADE:
            relation.related_model._base_manager.filter(**{relation.field.name: user}).delete()
    user.email = erased_address(user.pk)
    user.first_name = user.last_name = ""
    user.language = SOURCE_LANGUAGE
    user.last_login = user.last_seen_at = None
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    return True


def _purge_sessions(before: datetime, limit: int) -> int:
    """Sessions say themselves when they end, so many days after the last visit."""
    return purge_ended_sessions(timezone.now(), limit)


def erased_address(key: int) -> str:
    """Return what stands in the place of an erased account's address: nobody can have it (RFC 6761)."""
    return f"{key}@erased.invalid"


def _last_visits(keys: Collection[int]) -> dict[int, datetime]:
    rows = User.objects.filter(pk__in=keys).values_list("pk", "date_joined", "last_login", "last_seen_at")
    return {key: max(filter(None, moments)) for key, *moments in rows}
