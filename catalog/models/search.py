"""What the search reads: the words of each product in each language, the vocabulary, and staff's synonyms.

Entries and vocabulary are written by `catalog.services.search_index` alone, for published products alone.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext_lazy as _

from catalog.models.product import Product
from catalog.words import LONGEST_WORD, split_words

LEVELS = (1, 2, 3, 4, 5)
NAME, CATEGORY, OTHER_NAMES, TEASER, DESCRIPTION = LEVELS
"""Where a word stands, the most telling place first. Synonyms of the other places count as the third at best, and so
does the French name of a product that has another one in the reader's language."""

_PK_BITS = 28
_LANGUAGE_BITS = 2


class WordsField(models.TextField[Any, Any]):
    """Distinct words of a–z and 0–9 with single spaces: a `tsvector` in PostgreSQL, plain text elsewhere."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "tsvector" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_placeholder(self, value: Any, compiler: Any, connection: BaseDatabaseWrapper) -> str:
        return "%s::tsvector" if connection.vendor == "postgresql" else "%s"

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        return value if value is None else " ".join(sorted(value.replace("'", "").split(" ")))


class SearchEntry(models.Model):
    """The words by which a product is found in one language.

    Each word is stored once a level, from the level of the place where it stands (1: the name) to the last (5: the
    description), after the language: "fr1dragon". A greater key is a newer product, so that the
    newest matches are read first without sorting.
    """

    id = models.BigIntegerField(primary_key=True)
    product = models.ForeignKey(
        Product, on_delete=models.CASCADE, related_name="search_entries", db_index=False
    )
    language = models.CharField(max_length=2)
    words = WordsField()

    objects: ClassVar[models.Manager[SearchEntry]] = models.Manager()
    _default_manager: ClassVar[models.Manager[SearchEntry]]

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("product", "language"), name="search_entry_once_a_language"),
        )

    def __str__(self) -> str:
        return f"{self.product_id} {self.language}"

    @staticmethod
    def key_of(product_id: int, published_at: Any, language: str) -> int:
        """Seconds of its first publication, then the product, then the language: 63 bits."""
        seconds = max(0, int(published_at.timestamp()))
        number = settings.MODELTRANSLATION_LANGUAGES.index(language)
        return ((seconds << _PK_BITS | product_id) << _LANGUAGE_BITS) | number

    PRODUCT_OF_KEY: ClassVar[str] = f"rowid >> {_LANGUAGE_BITS} & {(1 << _PK_BITS) - 1}"

    @staticmethod
    def language_condition(language: str) -> str:
        """SQL that is true for the keys of a language."""
        number = settings.MODELTRANSLATION_LANGUAGES.index(language)
        return f"id & {(1 << _LANGUAGE_BITS) - 1} = {number}"

    @staticmethod
    def product_of(key: int) -> int:
        """The product of an entry's key."""
        return key >> _LANGUAGE_BITS & ((1 << _PK_BITS) - 1)


class SearchWord(models.Model):
    """A word of the vocabulary of one language, with the number of published products that have it."""

    language = models.CharField(max_length=2)
    word = models.CharField(max_length=LONGEST_WORD)
    stem = models.CharField(max_length=LONGEST_WORD)
    shown = models.CharField(max_length=2 * LONGEST_WORD)
    pieces = models.PositiveIntegerField(default=0)

    objects: ClassVar[models.Manager[SearchWord]] = models.Manager()
    _default_manager: ClassVar[models.Manager[SearchWord]]

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("language", "word"), name="search_word_once_a_language"),
        )
        indexes = (models.Index(fields=("language", "stem"), name="search_word_stem"),)

    def __str__(self) -> str:
        return self.shown


class SearchSpelling(models.Model):
    """A word of the vocabulary, or what is left of it without one letter: see `catalog.words.spelling_keys`."""

    word = models.ForeignKey(SearchWord, on_delete=models.CASCADE, related_name="spellings")
    language = models.CharField(max_length=2)
    key = models.CharField(max_length=LONGEST_WORD)

    objects: ClassVar[models.Manager[SearchSpelling]] = models.Manager()
    _default_manager: ClassVar[models.Manager[SearchSpelling]]

    class Meta:
        indexes = (models.Index(fields=("language", "key"), name="search_spelling_key"),)

    def __str__(self) -> str:
        return self.key


class Synonym(models.Model):
    """Words of one language that mean the same to somebody who searches."""

    MAX_WORDS: ClassVar[int] = 4

    language = models.CharField(_("langue"), max_length=2, choices=settings.LANGUAGES, default="fr")
    words = models.CharField(
        _("mots"),
        max_length=300,
        help_text=_("Séparés par des virgules\u00a0: «\u00a0porte-clés, porte-clefs, anneau\u00a0»."),
    )

    objects: ClassVar[models.Manager[Synonym]] = models.Manager()
    _default_manager: ClassVar[models.Manager[Synonym]]

    class Meta:
        verbose_name = _("groupe de synonymes")
        verbose_name_plural = _("synonymes de la recherche")
        ordering = ("language", "words")
        constraints = (
            models.UniqueConstraint(
                fields=("language", "words"),
                name="synonym_once",
                violation_error_message=_("Ce groupe existe déjà."),
            ),
        )

    def __str__(self) -> str:
        return self.words

    def groups(self) -> list[list[list[str]]]:
        """Each of the expressions as the groups of `split_words`, without those that hold no word."""
        split = (split_words(expression) for expression in self.words.split(","))
        return [
            [[word.plain for word in group] for group in expression] for expression in split if expression
        ]

    def clean(self) -> None:
        expressions = self.groups()
        if self.words and len(expressions) < 2:
            raise ValidationError({"words": _("Écrivez au moins deux mots, séparés par une virgule.")})
        if any(sum(map(len, expression)) > self.MAX_WORDS for expression in expressions):
            raise ValidationError({"words": _("Une expression a quatre mots au plus.")})
