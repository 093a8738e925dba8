"""Who is who: people with an account, and the roles they hold."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import is_password_usable
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from shop.core.email_addresses import normalise_email
from shop.core.languages import SOURCE_LANGUAGE


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail address; there is no username."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create a member. ``password=None`` leaves the account without a usable password."""
        if not email:
            raise ValueError("A user needs an e-mail address")
        user = self.model(email=normalise_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create an operator who may use every part of Django's admin. Shop roles are given by ``grant_role``."""
        return self.create_user(email, password, **{**fields, "is_staff": True, "is_superuser": True})

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=normalise_email(username or ""))


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account, known by e-mail address (stored normalised, see ``normalise_email``)."""

    email = models.EmailField(_("adresse e-mail"), unique=True)
    first_name = models.CharField(_("prénom"), max_length=150, blank=True)
    last_name = models.CharField(pgettext_lazy("person", "nom"), max_length=150, blank=True)
    language = models.CharField(
        _("langue"), max_length=5, choices=settings.LANGUAGES, default=SOURCE_LANGUAGE
    )
    is_active = models.BooleanField(_("actif"), default=True)
    is_staff = models.BooleanField(_("accès à la gestion"), default=False)
    date_joined = models.DateTimeField(_("membre depuis"), default=timezone.now, editable=False)
    # To the hour; of every session, also those that ended. `last_login` stays where it was while one goes on for years.
    last_seen_at = models.DateTimeField(_("dernière visite"), null=True, blank=True, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("utilisateur")
        verbose_name_plural = _("utilisateurs")
        ordering = ("-date_joined", "-pk")
        constraints = (models.UniqueConstraint(Lower("email"), name="user_email_any_case_unique"),)

    def __str__(self) -> str:
        # What staff read of who did something.
        return "compte supprimé" if self.is_closed else self.email

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Return what a session must match to stay valid: a new password ends it, and so does another role, as each
        role has flags of its own (see ``grant_role``).
        """
        material = f"{self.password}:{int(self.is_staff)}:{int(self.is_superuser)}"
        return salted_hmac("accounts.User.session", material, secret=secret, algorithm="sha256").hexdigest()

    @property
    def is_closed(self) -> bool:
        """Whether an erasure closed the account (`close_account`), for good: who is blocked keeps their password."""
        return not self.is_active and not self.has_usable_password()

    @cached_property
    def has_second_factor(self) -> bool:
        """Whether the account has an authenticator app or a passkey, so that signing in asks for it. One query."""
        factors = Authenticator.objects.exclude(type=Authenticator.Type.RECOVERY_CODES)
        return bool(factors.filter(user_id=self.pk).exists())

    @property
    def second_factor_missing(self) -> bool:
        """Whether the role asks for a second factor that the account lacks: nothing of the administration is allowed
        until it has one. One query, for staff only.
        """
        return bool(settings.STAFF_SECOND_FACTOR) and self.is_staff and not self.has_second_factor

    def get_full_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()

    def get_short_name(self) -> str:
        return self.first_name


# The kinds of allauth's rows, whose own names are English.
FACTOR_NAMES = {
    "totp": _("Application d'authentification"),
    "webauthn": _("Clés d'accès"),
    "recovery_codes": _("Codes de secours"),
}


class Role(models.TextChoices):
    """What a person may do in the shop."""

    ADMIN = "admin", _("Admin")
    STAFF = "staff", _("Équipe")
    USER = "user", _("Membre")


