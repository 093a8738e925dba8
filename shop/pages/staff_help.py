"""The help of each screen of the staff area: two sentences, which stand in the same words in `docs/owner.md`."""

from __future__ import annotations

from dataclasses import dataclass

# Of one picture, as a phone shows it.
PICTURE_SIZE = (390, 520)
MOST_BYTES = 25 * 1024


@dataclass(frozen=True, slots=True)
class Help:
    """What a screen is for and what to know about it.

    `pages` are the names of its routes, without `staff-`; pages below one (`zones-edit` below `zones`) have its help.
    """

    title: str
    pages: tuple[str, ...]
    sentences: tuple[str, str]

    @property
    def name(self) -> str:
        """The page that its picture shows."""
        return self.pages[0]

    @property
    def picture(self) -> str:
        """The static file that `scripts/help_pictures.py` drew."""
        return f"help/{self.name}.webp"


HELP = (
    Help(
        "Accueil",
        ("home",),
        (
            "Ce qui attend quelqu'un aujourd'hui, le plus pressé d'abord\u00a0; touchez une ligne pour "
            "aller la faire.",
            "À droite, les ventes de la semaine à côté de celles d'avant, et le travail qui attend "
            "l'atelier.",
        ),
    ),
    Help(
        "Commandes",
        ("orders", "order"),
        (
            "Une commande payée arrive en Confirmée\u00a0; changez son statut et le client reçoit l'e-mail "
            "qui va avec.",
            "Ce qui n'est pas proposé ne peut pas se faire maintenant\u00a0: la page dit pourquoi.",
        ),
    ),
    Help(
        "Produits",
        ("products", "product"),
        (
            "Le nom, la catégorie et le prix suffisent pour commencer\u00a0; un texte vide montre le "
            "français.",
            "Laissez la quantité vide pour une pièce faite à la commande\u00a0: avec un nombre, la "
            "dernière n'est vendue qu'une fois.",
        ),
    ),
    Help(
        "Promotions",
        ("promotions",),
        (
            "Donnez un début et une fin : la promotion commence et s'arrête d'elle-même, à l'heure dite.",
            "Enregistrez pour voir ce qu'elle fait à chaque prix ; « Terminer maintenant » rend "
            "aussitôt les prix d'avant.",
        ),
    ),
    Help(
        "Atelier",
        ("board",),
        (
            "Une carte est une pièce, la plus pressée en haut\u00a0: glissez-la, ou touchez «\u00a0Étape "
            "suivante\u00a0».",
            "La première pièce qui quitte «\u00a0À imprimer\u00a0» passe sa commande En préparation et "
            "prévient le client\u00a0; «\u00a0Expédiée\u00a0» se fait à la page Expédition ou depuis la "
            "commande.",
        ),
    ),
    Help(
        "Expédition",
        ("dispatch",),
        (
            "Les commandes dont toutes les pièces sont «\u00a0À emballer\u00a0» attendent ici\u00a0: "
            "scannez ou cochez celles qui partent, tapez leurs numéros ou collez le fichier du "
            "transporteur.",
            "Relisez, expédiez\u00a0: chaque client reçoit son e-mail une minute plus tard.",
        ),
    ),
    Help(
        "Messages",
        ("messages", "message"),
        (
            "Ceux qui attendent une réponse sont montrés d'abord\u00a0; votre réponse part par e-mail et "
            "le message devient répondu.",
            "Si vous avez répondu ailleurs, touchez Marquer comme répondu.",
        ),
    ),
    Help(
        "Avis",
        ("reviews", "review"),
        (
            "Personne ne voit un avis avant que vous l'ayez publié\u00a0; un refus demande un motif, que "
            "l'auteur reçoit.",
            "Une note basse n'est jamais un motif, et personne ne change les mots de l'auteur.",
        ),
    ),
    Help(
        "Comptes",
        ("books", "receipts", "oss", "urssaf", "reporting", "entries"),
        (
            "L'année mois par mois, ce qui reste à régler, et les plafonds à surveiller.",
            "Chaque ligne du livre des recettes porte le jour où l'argent a bougé.",
        ),
    ),
    Help(
        "Versements",
        ("payouts", "payout", "bank-import"),
        (
            "Ce que Stripe a versé à votre banque, ce que chaque versement contient, et ses frais mois par mois.",
            "Envoyez le relevé de la banque en CSV\u00a0: la boutique rapproche les versements et ne garde "
            "aucune autre ligne.",
        ),
    ),
    Help(
        "Factures",
        ("invoices",),
        (
            "Toute la série, sans trou\u00a0: chaque facture et chaque avoir a son PDF.",
            "Une facture émise ne change jamais\u00a0: la rectifier émet un avoir et une nouvelle facture.",
        ),
    ),
    Help(
        "Rétractations",
        ("withdrawals", "withdrawal"),
        (
            "Elles sont rangées par urgence\u00a0; la page de chacune dit ce qu'il faut faire et jusqu'à "
            "quand.",
            "Remboursez toujours depuis la rétractation\u00a0: elle seule compte les échéances arrêtées.",
        ),
    ),
    Help(
        "Litiges",
        ("disputes",),
        (
            "La banque d'un client reprend un paiement\u00a0: répondez chez Stripe avant le jour indiqué.",
            "Tant que le litige est ouvert, la commande ne peut être ni envoyée ni remboursée.",
        ),
    ),
    Help(
        "Remboursements et virements",
        (
            "refunds",
            "refund",
        ),
        (
            "Un remboursement échoué se réessaie sur la carte\u00a0; quand elle n'existe plus, convenez "
            "d'un virement avec le client, faites-le à votre banque, puis notez-le ici.",
            "La boutique n'envoie elle-même aucun virement.",
        ),
    ),
    Help(
        "Échéances",
        (
            "payments",
            "order-installments",
        ),
        (
            "Chaque paiement est à son jour\u00a0: ceux qui viennent, ceux que la banque a refusés, ceux "
            "qui sont suspendus.",
            "Ouvrez-en un pour le débiter, renvoyer le lien de paiement ou l'abandonner\u00a0; rien n'est"
            " fait avant que la page suivante l'ait dit et demandé.",
        ),
    ),
    Help(
        "Évènements Stripe",
        ("stripe-events",),
        (
            "Ce que Stripe a envoyé et que la boutique n'a pas pu traiter attend ici ; elle réessaie seule.",
            "Une fois la cause réglée, cochez et traitez à nouveau : deux fois ne font jamais plus qu'une."
            " Ce qui échoue toujours peut être mis de côté.",
        ),
    ),
    Help(
        "Écarts avec Stripe",
        (
            "discrepancies",
            "discrepancy",
        ),
        (
            "Chaque nuit, la boutique compare trois jours de Stripe à son livre\u00a0: elle corrige ce "
            "qu'elle peut, le reste attend ici.",
            "Vérifiez chez Stripe et dans la commande, puis cochez et écrivez l'explication\u00a0; elle "
            "reste avec l'écart.",
        ),
    ),
    Help(
        "Statistiques",
        ("statistics",),
        (
            "Combien de visites, d'où elles viennent, ce qu'elles cherchent sans le trouver, et où elles "
            "s'arrêtent avant de payer.",
            "La boutique compte elle-même, sans cookie\u00a0: une visite est un navigateur pendant un jour, et les "
            "vôtres n'en sont pas.",
        ),
    ),
    Help(
        "Catégories",
        ("categories",),
        (
            "Glissez les lignes, ou montez et descendez-les\u00a0: c'est l'ordre des menus et de l'accueil.",
            "Une adresse que vous changez mène à la nouvelle\u00a0; une catégorie qui a des pièces ne se "
            "supprime pas.",
        ),
    ),
    Help(
        "Alertes et favoris",
        ("waiting-list", "notice", "favourites", "favourite"),
        (
            "Qui a demandé un e-mail au retour d'une pièce ou à l'ouverture d'une collection, et combien de "
            "membres gardent chaque pièce.",
            "La boutique écrit seule quand la pièce revient ; supprimez une ligne quand la personne le demande.",
        ),
    ),
    Help(
        "Blog",
        ("articles", "article", "tags"),
        (
            "Un titre, un extrait et un texte suffisent\u00a0; ce que vous tapez est gardé pendant que vous "
            "écrivez, et chaque enregistrement reste dans les versions.",
            "Sans «\u00a0Publier immédiatement\u00a0», l'article reste un brouillon, ou paraît à la date que "
            "vous donnez\u00a0; l'aperçu se partage par son lien.",
        ),
    ),
    Help(
        "Textes",
        ("texts", "passages", "faq", "banners", "official", "redirects", "sections", "synonyms"),
        (
            "Tout ce que les pages disent, en quatre langues\u00a0; un texte sans traduction montre le "
            "français.",
            "Les boutons Aperçu montrent une ligne sur sa page avant que quelqu'un d'autre la voie.",
        ),
    ),
    Help(
        "Newsletter",
        ("newsletter",),
        (
            "Une lettre part dans les langues que vous avez écrites\u00a0: avant l'envoi, la page dit combien "
            "de personnes la reçoivent.",
            "Les e-mails des commandes passent toujours d'abord\u00a0; vous pouvez mettre en pause, reprendre "
            "ou arrêter.",
        ),
    ),
    Help(
        "Abonnés de la newsletter",
        ("newsletter-subscribers",),
        (
            "Chacun a confirmé son adresse et se désinscrit d'un clic\u00a0: personne n'est ajouté à la main.",
            "Suspendez une adresse qui n'existe plus ou dont quelqu'un s'est plaint\u00a0: plus rien n'y part.",
        ),
    ),
    Help(
        "E-mails",
        ("mails", "mail"),
        (
            "Chaque e-mail que la boutique envoie, avec des données d'exemple ou celles d'une vraie "
            "commande.",
            "M'envoyer ce message ne l'envoie qu'à vous.",
        ),
    ),
    Help(
        "E-mails envoyés",
        ("outbox", "sent-mail"),
        (
            "Ce que la boutique a écrit, à qui et quand\u00a0; un e-mail en échec dit pourquoi.",
            "Corrigez la cause, puis renvoyez-le.",
        ),
    ),
    Help(
        "Utilisateurs",
        ("users", "user"),
        (
            "Admin peut tout\u00a0; Équipe prépare, expédie et répond\u00a0; Membre n'a que son espace.",
            "Avant de changer un rôle, la boutique redemande votre code ou votre mot de passe\u00a0; le "
            "dernier administrateur le reste.",
        ),
    ),
    Help(
        "Réglages",
        ("settings", "vat", "accounts", "stops", "territories"),
        (
            "Ce qui est saisi ici est montré partout\u00a0: pages légales, paniers, factures et e-mails.",
            "Si deux personnes changent le même champ, la seconde voit ce que la première a enregistré.",
        ),
    ),
    Help(
        "Fermetures de l'atelier",
        ("closures",),
        (
            "Toutes les pages annoncent une fermeture deux semaines avant, et les dates promises en "
            "tiennent compte.",
            "Les dates déjà promises restent\u00a0: celles que vous ne pourrez pas tenir sont dans "
            "«\u00a0À faire\u00a0».",
        ),
    ),
    Help(
        "Zones de livraison",
        ("zones",),
        (
            "Un pays est dans une seule zone\u00a0; la zone de tous les autres pays reste toujours.",
            "Un colis plus lourd ne coûte jamais moins cher qu'un plus léger.",
        ),
    ),
    Help(
        "Clés d'API",
        (
            "api-keys",
            "api-key",
        ),
        (
            "Une clé laisse un autre programme lire ou écrire vos produits\u00a0; elle n'est montrée "
            "qu'une fois.",
            "Révoquez celle dont vous ne savez plus qui l'a\u00a0: ce programme n'entre plus, les autres "
            "ne remarquent rien.",
        ),
    ),
    Help(
        "Webhooks",
        (
            "webhooks",
            "webhook",
        ),
        (
            "Quand une commande est payée, qu'un stock ou un produit change, la boutique appelle "
            "l'adresse d'un autre programme.",
            "S'il ne répond pas, elle réessaie pendant un jour, puis s'arrête et vous écrit\u00a0; rien "
            "n'est perdu.",
        ),
    ),
    Help(
        "Conditions de vente",
        ("terms",),
        (
            "Les clients acceptent la dernière version publiée ; un texte ou un réglage changé attend que vous "
            "publiiez.",
            "Une version publiée ne change plus : chaque commande garde le numéro de la sienne.",
        ),
    ),
    Help(
        "Données personnelles",
        ("register", "erasures", "nights"),
        (
            "Ce que la boutique garde des gens, pourquoi et combien de temps\u00a0: le registre que la loi "
            "demande, tenu par le code lui-même.",
            "En dessous, les effacements demandés et ce que chaque nuit a supprimé.",
        ),
    ),
    Help(
        "État",
        ("state",),
        (
            "Ce qui fait marcher la boutique\u00a0: chaque ligne dit depuis quand, et quoi faire quand elle est rouge.",
            "Une ligne rouge part aussi par e-mail, une fois\u00a0; un second e-mail dit quand tout va bien à nouveau.",
        ),
    ),
    Help(
        "Tâches planifiées",
        ("jobs",),
        (
            "Ce que la boutique fait seule, à quelle heure, et quand elle l'a fait pour la dernière fois.",
            "Une tâche en retard se signale aussi sur l'accueil\u00a0: prévenez qui exploite la boutique.",
        ),
    ),
    Help(
        "Journal d'audit",
        ("audit",),
        (
            "Qui a changé quoi, quand, et de quelle valeur à quelle valeur.",
            "Personne ne peut changer ni supprimer une ligne, pas même la boutique.",
        ),
    ),
)
_BY_PAGE = {page: entry for entry in HELP for page in entry.pages}


def help_of(view_name: str) -> Help | None:
    """Return the help of the page with this route, or of the page above it."""
    page = view_name.removeprefix("staff-")
    while page:
        if page in _BY_PAGE:
            return _BY_PAGE[page]
        page = page.rpartition("-")[0]
    return None
