"""What is counted: sums of days for good, and the visits of today for as long as the day lasts."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from shop.core.languages import SOURCE_LANGUAGE

LABEL_LENGTH = 160


class Device(models.TextChoices):
    """What a page is read on, by the size of its window and the way of pointing."""

    PHONE = "phone", _("Téléphone")
    TABLET = "tablet", _("Tablette")
    COMPUTER = "computer", _("Ordinateur")


class Measure(models.TextChoices):
    """What a `DailyCount` counts, and what its label then is."""

    PAGE_VIEW = "page_view", _("page vue")
    # Of a visit: label as far as the visit went in the purchase; a visit counts in each step that it reached.
    VISIT = "visit", _("visite")
    SOURCE = "source", _("visite par provenance")
    CAMPAIGN = "campaign", _("visite par campagne")
    STEP = "step", _("visite par étape d'achat")
    SEARCH = "search", _("recherche")
    EMPTY_SEARCH = "empty_search", _("recherche sans résultat")


class Step(models.TextChoices):
    """How far a visit went; what was paid is known from the orders."""

    PRODUCT = "product", _("a vu une pièce")
    CART = "cart", _("a ajouté au panier")
    CHECKOUT = "checkout", _("a ouvert la commande")


class Metric(models.TextChoices):
    """A web vital, by the name that browsers and their manuals give it."""

    LCP = "LCP", _("affichage du plus grand élément")
    INP = "INP", _("réponse au toucher")
    CLS = "CLS", _("stabilité de la page")
    FCP = "FCP", _("premier affichage")
    TTFB = "TTFB", _("réponse du serveur")


class DailySalt(models.Model):
    """The secret of one day that the hashes of its visits are made with. Deleted at night, and the visits with it."""

    day = models.DateField(unique=True)
    salt = models.CharField(max_length=64)

    objects: ClassVar[models.Manager[DailySalt]] = models.Manager()

    class Meta:
        verbose_name = _("sel d'un jour")
        verbose_name_plural = _("sels d'un jour")

    def __str__(self) -> str:
        return str(self.day)


class Visit(models.Model):
    """What one browser did on one day. Summed into `DailyCount` and deleted the night after.

    `key` is a hash of network, browser and the day's salt. Source and campaign are the first that the day brought.
    """

    day = models.DateField()
    key = models.CharField(max_length=32)
    language = models.CharField(max_length=5, default=SOURCE_LANGUAGE)
    device = models.CharField(max_length=10, choices=Device.choices)
    source = models.CharField(max_length=LABEL_LENGTH, blank=True)
    campaign = models.CharField(max_length=LABEL_LENGTH, blank=True)
    saw_product = models.BooleanField(default=False)
    added_to_cart = models.BooleanField(default=False)
    saw_checkout = models.BooleanField(default=False)

    objects: ClassVar[models.Manager[Visit]] = models.Manager()

    class Meta:
        verbose_name = _("visite du jour")
        verbose_name_plural = _("visites du jour")
        constraints = (models.UniqueConstraint(fields=("day", "key"), name="visit_once_a_day"),)

    def __str__(self) -> str:
        return f"{self.day} {self.key[:8]}"


class DailyCount(models.Model):
    """How often something happened on a day. A measure that has no language, device or label leaves it empty."""

    measure = models.CharField(_("mesure"), max_length=20, choices=Measure.choices)
    day = models.DateField(_("jour"))
    language = models.CharField(_("langue"), max_length=5, blank=True)
    device = models.CharField(_("appareil"), max_length=10, blank=True)
    label = models.CharField(_("détail"), max_length=LABEL_LENGTH, blank=True)
    count = models.PositiveBigIntegerField(_("nombre"))
    is_demonstration = models.BooleanField(_("démonstration"), default=False)

    objects: ClassVar[models.Manager[DailyCount]] = models.Manager()

    class Meta:
        verbose_name = _("total d'un jour")
        verbose_name_plural = _("totaux des jours")
        constraints = (
            models.UniqueConstraint(
                fields=("measure", "day", "language", "device", "label"), name="daily_count_once"
            ),
        )
        indexes = (models.Index(fields=("day",), name="daily_count_day"),)

    def __str__(self) -> str:
        return f"{self.day} {self.measure} {self.label}: {self.count}"


class DailyVital(models.Model):
    """How many measurements of a web vital fell into a bucket (`shop.statistics.vitals`) on a day.

    `page` is the name of a route: what is measured is a kind of page.
    """

    metric = models.CharField(_("mesure"), max_length=5, choices=Metric.choices)
    day = models.DateField(_("jour"))
    page = models.CharField(_("page"), max_length=80)
    device = models.CharField(_("appareil"), max_length=10)
    bucket = models.PositiveSmallIntegerField(_("tranche"))
    count = models.PositiveBigIntegerField(_("nombre"))
    is_demonstration = models.BooleanField(_("démonstration"), default=False)

    objects: ClassVar[models.Manager[DailyVital]] = models.Manager()

    class Meta:
        verbose_name = _("mesure de vitesse d'un jour")
        verbose_name_plural = _("mesures de vitesse des jours")
        constraints = (
            models.UniqueConstraint(
                fields=("metric", "day", "page", "device", "bucket"), name="daily_vital_once"
            ),
        )
        indexes = (models.Index(fields=("day",), name="daily_vital_day"),)

    def __str__(self) -> str:
        return f"{self.day} {self.metric} {self.page}: {self.count}"
