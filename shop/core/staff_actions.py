"""What the people of the shop may do: every action, the permission that it asks for, and the roles that hold it.

Pages, admin actions, buttons and API calls ask `may` or `require`; nothing else decides.
"""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, PermissionsMixin
from django.core.exceptions import PermissionDenied
from django.db import models
from django.utils.translation import gettext_lazy as _


class StaffAction(models.TextChoices):
    """An action: its value is the Django permission that it asks for, its label what people read.

    The permission is that of the row which the action reads or writes, so that an operator can also give it singly.
    """

    SEE_ORDERS = "orders.view_order", _("Voir les commandes")
    FULFIL_ORDER = "orders.add_ordertracking", _("Préparer, expédier et dater une commande")
    CANCEL_ORDER = "orders.change_order", _("Annuler ou rouvrir une commande")
    REMOVE_ORDER = "orders.delete_order", _("Supprimer, archiver ou restaurer une commande")

    SEE_PAYMENTS = "orders.view_payment", _("Voir les paiements et les échéances")
    CHARGE_INSTALLMENT = "orders.add_attempt", _("Débiter une échéance")
    SEND_PAYMENT_LINK = "orders.change_payment", _("Envoyer un lien de paiement")
    WRITE_OFF_INSTALLMENT = "orders.delete_payment", _("Abandonner une échéance")
    PAUSE_INSTALLMENTS = "orders.add_installmentpause", _("Suspendre ou reprendre les échéances")
    ASK_PROVIDER = "orders.change_attempt", _("Demander l'état d'un paiement à Stripe")
    REPLAY_EVENT = "orders.change_stripeevent", _("Traiter à nouveau un évènement Stripe")

    SEE_REFUNDS = "orders.view_refund", _("Voir les remboursements et les litiges")
    REFUND_ORDER = "orders.add_refundrequest", _("Rembourser une commande")
    RECORD_TRANSFER = "orders.add_refund", _("Enregistrer un virement")
    RECORD_TRANSFER_RETURN = "orders.change_refund", _("Enregistrer un virement non abouti")

    SEE_INVOICES = "orders.view_invoice", _("Voir les factures")
    CORRECT_INVOICE = "orders.add_invoice", _("Préparer ou rectifier une facture")
    SEE_BOOKS = "orders.view_ledgerentry", _("Voir les comptes")
    RESOLVE_DISCREPANCY = "orders.change_discrepancy", _("Régler un écart de rapprochement")

    SEE_WITHDRAWALS = "orders.view_withdrawalcase", _("Voir les rétractations")
    FILE_WITHDRAWAL = "orders.add_withdrawal", _("Enregistrer une rétractation reçue")
    HANDLE_RETURN = "orders.change_withdrawalcase", _("Suivre le retour d'une rétractation")
    DECIDE_WITHDRAWAL = "orders.delete_withdrawalcase", _("Accepter ou refuser une rétractation")

    SEE_CONTACTS = "pages.view_contactrequest", _("Voir les demandes de contact")
    ANSWER_CONTACT = "pages.change_contactrequest", _("Répondre à une demande de contact")
    DELETE_CONTACT = "pages.delete_contactrequest", _("Supprimer une demande de contact")
    SEE_REVIEWS = "catalog.view_review", _("Voir les avis clients")
    MODERATE_REVIEW = "catalog.change_review", _("Publier ou refuser un avis")

    SEE_PRODUCTS = "catalog.view_product", _("Voir les produits")
    EDIT_STOCK = "catalog.change_product", _("Modifier le stock d'un produit")
    EDIT_PRODUCT = "catalog.add_product", _("Ajouter ou modifier un produit")
    DELETE_PRODUCT = "catalog.delete_product", _("Supprimer un produit")
    SEE_PRICES = "catalog.view_pricepoint", _("Voir l'historique des prix")
    EDIT_PRICES = "catalog.add_pricepoint", _("Modifier les prix et les promotions")
    EDIT_CATEGORIES = "catalog.change_category", _("Modifier les catégories")
    SEE_WAITING_LIST = "catalog.view_notice", _("Voir les favoris et les alertes")
    DELETE_FROM_WAITING_LIST = "catalog.delete_notice", _("Supprimer un favori ou une alerte")

    EDIT_ARTICLES = "blog.change_article", _("Écrire et publier les articles du blog")
    SEE_NEWSLETTER = "blog.view_campaign", _("Voir les lettres de la newsletter")
    EDIT_NEWSLETTER = "blog.change_campaign", _("Écrire une lettre de la newsletter")
    SEND_NEWSLETTER = "blog.add_campaignrecipient", _("Envoyer une lettre de la newsletter")
    SEE_SUBSCRIBERS = "blog.view_subscriber", _("Voir les abonnés de la newsletter")
    SUSPEND_SUBSCRIBER = "blog.change_subscriber", _("Suspendre un abonné de la newsletter")

    SEE_TEXTS = "pages.view_pagetext", _("Voir les textes")
    EDIT_TEXTS = "pages.change_pagetext", _("Modifier les textes")

    SEE_TERMS = "terms.view_termsversion", _("Voir les versions des conditions de vente")
    PUBLISH_TERMS = "terms.add_termsversion", _("Publier les conditions de vente")

    SEE_SETTINGS = "core.view_shopsettings", _("Voir les réglages")
    EDIT_SETTINGS = "core.change_shopsettings", _("Modifier les réglages")
    EDIT_DELIVERY = "orders.change_shippingzone", _("Modifier les zones de livraison")
    EDIT_VAT = "orders.change_vatrate", _("Modifier les taux de TVA")

    KEEP_BOOKS = "orders.add_filedreturn", _("Tenir les comptes\u00a0: déclarations, versements, banque")

    SEE_AUTOMATION = "integrations.view_apikey", _("Voir les clés d'API et les webhooks")
    EDIT_AUTOMATION = "integrations.change_apikey", _("Gérer les clés d'API et les webhooks")

    SEE_STATISTICS = "statistics.view_dailycount", _("Voir les statistiques de visite")

    SEE_USERS = "accounts.view_user", _("Voir les comptes clients")
    BLOCK_USER = "accounts.change_user", _("Bloquer ou débloquer un compte")
    SEND_ERASURE_LINK = "pages.add_erasure", _("Envoyer un lien d'effacement")
    CHANGE_ROLES = "accounts.change_userrole", _("Changer les rôles")
    SEE_AUDIT = "core.view_auditentry", _("Voir le journal d'audit")

    SEE_MAILS = "core.view_outgoingmail", _("Voir les e-mails envoyés")
    RESEND_MAIL = "core.change_outgoingmail", _("Renvoyer un e-mail")
    SEE_JOBS = "core.view_scheduledjob", _("Voir les tâches planifiées")


