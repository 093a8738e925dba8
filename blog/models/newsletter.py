"""Who receives the newsletter, and the proof that they asked for it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models import Category


class Topic(models.TextChoices):
    """What a letter is about, and what a subscriber wants to read."""

    ARTICLES = "articles", _("Guides et articles du blog")
    PIECES = "pieces", _("Nouvelles figurines en avant-première")
    PROMOTIONS = "promotions", _("Promotions")


class Purpose(models.TextChoices):
    """What somebody agreed to."""

    NEWSLETTER = "newsletter", _("Newsletter")
    CART_REMINDERS = "cart_reminders", _("Rappels de panier")


class Suspension(models.TextChoices):
    """Why nothing is sent to an address that asked for it."""

    NO_MAILBOX = "no_mailbox", _("La boîte n'existe pas")
    COMPLAINT = "complaint", _("Signalé comme indésirable")
    STAFF = "staff", _("Par l'atelier")


class Subscriber(models.Model):
    """An address that asked for marketing mails, or once did.

    Nothing but the confirmation is sent before `subscribed_at`: anybody can type anybody's address. Either that is set
    or `unsubscribed_at` may be. `cart_reminders_at` is when its owner asked for reminders, which only members get.
    `suspended_at`: nothing is sent, whatever they agreed to. `token` is the secret in the links of the mails.
    `categories` are what it wants to hear of unless `every_category`: who chose one hears of no other once that one is
    deleted (GDPR art. 4(11): a consent is specific). Written by `blog.services.newsletter` alone.
    """

    email = models.EmailField(_("adresse e-mail"), unique=True)
    language = models.CharField(_("langue"), max_length=5, default=settings.LANGUAGE_CODE)
    token = models.CharField(max_length=64, unique=True, editable=False)

    wants_articles = models.BooleanField(Topic.ARTICLES.label, default=True)
    wants_pieces = models.BooleanField(Topic.PIECES.label, default=True)
    wants_promotions = models.BooleanField(Topic.PROMOTIONS.label, default=True)
    every_category = models.BooleanField(_("toutes les collections"), default=True, db_default=True)
    categories = models.ManyToManyField(
        Category, blank=True, related_name="+", verbose_name=_("collections choisies")
    )

    asked_at = models.DateTimeField(_("demandé le"), null=True, blank=True)
    subscribed_at = models.DateTimeField(_("confirmé le"), null=True, blank=True)
    unsubscribed_at = models.DateTimeField(_("désinscrit le"), null=True, blank=True)
    cart_reminders_at = models.DateTimeField(_("rappels de panier acceptés le"), null=True, blank=True)
    suspended_at = models.DateTimeField(_("suspendu le"), null=True, blank=True)
    suspension = models.CharField(
        _("motif de la suspension"), max_length=12, choices=Suspension.choices, blank=True
    )
    created_at = models.DateTimeField(_("créé le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("abonné")
        verbose_name_plural = _("abonnés")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(
                fields=("language", "id"),
                name="subscriber_receives",
                condition=Q(subscribed_at__isnull=False, suspended_at__isnull=True),
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(subscribed_at__isnull=True) | Q(unsubscribed_at__isnull=True),
                name="subscriber_in_or_out",
            ),
            models.CheckConstraint(
                condition=Q(suspended_at__isnull=True, suspension="")
                | Q(suspended_at__isnull=False) & ~Q(suspension=""),
                name="subscriber_suspension_has_reason",
            ),
        )

    def __str__(self) -> str:
        return self.email

    @property
    def receives(self) -> bool:
        """Whether letters are sent to it."""
        return self.subscribed_at is not None and self.suspended_at is None

    @property
    def gets_cart_reminders(self) -> bool:
        """Whether reminders of a cart are sent to it."""
        return self.cart_reminders_at is not None and self.suspended_at is None


class ConsentSource(models.TextChoices):
    """Where somebody said yes or no."""

    PAGE = "page", _("page de la newsletter")
    BLOG = "blog", _("blog")
    API = "api", _("API")
    MAIL = "mail", _("lien d'un e-mail")
    PREFERENCES = "preferences", _("page des préférences")
    PROFILE = "profile", _("espace membre")
    STAFF = "staff", _("atelier")
    SERVER = "server", _("serveur de messagerie")


class ConsentAction(models.TextChoices):
    """What was said."""

    ASKED = "asked", _("demandé")
    CONFIRMED = "confirmed", _("confirmé")
    WITHDRAWN = "withdrawn", _("retiré")
    SUSPENDED = "suspended", _("suspendu")


class ConsentRecord(models.Model):
    """The proof of a consent (GDPR art. 7(1)): what was shown, what was said, when and from where. Only ever added.

    `network` is a keyed hash of the network address, which proves that one and tells nobody another.
    """

    subscriber = models.ForeignKey(
        Subscriber, on_delete=models.CASCADE, related_name="consents", verbose_name=_("abonné")
    )
    purpose = models.CharField(_("pour"), max_length=16, choices=Purpose.choices)
    action = models.CharField(_("réponse"), max_length=10, choices=ConsentAction.choices)
    source = models.CharField(_("où"), max_length=12, choices=ConsentSource.choices)
    text = models.TextField(_("texte affiché"), blank=True)
    text_version = models.CharField(_("version du texte"), max_length=20, blank=True)
    language = models.CharField(_("langue"), max_length=5)
    network = models.CharField(_("empreinte du réseau"), max_length=64, blank=True)
    created_at = models.DateTimeField(_("le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("preuve de consentement")
        verbose_name_plural = _("preuves de consentement")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.purpose} {self.action}"
