"""Reviews of the demonstration: marked as such on screen, in no average, in no structured data."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from catalog.models import Product, Review, ReviewState

# Rating, language, author, title, text. The people are invented.
_REVIEWS: tuple[tuple[int, str, str, str, str], ...] = (
    (
        5,
        "fr",
        "Élodie M.",
        "Plus belle qu'en photo",
        "Les ombrages sont d'une finesse incroyable. Elle trône dans le salon.",
    ),
    (
        5,
        "fr",
        "Karim B.",
        "Cadeau réussi",
        "Offerte à mon frère, il a cru à une pièce de collection. Emballage très soigné.",
    ),
    (
        4,
        "fr",
        "Sophie L.",
        "Très jolie, un peu fragile",
        "Peinture superbe. Attention aux pointes, elles sont fines : je l'ai mise sous vitrine.",
    ),
    (
        5,
        "en",
        "Hannah W.",
        "Worth the wait",
        "Three weeks, and every brush stroke shows. The base is heavier than I expected, in a good way.",
    ),
    (4, "fr", "Julien R.", "Belle pièce", "Couleurs fidèles aux photos. Le délai a été tenu au jour près."),
    (
        5,
        "de",
        "Markus F.",
        "Wunderschön bemalt",
        "Feine Übergänge, saubere Kanten. Die Verpackung hat alles heil überstanden.",
    ),
    (
        3,
        "fr",
        "Nadia C.",
        "Bien, mais plus petite que prévu",
        "Regardez bien la taille avant de commander. La qualité est là.",
    ),
    (
        5,
        "fr",
        "Thomas G.",
        "Version brute parfaite à peindre",
        "Peu de traces de supports, un léger ponçage et l'apprêt accroche très bien.",
    ),
    (5, "es", "Lucía P.", "Preciosa", "Los detalles de la cara son increíbles. Llegó muy bien protegida."),
    (
        4,
        "fr",
        "Marion D.",
        "Mon fils est ravi",
        "Il la voulait pour son bureau. Un petit éclat retouché par l'atelier sans discuter.",
    ),
    (
        5,
        "fr",
        "Bastien V.",
        "Troisième commande",
        "Toujours le même soin. On sent que chaque pièce passe entre des mains.",
    ),
    (5, "fr", "Aurélie T.", "Coup de cœur", "Vue un soir, commandée le lendemain. Aucun regret."),
    (
        4,
        "en",
        "Oliver S.",
        "Lovely little thing",
        "Sits on my desk. One colour is a touch darker than on my screen.",
    ),
    (
        5,
        "fr",
        "Camille N.",
        "Finition impeccable",
        "Le vernis mat évite les reflets, c'est très agréable à regarder.",
    ),
    (
        5,
        "fr",
        "Pauline J.",
        "Merci à l'atelier",
        "Une question posée avant l'achat, une réponse claire, et une figurine superbe.",
    ),
)
_PRODUCTS = 6


def load_reviews() -> None:
    """Spreads the reviews over the featured products; with one of them there, nothing is added."""
    if Review.objects.filter(demonstration=True).exists():
        return
    products = list(Product.objects.filter(is_published=True).order_by("-featured", "pk")[:_PRODUCTS])
    if not products:
        return
    now = timezone.now()
    for number, (rating, language, author, title, text) in enumerate(_REVIEWS):
        published = now - timedelta(days=3 + 9 * number)
        Review.objects.create(
            product=products[number % len(products)],
            author_name=author,
            rating=rating,
            language=language,
            title=title,
            text=text.replace(" :", "\u00a0:"),
            experience_date=timezone.localdate(published) - timedelta(days=6),
            state=ReviewState.PUBLISHED,
            published_at=published,
            created_at=published - timedelta(days=1),
            demonstration=True,
        )
