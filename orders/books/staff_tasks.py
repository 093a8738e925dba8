"""What waits for a person: each with how many there are and where to deal with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Min, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from catalog.selectors.staff_products import ProductQuery, State, matching_products
from orders.books.oss import due_on, quarters_to_declare
from orders.books.payouts import late_payouts, unknown_lines
from orders.books.urssaf import ended_periods, to_declare
from orders.invoices.tax import is_oss_number_needed
from orders.models import (
    Discrepancy,
    Dispute,
    DisputeState,
    Order,
    Payment,
    PaymentState,
    WithdrawalCase,
)
from orders.models.payment import OPEN_DISPUTES
from orders.models.returns import OPEN_CASES
from orders.selectors.installments import suspended_payments
from orders.selectors.money import waiting_refunds, with_undecided_money
from orders.selectors.withdrawals import REFUND_MAY_WAIT
from orders.selectors.workshop import LATE_AFTER, is_overdue, is_to_make, orders_at_risk
from shop.backups.selectors import backup_is_late, last_backup
from shop.core.dates import day_in_words, shop_day
from shop.core.models import MailState, OutgoingMail, ScheduledJob, ShopSettings
from shop.core.staff_actions import StaffAction, may
from shop.terms.versions import current_number, waits_for_publishing

NAMED = 10
"""How many orders a task names."""


@dataclass(frozen=True, slots=True)
class StaffTask:
    """Something to do, in French, which counts in the singular where it is given. `detail` adds a deadline or names."""

    several: str
    count: int
    url: str
    detail: str = ""
    one: str = ""

    @property
    def label(self) -> str:
        return self.one if self.one and self.count == 1 else self.several


def staff_tasks(today: date, user: AbstractBaseUser | AnonymousUser | None = None) -> list[StaffTask]:
    """Return everything that waits, the most pressing first; nothing that is at zero. For `user`, what they may see.

    One query for each kind.
    """
    wanted = [make for action, make in _MAKERS if user is None or may(user, action)]
    return [task for make in wanted for task in [make(today)] if task.count]


def _discrepancies(today: date) -> StaffTask:
    return StaffTask(
        "Écarts avec Stripe",
        Discrepancy.objects.filter(resolved_at=None).count(),
        reverse("staff-discrepancies"),
        one="Écart avec Stripe",
    )


def _to_review(today: date) -> StaffTask:
    return StaffTask(
        "Commandes à vérifier",
        Order.objects.exclude(review_reason="").count(),
        _orders("review"),
        one="Commande à vérifier",
    )


def _withdrawals(today: date) -> StaffTask:
    waiting = WithdrawalCase.objects.filter(state__in=OPEN_CASES).aggregate(
        count=Count("pk"), first=Min("refund_by", filter=~REFUND_MAY_WAIT)
    )
    first = waiting["first"]
    return StaffTask(
        "Rétractations à traiter",
        waiting["count"],
        reverse("staff-withdrawals"),
        _deadline(_("à rembourser avant le"), first, today) if first else "",
        one="Rétractation à traiter",
    )


def _disputes(today: date) -> StaffTask:
    # Once the answer is sent the bank decides, and nothing is late.
    unanswered = Q(state=DisputeState.NEEDS_RESPONSE)
    open_ones = Dispute.objects.filter(state__in=OPEN_DISPUTES).aggregate(
        count=Count("pk"), first=Min("answer_by", filter=unanswered)
    )
    first = open_ones["first"]
    return StaffTask(
        "Litiges ouverts",
        open_ones["count"],
        reverse("staff-disputes"),
        _deadline(_("réponse attendue avant le"), shop_day(first), today) if first else "",
        one="Litige ouvert",
    )


def _failed_refunds(today: date) -> StaffTask:
    return StaffTask(
        "Remboursements échoués",
        waiting_refunds().count(),
        reverse("staff-refunds"),
        one="Remboursement échoué",
    )


def _overdue(today: date) -> StaffTask:
    return StaffTask(
        "Échéances impayées",
        Payment.objects.filter(state=PaymentState.OVERDUE).count(),
        reverse("staff-payments", query={"liste": "impayees"}),
        one="Échéance impayée",
    )


def _paused(today: date) -> StaffTask:
    return StaffTask(
        "Échéances suspendues",
        suspended_payments().count(),
        reverse("staff-payments", query={"liste": "suspendues"}),
        _("rien n'est débité avant la reprise ou l'expédition"),
        one="Échéance suspendue",
    )


def _retained(today: date) -> StaffTask:
    undecided = list(with_undecided_money().values_list("reference", flat=True))
    return StaffTask(
        "Argent gardé de commandes annulées",
        len(undecided),
        _orders("money"),
        _("à rembourser, ou à garder pour un motif écrit\u00a0: %(orders)s")
        % {"orders": ", ".join(undecided[:NAMED])},
        one="Argent gardé d'une commande annulée",
    )


def _late_orders(today: date) -> StaffTask:
    return StaffTask(
        "Commandes en retard sur leur date promise",
        Order.objects.filter(is_overdue(today)).count(),
        _orders("late"),
        one="Commande en retard sur sa date promise",
    )


def _orders_at_risk(today: date) -> StaffTask:
    """Those whose date has passed are a task of their own."""
    late = list(orders_at_risk(today).order_by("promised_by", "pk").values_list("reference", flat=True))
    return StaffTask(
        "Dates promises qui ne peuvent plus être tenues",
        len(late),
        _orders("at_risk"),
        _("à faire en premier, ou à reporter en prévenant le client\u00a0: %(orders)s")
        % {"orders": ", ".join(late[:NAMED])},
        one="Date promise qui ne peut plus être tenue",
    )


def _orders_to_make(today: date) -> StaffTask:
    """Those that are late are a task of their own."""
    making = Order.objects.filter(is_to_make(today)).aggregate(count=Count("pk"), first=Min(LATE_AFTER))
    first = making["first"]
    return StaffTask(
        "Commandes à préparer",
        making["count"],
        _orders("to_make"),
        _deadline(_("la première est promise pour le"), first, today) if first else "",
        one="Commande à préparer",
    )


def _mails(today: date) -> StaffTask:
    return StaffTask(
        "E-mails en échec",
        OutgoingMail.objects.filter(state=MailState.FAILED).count(),
        reverse("staff-outbox", query={"liste": "echecs"}),
        one="E-mail en échec",
    )


def _jobs(today: date) -> StaffTask:
    return StaffTask(
        "Tâches planifiées en erreur",
        ScheduledJob.objects.exclude(last_error="").count(),
        reverse("staff-jobs"),
        one="Tâche planifiée en erreur",
    )


def _customs(today: date) -> StaffTask:
    return StaffTask(
        "Pièces sans données douanières",
        matching_products(ProductQuery(state=State.CUSTOMS)).count(),
        f"{reverse('staff-products')}?state=customs",
        _("nécessaires aux colis hors de l'Union européenne"),
        one="Pièce sans données douanières",
    )


def _backup(today: date) -> StaffTask:
    now = timezone.now()
    late = backup_is_late(now)
    last = last_backup(now) if late else None
    return StaffTask(
        "Sauvegarde en retard",
        int(late),
        reverse("staff-jobs"),
        _("la dernière date du %(day)s") % {"day": f"{timezone.localtime(last):%d/%m/%Y %H:%M}"}
        if last
        else _("il n'y en a pas encore"),
    )


def _legal(today: date) -> StaffTask:
    missing = [field.label for field in ShopSettings.load().missing_legal_fields()]
    address = reverse("staff-settings")
    if not current_number():
        address = address if missing else reverse("staff-terms")
        missing.append(_("conditions de vente à publier"))
    return StaffTask(
        "Mentions légales manquantes",
        len(missing),
        address,
        ", ".join(missing),
        one="Mention légale manquante",
    )


def _terms(today: date) -> StaffTask:
    return StaffTask(
        "Conditions de vente à publier",
        int(waits_for_publishing()),
        reverse("staff-terms"),
        _("leur texte, ou un réglage qu'il imprime, a changé\u00a0: les clients lisent encore l'ancien"),
    )


def _payouts(today: date) -> StaffTask:
    return StaffTask(
        "Écarts avec la banque",
        late_payouts(today).count() + unknown_lines().count(),
        reverse("staff-payouts"),
        one="Écart avec la banque",
    )


def _oss_return(today: date) -> StaffTask:
    waiting = quarters_to_declare(today)
    return StaffTask(
        "Déclarations de TVA OSS à déposer",
        len(waiting),
        reverse("staff-oss"),
        _deadline(_("à déposer et payer avant le"), due_on(waiting[0]), today) if waiting else "",
        one="Déclaration de TVA OSS à déposer",
    )


def _urssaf_return(today: date) -> StaffTask:
    """A nil return is due too, but of what was before the first movement the shop knows nothing."""
    waiting = to_declare(ended_periods(today))
    words, detail = _("à déclarer avant le"), ""
    if waiting:
        first = waiting[0]
        detail = (
            f"{words} {day_in_words(first.due_on)}, ou plus tard si votre activité vient de commencer"
            if first.may_be_joined
            else _deadline(words, first.due_on, today)
        )
    return StaffTask(
        "Déclarations à l'URSSAF à faire",
        len(waiting),
        reverse("staff-urssaf"),
        detail,
        one="Déclaration à l'URSSAF à faire",
    )


def _oss_number(today: date) -> StaffTask:
    return StaffTask(
        "Inscription OSS absente ou à venir",
        int(is_oss_number_needed(today)),
        reverse("staff-settings-tva"),
        _("les ventes aux particuliers des autres pays de l'Union sont refusées"),
    )


_MAKERS: tuple[tuple[StaffAction, Callable[[date], StaffTask]], ...] = (
    (StaffAction.SEE_BOOKS, _discrepancies),
    (StaffAction.SEE_ORDERS, _to_review),
    (StaffAction.SEE_WITHDRAWALS, _withdrawals),
    (StaffAction.SEE_REFUNDS, _disputes),
    (StaffAction.SEE_REFUNDS, _failed_refunds),
    (StaffAction.SEE_REFUNDS, _retained),
    (StaffAction.SEE_PAYMENTS, _overdue),
    (StaffAction.SEE_PAYMENTS, _paused),
    (StaffAction.SEE_ORDERS, _late_orders),
    (StaffAction.SEE_ORDERS, _orders_at_risk),
    (StaffAction.SEE_ORDERS, _orders_to_make),
    (StaffAction.SEE_MAILS, _mails),
    (StaffAction.SEE_JOBS, _jobs),
    (StaffAction.SEE_JOBS, _backup),
    (StaffAction.SEE_SETTINGS, _legal),
    (StaffAction.PUBLISH_TERMS, _terms),
    (StaffAction.SEE_SETTINGS, _oss_number),
    (StaffAction.SEE_BOOKS, _payouts),
    (StaffAction.SEE_BOOKS, _oss_return),
    (StaffAction.SEE_BOOKS, _urssaf_return),
    (StaffAction.EDIT_PRODUCT, _customs),
)


def _orders(filter_name: str) -> str:
    """The list of orders under a filter of it."""
    return reverse("staff-orders", query={"filtre": filter_name})


def _deadline(words: str, day: date, today: date) -> str:
    left = (day - today).days
    if left < 0:
        late = ngettext("en retard de %(count)d jour", "en retard de %(count)d jours", -left) % {
            "count": -left
        }
        return f"{words} {day_in_words(day)} ({late})"
    return f"{words} {day_in_words(day)}"