class UserRole(models.Model):
    """The role of one person. Written by ``accounts.services`` only, which keeps at least one admin."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="user_role",
        verbose_name=_("utilisateur"),
    )
    role = models.CharField(_("rôle"), max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(_("attribué le"), auto_now_add=True)

    class Meta:
        db_table = "user_roles"
        verbose_name = _("rôle")
        verbose_name_plural = _("rôles")
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="user_role_known"),
        )

    def __str__(self) -> str:
        return f"{self.user_id}: {self.role}"


class SignUp(models.Model):
    """Somebody asked for an account: what they typed, kept until the address is proved or some days have passed.

    No account exists before the proof, so there is nothing to sign in to, nothing that a stranger could fill with
    data of theirs, and nothing that tells a known address from a new one: both get such a row. `orders` are
    `{"id", "reference"}` of those placed with it.
    """

    id = models.UUIDField(_("clé"), primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(_("adresse e-mail"), db_index=True)
    password = models.CharField(max_length=128, help_text="The hash.")
    first_name = models.CharField(_("prénom"), max_length=150, blank=True)
    last_name = models.CharField(pgettext_lazy("person", "nom"), max_length=150, blank=True)
    language = models.CharField(
        _("langue"), max_length=5, choices=settings.LANGUAGES, default=SOURCE_LANGUAGE
    )
    orders = models.JSONField(_("commandes passées avec cette adresse"), default=list, blank=True)
    created_at = models.DateTimeField(_("demandée le"), default=timezone.now, db_index=True)

    class Meta:
        verbose_name = _("inscription à confirmer")
        verbose_name_plural = _("inscriptions à confirmer")

    def __str__(self) -> str:
        return self.email

    @property
    def has_password(self) -> bool:
        """Whether a password was typed at sign-up."""
        return is_password_usable(self.password)


class Address(models.Model):
    """An address of a member's book, with columns as an order has them. At most one is the first choice of delivery,
    and one of billing. Written by ``accounts.services.addresses``."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="addresses", verbose_name=_("membre")
    )
    label = models.CharField(_("nom de l'adresse"), max_length=60, blank=True)
    first_name = models.CharField(_("prénom"), max_length=100)
    last_name = models.CharField(pgettext_lazy("person", "nom"), max_length=100)
    address = models.CharField(_("adresse"), max_length=250)
    postal_code = models.CharField(_("code postal"), max_length=20, blank=True)
    city = models.CharField(_("ville"), max_length=100)
    country = models.CharField(_("pays (ISO 3166-1)"), max_length=2)
    custom_country = models.CharField(_("autre pays"), max_length=60, blank=True)
    phone = models.CharField(_("téléphone"), max_length=40, blank=True)
    is_delivery_default = models.BooleanField(_("livraison par défaut"), default=False)
    is_billing_default = models.BooleanField(_("facturation par défaut"), default=False)
    created_at = models.DateTimeField(_("créée le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("adresse d'un membre")
        verbose_name_plural = _("adresses des membres")
        ordering = ("-is_delivery_default", "-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("user",),
                condition=models.Q(is_delivery_default=True),
                name="address_one_delivery_default",
            ),
            models.UniqueConstraint(
                fields=("user",),
                condition=models.Q(is_billing_default=True),
                name="address_one_billing_default",
            ),
        )

    def __str__(self) -> str:
        return self.label or f"{self.address}, {self.city}"


class EmailChange(models.Model):
    """A member asked for another e-mail address. It becomes theirs once a link was followed from both mailboxes.

    One a member: another request takes its place, and the links of the first are void. ``session_hash`` is what the
    account's sessions matched then: a new password, or another role, voids it too.
    """

    id = models.UUIDField(_("clé"), primary_key=True, default=uuid.uuid4, editable=False)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="email_change", verbose_name=_("membre")
    )
    new_email = models.EmailField(_("nouvelle adresse"))
    language = models.CharField(
        _("langue"), max_length=5, choices=settings.LANGUAGES, default=SOURCE_LANGUAGE
    )
    session_hash = models.CharField(max_length=64)
    requested_at = models.DateTimeField(_("demandé le"), default=timezone.now, db_index=True)
    old_confirmed_at = models.DateTimeField(_("confirmé depuis l'ancienne adresse"), null=True, blank=True)
    new_confirmed_at = models.DateTimeField(_("confirmé depuis la nouvelle adresse"), null=True, blank=True)

    class Meta:
        verbose_name = _("changement d'adresse e-mail")
        verbose_name_plural = _("changements d'adresse e-mail")

    def __str__(self) -> str:
        return f"{self.user_id}: {self.new_email}"
