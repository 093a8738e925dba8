"""French texts that change while their translations stay: saved once these were looked at, since shoppers of other
languages read them, safety warnings too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shop.core.languages import SOURCE_LANGUAGE, TRANSLATIONS
from shop.core.staff_row_fields import digest

STALE = "Le texte français change. Relisez cette traduction\u00a0; si elle est toujours juste, enregistrez à nouveau."
CHOOSE_AGAIN = "Choisissez à nouveau ce fichier\u00a0: la page ne l'a pas gardé."
_FRENCH = f"_{SOURCE_LANGUAGE}"


def ask_to_reread(form: Any, formset: Any, reread: str, files: Iterable[str]) -> str:
    """Mark the translations that good forms of a stored row leave behind, unless the page sends `reread` of the same
    texts, and the `files` to choose again. Return what the next page sends; "" where nothing is to be asked."""
    forms = (form, *(() if formset is None else formset.initial_forms))
    left = [
        (inner, name, inner.cleaned_data.get(french), inner.cleaned_data[name])
        for inner in forms
        for french in inner.changed_data
        if french.endswith(_FRENCH)
        for name in (f"{french.removesuffix(_FRENCH)}_{language}" for language in TRANSLATIONS)
        if name not in inner.changed_data and inner.cleaned_data.get(name)
    ]
    asked = digest(repr([(inner.add_prefix(name), *texts) for inner, name, *texts in left]))
    if not left or asked == reread:
        return ""
    for inner, name, *_texts in left:
        inner.add_error(name, STALE)
    for name in files:
        form.add_error(name, CHOOSE_AGAIN)
    return asked