# By the role's stored name. The role staff packs and answers.
ROLE_ACTIONS: dict[str, frozenset[StaffAction]] = {
    "admin": frozenset(StaffAction),
    "staff": frozenset(
        {
            StaffAction.SEE_ORDERS,
            StaffAction.FULFIL_ORDER,
            StaffAction.SEE_WITHDRAWALS,
            StaffAction.FILE_WITHDRAWAL,
            StaffAction.HANDLE_RETURN,
            StaffAction.SEE_CONTACTS,
            StaffAction.ANSWER_CONTACT,
            StaffAction.SEE_PRODUCTS,
            StaffAction.EDIT_STOCK,
        }
    ),
}


def may(user: AbstractBaseUser | AnonymousUser, action: StaffAction) -> bool:
    """Return whether this person may do the action now: an active account with access to the administration that
    holds it, and a second factor where the shop asks for one (`STAFF_SECOND_FACTOR`).
    """
    return (
        isinstance(user, PermissionsMixin)
        and getattr(user, "is_staff", False)
        and not getattr(user, "second_factor_missing", False)
        and user.has_perm(action.value)
    )


def require(user: AbstractBaseUser | AnonymousUser, action: StaffAction) -> None:
    """Raise PermissionDenied, which every page and call answers with 403, unless the person may do the action."""
    if not may(user, action):
        raise PermissionDenied(str(action.label))
