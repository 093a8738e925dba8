"""Codes of the bank and the provider, as the people of the shop read them."""

import pytest
from django.utils import translation

from orders.selectors.provider_words import (
    decline_in_words,
    dispute_in_words,
    refund_failure_in_words,
    review_in_words,
)
from orders.selectors.refunds import refund_error_in_words
from shop.core.mail_delivery import render
from shop.core.mail_samples import sample_context
from shop.core.models import OutgoingMail

NBSP = "\u00a0"


def test_the_same_code_means_something_else_where_it_stands():
    assert decline_in_words("insufficient_funds") == "provision insuffisante"
    assert refund_failure_in_words("insufficient_funds") == (
        "pas assez d'argent sur le compte Stripe de la boutique"
    )
    assert decline_in_words("fraudulent") == "la banque soupçonne une fraude"
    assert dispute_in_words("fraudulent") == "le client dit ne pas avoir fait ce paiement"


def test_a_code_that_is_not_known_is_shown_as_it_came():
    assert decline_in_words("brand_new_code") == "brand_new_code"
    assert dispute_in_words("") == ""
    assert refund_failure_in_words("odd") == "odd"
    assert review_in_words("something new") == "something new"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("dispute: needs_response", "Litige bancaire : réponse attendue"),
        ("dispute: lost, under_review", "Litige bancaire : perdu, examiné par la banque"),
        ("amount: 100 instead of 162750", "Stripe parle de 1,00 € au lieu de 1 627,50 €"),
        ("event amount: 100 instead of 4999", "Stripe parle de 1,00 € au lieu de 49,99 €"),
        ("charge: 100 eur instead of 4999 eur", "Stripe parle de 1,00 € au lieu de 49,99 €"),
        (
            "currency: usd instead of eur",
            "Le paiement ne correspond pas à la commande (currency: usd instead of eur)",
        ),
        ("paid without a charge", "Stripe dit « payé » sans montrer de débit"),
        (
            "cards refused: 5",
            "Cartes refusées sur la page de paiement : 5. La boutique la ferme : quelqu'un essaie peut-être des cartes "
            "volées.",
        ),
        (
            "charge not accepted: parameter_missing",
            "Stripe n'accepte pas de débiter une échéance (parameter_missing)",
        ),
    ],
)
def test_why_an_order_is_held(reason, words):
    read = review_in_words(reason).replace(NBSP, " ").replace("\u202f", " ")
    assert read == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("declined", "La banque du client le refuse."),
        ("charge_for_pending_refund_disputed", "Le client a contesté le paiement entre-temps."),
        ("merchant_request", "Arrêté à la demande de la boutique."),
        ("unknown", "Sans explication."),
        ("insufficient_funds", "Votre solde chez Stripe ne suffit pas\u00a0: réessayez quand il est rempli."),
        ("idempotency_error", "idempotency_error"),
        ("", ""),
    ],
)
def test_staff_read_of_each_refund_that_failed_what_to_do_or_what_it_means(code, words):
    assert refund_error_in_words(code) == words


def test_amounts_are_written_in_the_reader_s_language():
    with translation.override("en"):
        assert "€1.00" in review_in_words("amount: 100 instead of 4999")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        ("dispute_alert", "fraudulent", "le client dit ne pas avoir fait ce paiement"),
        ("refund_failed_alert", "expired_or_canceled_card", "la carte du client n'existe plus"),
        ("installment_overdue_alert", "insufficient_funds", "provision insuffisante"),
        (
            "payment_review_alert",
            "amount 100 instead of 162750",
            "Le paiement ne correspond pas à la commande",
        ),
    ],
)
def test_the_mails_to_the_workshop_speak_french_not_codes(kind, code, words):
    context = sample_context(kind)
    assert code in context.values()
    mail = render(OutgoingMail(kind=kind, to="atelier@example.com", language="fr", context=context))
    for part in (mail.text, mail.html.replace("&#x27;", "'")):
        assert words in part
