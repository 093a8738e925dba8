"""Reviews of the demonstration: marked as such on screen, in no average, in no structured data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from catalog.models import Product, Review, ReviewState


@dataclass(frozen=True, slots=True)
class _DemoReview:
    rating: int
    language: str
    author: str
    title: str
    text: str


# The people are invented.
_REVIEWS = (
    _DemoReview(
        5,
        "fr",
        "Élodie M.",
        "Plus belle qu'en photo",
        "Les ombrages sont d'une finesse incroyable. Elle trône dans le salon.",
    ),
    _DemoReview(
        5,
        "fr",
        "Karim B.",
        "Cadeau réussi",
        "Offerte à mon frère, il a cru à une pièce de collection. Emballage très soigné.",
    ),
    _DemoReview(
        4,
        "fr",
        "Sophie L.",
        "Très jolie, un peu fragile",
        "Peinture superbe. Attention aux pointes, elles sont fines : je l'ai mise sous vitrine.",
    ),
    _DemoReview(
        5,
        "en",
        "Hannah W.",
        "Worth the wait",
        "Three weeks, and every brush stroke shows. The base is heavier than I expected, in a good way.",
    ),
    _DemoReview(
        4, "fr", "Julien R.", "Belle pièce", "Couleurs fidèles aux photos. Le délai a été tenu au jour près."
    ),
    _DemoReview(
        5,
        "de",
        "Markus F.",
        "Wunderschön bemalt",
        "Feine Übergänge, saubere Kanten. Die Verpackung hat alles heil überstanden.",
    ),
    _DemoReview(
        3,
        "fr",
        "Nadia C.",
        "Bien, mais plus petite que prévu",
        "Regardez bien la taille avant de commander. La qualité est là.",
    ),
    _DemoReview(
        5,
        "fr",
        "Thomas G.",
        "Version brute parfaite à peindre",
        "Peu de traces de supports, un léger ponçage et l'apprêt accroche très bien.",
    ),
    _DemoReview(
        5, "es", "Lucía P.", "Preciosa", "Los detalles de la cara son increíbles. Llegó muy bien protegida."
    ),
    _DemoReview(
        4,
        "fr",
        "Marion D.",
        "Mon fils est ravi",
        "Il la voulait pour son bureau. Un petit éclat retouché par l'atelier sans discuter.",
    ),
    _DemoReview(
        5,
        "fr",
        "Bastien V.",
        "Troisième commande",
        "Toujours le même soin. On sent que chaque pièce passe entre des mains.",
    ),
    _DemoReview(5, "fr", "Aurélie T.", "Coup de cœur", "Vue un soir, commandée le lendemain. Aucun regret."),
    _DemoReview(
        4,
        "en",
        "Oliver S.",
        "Lovely little thing",
        "Sits on my desk. One colour is a touch darker than on my screen.",
    ),
    _DemoReview(
        5,
        "fr",
        "Camille N.",
        "Finition impeccable",
        "Le vernis mat évite les reflets, c'est très agréable à regarder.",
    ),
    _DemoReview(
        5,
        "fr",
        "Pauline J.",
        "Merci à l'atelier",
        "Une question posée avant l'achat, une réponse claire, et une figurine superbe.",
    ),
)
_PRODUCTS = 6


def load_reviews() -> None:
    """Spread the reviews over the featured products; with one of them there, nothing is added."""
    if Review.objects.filter(demonstration=True).exists():
        return
    products = list(Product.objects.filter(is_published=True).order_by("-featured", "pk")[:_PRODUCTS])
    if not products:
        return
    now = timezone.now()
    for number, review in enumerate(_REVIEWS):
        published = now - timedelta(days=3 + 9 * number)
        Review.objects.create(
            product=products[number % len(products)],
            author_name=review.author,
            rating=review.rating,
            language=review.language,
            title=review.title,
            text=review.text.replace(" :", "\u00a0:"),
            experience_date=timezone.localdate(published) - timedelta(days=6),
            state=ReviewState.PUBLISHED,
            published_at=published,
            created_at=published - timedelta(days=1),
            demonstration=True,
        )
