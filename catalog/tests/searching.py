"""What a search finds, as tests compare it."""

from __future__ import annotations

from django.utils.translation import override

from catalog.models import Product
from catalog.selectors.search import find_matches
from catalog.selectors.vocabulary import clean_query, read_query


def found(text: str, language: str = "fr") -> list[str]:
    """The French names of what a text finds, the best first."""
    with override(language):
        keys = find_matches(read_query(clean_query(text))).keys
    names = dict(Product.objects.values_list("pk", "name_fr"))
    return [names[key] for key in keys]
