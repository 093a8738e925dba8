"""Words as the search compares them: one form for texts and queries, stems, and words that are spelled nearly alike.

Everything that depends on a language is here and in Python, so that every database finds the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

from shop.core.searching import LETTERS

# Marks on letters, and what is not seen at all.
_DROPPED = {"Mn", "Me", "Cf"}
# Signs that mean something by themselves, though Unicode counts some among the punctuation.
_SIGN_CATEGORIES = {"Sm", "Sc", "So", "Pc"}
_SIGNS = frozenset("%&@#*\\")

_APOSTROPHES = str.maketrans(dict.fromkeys("’ʼ‘`´＇", "'"))
# « l'automne », « d'orage », « qu'il »; "dragon's".
_ELISION = re.compile(r"(?<![^\W_])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu)'(?=[^\W_])", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?<=[^\W_])'s(?![^\W_])", re.IGNORECASE)
_HYPHENED = re.compile(r"(?<![^\W_])[^\W_]+(?:[-‐‑][^\W_]+)+")

_HYPHENS = re.compile("[-‐‑]")

LONGEST_WORD = 40
# Shorter words are too near to too many others.
SHORTEST_CORRECTED = 4

_STEMMERS = {"fr": "french", "en": "english", "es": "spanish", "de": "german"}
# Words that say nothing of a piece. They are neither stored nor asked for, unless nothing else was typed.
_EMPTY_WORDS = {
    "fr": "a au aux avec ce ces cette d dans de des du elle en et il ils elles l la le les leur leurs mais ne ou par"
    " pas pour que qui s sa se ses son sous sur un une y",
    "en": "a an and are as at be but by for from he her his in into is it its of on or s she that the their they this"
    " to was with",
    "es": "a al con de del el ella en es la las lo los no o para pero por que se sin su sus un una y",
    "de": "aber als am an auf aus bei das dem den der des die ein eine einem einen einer es er fur hat im in ist mit"
    " nicht oder sie sich und vom von zu zum zur",
}
EMPTY_WORDS = {language: frozenset(words.split()) for language, words in _EMPTY_WORDS.items()}
# What people call every piece of the shop, whether its texts do or not: beside another word they narrow nothing.
_KIND_WORDS = {
    "fr": "figurine figurines statuette statuettes",
    "en": "figure figures figurine figurines statuette statuettes",
    "es": "estatuilla estatuillas figura figuras figurita figuritas",
    "de": "figur figuren figurchen statuette statuetten",
}
KIND_WORDS = {language: frozenset(words.split()) for language, words in _KIND_WORDS.items()}


class Word(NamedTuple):
    """A word as it is compared, and as people write it."""

    plain: str
    shown: str


def normalise(text: str) -> str:
    """Words of lower-case letters without accents and of digits, with single spaces; `ß` is `ss`, `œ` is `oe`.

    Apostrophes, hyphens and punctuation separate words. A sign (`%`, `_`, `€`, a picture) becomes a word that
    spells its number, so that it can be found by an index of letters too. Takes any string, also with lone
    surrogates.
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()).translate(LETTERS)
    return " ".join("".join(map(_plain, folded)).split())


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category in _DROPPED:
        return ""
    if character.isalnum() or category == "Mc":
        return character
    return f" sign{ord(character):x} " if category in _SIGN_CATEGORIES or character in _SIGNS else " "


def split_words(text: str) -> list[list[Word]]:
    """The words of a text, in its order: a word with a hyphen as its parts, every other alone. Elided articles and the
    English possessive are left out. Letters beyond a–z are spelled by their numbers."""
    plain = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    plain = _POSSESSIVE.sub("", _ELISION.sub("", plain))
    groups: list[list[Word]] = []
    for chunk in plain.split():
        position = 0
        for found in _HYPHENED.finditer(chunk):
            groups += [[word] for word in _plain_words(chunk[position : found.start()])]
            groups.append([word for part in _HYPHENS.split(found.group()) for word in _plain_words(part)])
            position = found.end()
        groups += [[word] for word in _plain_words(chunk[position:])]
    return [group for group in groups if group]


def indexed_words(text: str, language: str) -> dict[str, str]:
    """What a text is found by, each with the way to show it: its words, and those with a hyphen written together."""
    words: dict[str, str] = {}
    for group in split_words(text):
        for word in group:
            if word.plain not in EMPTY_WORDS[language]:
                words.setdefault(word.plain, word.shown)
        if len(group) > 1:
            together = "".join(word.plain for word in group)[:LONGEST_WORD]
            words.setdefault(together, "-".join(word.shown for word in group))
    return words


@lru_cache(maxsize=20_000)
def stem(word: str, language: str) -> str:
    """What the forms of a word have in common: « dragon » of « dragons »."""
    stemmed: str = snowballstemmer.stemmer(_STEMMERS[language]).stemWord(word)
    return stemmed


def spelling_keys(word: str) -> set[str]:
    """The word and all that is left of it without one of its letters. Words of which one comes from the other by one
    wrong, missing or added letter, or by two in the wrong order, have a key in common."""
    if len(word) < SHORTEST_CORRECTED:
        return {word}
    return {word} | {word[:index] + word[index + 1 :] for index in range(len(word))}


def distance(one: str, other: str) -> int:
    """How many letters are wrong, missing, added or swapped with their neighbour between two words."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        line = [row]
        for column, wanted in enumerate(other, start=1):
            cost = min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, above = above, line
    return above[-1]


def _plain_words(chunk: str) -> list[Word]:
    words = ["".join(map(_ascii, word))[:LONGEST_WORD] for word in normalise(chunk).split()]
    shown = "".join(character for character in chunk.lower() if character.isalnum())
    return [Word(words[0], shown)] if len(words) == 1 and shown else [Word(word, word) for word in words]


def _ascii(character: str) -> str:
    return character if character.isascii() else f"u{ord(character):x}"


def known_beginnings(words: Iterable[str]) -> str:
    """Distinct words, each after a space; one that another word begins with is left out."""
    chosen: list[str] = []
    for word in sorted(set(words), reverse=True):
        # In this order a word comes right after those that begin with it.
        if not chosen or not chosen[-1].startswith(word):
            chosen.append(word)
    return "".join(f" {word}" for word in reversed(chosen))
