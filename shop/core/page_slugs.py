"""The words in the addresses of the shop's own pages, in each language: `/panier`, `/en/cart`, `/de/warenkorb`.

A page's French address, and every one it had under a language's prefix, leads to it (`shop.pages.middleware`). Calls,
webhooks and the administration have one address each.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from django.utils.functional import lazy

from shop.core.languages import SOURCE_LANGUAGE, active_language


class Words(NamedTuple):
    """One word of an address in each language of the shop."""

    fr: str
    en: str
    es: str
    de: str


PAGE_SLUGS: Final[dict[str, Words]] = {
    # Catalogue
    "products": Words("produits", "products", "productos", "produkte"),
    "product": Words("produit", "product", "producto", "produkt"),
    "favourites": Words("favoris", "favourites", "favoritos", "favoriten"),
    "reviews": Words("avis", "reviews", "opiniones", "bewertungen"),
    "review_rules": Words("avis-clients", "customer-reviews", "opiniones-de-clientes", "kundenbewertungen"),
    "notices": Words("avis", "notices", "avisos", "benachrichtigungen"),
    "ask": Words("demander", "ask", "pedir", "anfordern"),
    "asked": Words("demande", "asked", "pedido", "angefordert"),
    "confirm": Words("confirmer", "confirm", "confirmar", "bestaetigen"),
    "unsubscribe": Words("desinscription", "unsubscribe", "cancelar", "abbestellen"),
    # Purchase
    "cart": Words("panier", "cart", "carrito", "warenkorb"),
    "checkout": Words("checkout", "checkout", "finalizar-compra", "kasse"),
    "payment_result": Words("payment-success", "payment-result", "resultado-del-pago", "zahlungsergebnis"),
    "order": Words("commande", "order", "pedido", "bestellung"),
    "address": Words("adresse", "address", "direccion", "adresse"),
    "account": Words("compte", "account", "cuenta", "konto"),
    "join": Words("rejoindre", "join", "unir", "verbinden"),
    "again": Words("a-nouveau", "again", "de-nuevo", "erneut"),
    "paid_copy": Words("facture-acquittee", "paid-invoice", "factura-pagada", "bezahlte-rechnung"),
    "tracking": Words("suivi-commande", "order-tracking", "seguimiento-de-pedido", "sendungsverfolgung"),
    "payment": Words("paiement", "payment", "pago", "zahlung"),
    "withdrawal": Words("retractation", "withdrawal", "desistimiento", "widerruf"),
    "confirmation": Words("confirmation", "confirmation", "confirmacion", "bestaetigung"),
    "received": Words("recue", "received", "recibido", "eingegangen"),
    "information": Words("information", "information", "informacion", "information"),
    # Newsletter
    "newsletter": Words("newsletter", "newsletter", "boletin", "newsletter"),
    "preferences": Words("preferences", "preferences", "preferencias", "einstellungen"),
    "letters": Words("archives", "archive", "archivo", "archiv"),
    # Members
    "auth": Words("auth", "auth", "acceso", "anmeldung"),
    "new_password": Words("nouveau-mot-de-passe", "new-password", "nueva-contrasena", "neues-passwort"),
    "sign_out": Words("deconnexion", "sign-out", "cerrar-sesion", "abmelden"),
    "members": Words("espace-membre", "member-area", "area-de-cliente", "kundenkonto"),
    "second_step": Words("seconde-etape", "second-step", "segundo-paso", "zweiter-schritt"),
    "passkey": Words("cle-d-acces", "passkey", "clave-de-acceso", "passkey"),
    "options": Words("options", "options", "opciones", "optionen"),
    "security": Words("securite", "security", "seguridad", "sicherheit"),
    "app": Words("application", "app", "aplicacion", "app"),
    "codes": Words("codes", "codes", "codigos", "codes"),
    "file": Words("fichier", "file", "archivo", "datei"),
    "profile": Words("profil", "profile", "perfil", "profil"),
    "addresses": Words("adresses", "addresses", "direcciones", "adressen"),
    "new_address": Words("nouvelle", "new", "nueva", "neu"),
    "delete": Words("supprimer", "delete", "eliminar", "loeschen"),
    "alerts": Words("alertes", "alerts", "alertas", "benachrichtigungen"),
    "email_change": Words("adresse-e-mail", "email-address", "correo-electronico", "e-mail-adresse"),
    "data": Words("donnees", "my-data", "mis-datos", "meine-daten"),
    "archive": Words("archive", "archive", "archivo", "archiv"),
    "erasure": Words("effacement", "erasure", "supresion", "loeschung"),
    # Texts
    "terms": Words("cgv", "terms-of-sale", "condiciones-de-venta", "agb"),
    "privacy": Words("politique-confidentialite", "privacy-policy", "politica-de-privacidad", "datenschutz"),
    "cookies": Words("politique-cookies", "cookie-policy", "politica-de-cookies", "cookie-richtlinie"),
    "legal_notice": Words("mentions-legales", "legal-notice", "aviso-legal", "impressum"),
    "story": Words("notre-histoire", "our-story", "nuestra-historia", "unsere-geschichte"),
    "faq": Words("faq", "faq", "preguntas-frecuentes", "faq"),
    "contact": Words("contact", "contact", "contacto", "kontakt"),
    # Blog
    "blog": Words("blog", "blog", "blog", "blog"),
    "preview": Words("apercu", "preview", "vista-previa", "vorschau"),
}


def localized(route: str) -> str:
    """Return a route or a pattern whose words, such as `%(cart)s`, are those of the language it is asked in.

    Django makes one table of addresses a language of it. Raises `KeyError` for a word that `PAGE_SLUGS` lacks.
    """
    _in_language(route, SOURCE_LANGUAGE)
    return lazy(lambda: _in_language(route, active_language()), str)()


def _in_language(route: str, language: str) -> str:
    return route % {name: getattr(words, language) for name, words in PAGE_SLUGS.items()}
