"""`/admin/taches`: what the shop does by itself, in the words of who reads it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from shop.core.jobs import DAY, RegisteredJob, registered_jobs
from shop.core.models import ScheduledJob
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page

LABELS = {
    "alerts": "Prévenir de ce qui ne marche plus",
    "article-pictures": "Supprimer les images qu'aucun article ne montre",
    "article-trash": "Vider la corbeille du blog",
    "audit-books": "Vérifier factures, commandes et comptes",
    "backup": "Lancer la sauvegarde de la nuit si elle manque",
    "banner-image-sweep": "Préparer les images des bandeaux",
    "books-chain": "Sceller les factures et les mouvements d'argent",
    "books-head": "Envoyer l'empreinte des comptes, chaque mois",
    "cart-reminders": "Rappeler les paniers laissés, à qui l'a demandé",
    "collect-installments": "Annoncer et débiter les échéances",
    "data-exports": "Préparer les archives de données demandées",
    "discarded-files": "Supprimer les autres fichiers qui ne servent plus",
    "ended-counters": "Ranger les compteurs des processus terminés",
    "erasures": "Effacer les comptes qui l'ont demandé",
    "fetch-provider-account": "Lire les frais et les versements de Stripe",
    "image-sweep": "Préparer les photos des produits",
    "invoice-documents": "Faire les PDF des factures et des contrats",
    "issued-numbers": "Noter les derniers numéros de facture",
    "mail-sweep": "Envoyer les e-mails en attente",
    "newsletter": "Envoyer les lettres programmées",
    "notices": "Écrire à qui attend une pièce ou une collection",
    "overdue-deliveries": "Prévenir des livraisons en retard",
    "picture-imports": "Copier les images données par leur adresse",
    "product-trash": "Vider la corbeille des produits",
    "promotions": "Commencer et terminer les promotions",
    "purge-attempt-counters": "Oublier les anciens essais de connexion",
    "queue-pulses": "Demander aux files de travail si elles répondent",
    "reconcile-books": "Comparer les comptes avec Stripe",
    "reconcile-payments": "Vérifier les paiements et les remboursements en cours",
    "retention": "Supprimer ce qui a été gardé assez longtemps",
    "retired-pictures": "Supprimer les fichiers des photos retirées",
    "statistics-days": "Additionner les visites de la veille",
    "turnover-alerts": "Surveiller les plafonds",
    "webhook-sweep": "Appeler les webhooks en attente",
    "withdrawal-alerts": "Rappeler les rétractations à rembourser",
}


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job of the page: what it does, how often, and how it went."""

    label: str
    period: str
    row: ScheduledJob


@staff_page(StaffAction.SEE_JOBS)
def jobs(request: HttpRequest) -> HttpResponseBase:
    """Scheduled jobs, those that failed first. Pulses and a queue's answer are rows too, and no jobs."""
    known = registered_jobs()
    rows = [
        JobRow(LABELS.get(row.name, row.name), period_words(known[row.name]), row)
        for row in ScheduledJob.objects.filter(name__in=known)
    ]
    rows.sort(key=lambda job: (not job.row.last_error, job.label))
    return render(request, "staff/jobs.html", {"jobs": rows})


def period_words(job: RegisteredJob) -> str:
    """How often it runs, and for a daily one at what time of the shop's clock."""
    if job.every >= DAY:
        minutes = f" {job.at.minute:02d}" if job.at.minute else ""
        return f"chaque jour à {job.at.hour} h{minutes}"
    minutes_between = job.every // timedelta(minutes=1)
    if minutes_between < 2:
        return "chaque minute" if minutes_between else "plusieurs fois par minute"
    return "chaque heure" if minutes_between == 60 else f"toutes les {minutes_between} minutes"
