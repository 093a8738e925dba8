#!/usr/bin/env python
"""The gettext catalogues, kept without GNU gettext: extract, update, fill in, check, compile.

French is the language of the sources. ``locale/{en,es,de}`` hold one entry for every message; ``locale/fr``
holds only messages with a plural, for French counts zero as singular and gettext's fallback does not.
Files are sorted and carry neither dates nor line numbers: a diff shows what changed and nothing else.

    scripts/messages.py update             bring every catalogue in step with the sources
    scripts/messages.py missing en         what still has to be translated, as JSON
    scripts/messages.py fill en file.json  take translations from such a JSON
    scripts/messages.py check              fail on anything missing, unused, empty, fuzzy or malformed
    scripts/messages.py compile            write the .mo files (not committed)
"""

from __future__ import annotations

import argparse
import fcntl
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SOURCE_LANGUAGE = "fr"
PLURALS = {
    "fr": "nplurals=2; plural=(n > 1);",
    "en": "nplurals=2; plural=(n != 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "de": "nplurals=2; plural=(n != 1);",
}
TRANSLATED = [language for language in PLURALS if language != SOURCE_LANGUAGE]
SOURCE_FOLDERS = ("shop", "catalog", "orders", "accounts", "blog", "templates")
TEMPLATE_SUFFIXES = {".html", ".txt", ".xml"}
KEYWORDS: dict[str, Any] = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
HEADER = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""
# What gettext itself puts between a context and a message; used in the JSON of `missing` and `fill`.
CONTEXT_MARK = "\x04"

PLACEHOLDER = re.compile(r"%\(\w+\)[sdif]|(?<!%)%[sdif]|\{\w*\}")
TAG = re.compile(r"</?([a-zA-Z][\w-]*)")
# French puts a no-break space before high punctuation and inside guillemets.
BAD_FRENCH_SPACE = re.compile(r" [:;!?»](?=\s|$|[^\w/])|« ")


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """One message of the sources: its text, its plural ("" when it has none) and its context."""

    text: str
    context: str = ""
    plural: str = ""

    @property
    def key(self) -> str:
        return f"{self.context}{CONTEXT_MARK}{self.text}" if self.context else self.text


Translation = str | tuple[str, ...]


def source_files(root: Path = ROOT) -> Iterator[Path]:
    """Python modules and templates that may hold messages; never tests or migrations."""
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root).parts
            if {"tests", "migrations", "node_modules", "__pycache__"} & set(inside):
                continue
            if path.suffix == ".py" or (path.suffix in TEMPLATE_SUFFIXES and "templates" in inside):
                yield path


def messages_of(path: Path) -> Iterator[Message]:
    """Every message of one file.

    :raises ValueError: the file cannot be read as Python or as a template.
    """
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        source = template_as_python(source, origin=str(path))
    try:
        for _, found, _, context in extract("python", io.BytesIO(source.encode()), keywords=KEYWORDS):
            text, plural = (found[0], found[1]) if isinstance(found, tuple) else (found, "")
            if text:
                yield Message(text=text, context=context or "", plural=plural or "")
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def template_as_python(source: str, *, origin: str) -> str:
    """A Django template as Python that calls gettext with its messages."""
    from django.utils.translation.template import templatize

    # Indentation means nothing in a template and everything to Python's tokenizer.
    return "\n".join(line.lstrip() for line in templatize(source, origin=origin).splitlines()) + "\n"


def extract_messages(files: Iterable[Path]) -> list[Message]:
    """Messages of all files, sorted, one entry a text and context.

    :raises ValueError: a text is used with two different plurals.
    """
    found: dict[str, Message] = {}
    for path in files:
        for message in messages_of(path):
            known = found.get(message.key)
            if known is not None and known.plural and message.plural and known.plural != message.plural:
                raise ValueError(f"{path}: {message.text!r} has two plurals.")
            if known is None or message.plural:
                found[message.key] = message
    return sorted(found.values())


def catalogue_path(language: str, root: Path = ROOT) -> Path:
    return root / "locale" / language / "LC_MESSAGES" / "django.po"


def read_catalogue(language: str, root: Path = ROOT) -> Catalog:
    """The catalogue of a language, empty when there is no file yet."""
    path = catalogue_path(language, root)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as stream:
        return read_po(stream, locale=language)


def translations(catalogue: Catalog) -> dict[str, Translation]:
    """What a catalogue holds, by key; fuzzy entries count as empty."""
    held: dict[str, Translation] = {}
    for entry in catalogue:
        if entry.id:
            text = entry.id[0] if isinstance(entry.id, tuple | list) else entry.id
            key = f"{entry.context}{CONTEXT_MARK}{text}" if entry.context else text
            string = tuple(entry.string) if isinstance(entry.string, tuple | list) else entry.string or ""
            held[key] = ("" if isinstance(string, str) else ("",) * 2) if entry.fuzzy else string
    return held


def write_catalogue(
    language: str, messages: Iterable[Message], held: dict[str, Translation], root: Path = ROOT
) -> None:
    """Write the catalogue of ``messages`` with the translations held for them; replaces the file at once."""
    catalogue = Catalog(locale=language)
    for message in messages:
        string = held.get(message.key, "")
        if message.plural:
            forms = string if isinstance(string, tuple) else (string, "")
            catalogue.add((message.text, message.plural), forms, context=message.context or None)
        else:
            catalogue.add(
                message.text,
                string if isinstance(string, str) else string[0],
                context=message.context or None,
            )
    body = io.BytesIO()
    write_po(body, catalogue, omit_header=True, no_location=True, sort_output=True, width=0)
    path = catalogue_path(language, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    header = HEADER.format(language=language, plurals=PLURALS[language])
    fresh = path.with_suffix(".po.new")
    fresh.write_text(header + body.getvalue().decode().strip() + "\n", encoding="utf-8")
    fresh.replace(path)


def update(root: Path = ROOT) -> dict[str, int]:
    """Bring every catalogue in step with the sources; how many entries are still empty, by language."""
    messages = extract_messages(source_files(root))
    empty: dict[str, int] = {}
    for language in TRANSLATED:
        held = translations(read_catalogue(language, root))
        write_catalogue(language, messages, held, root)
        empty[language] = sum(not _is_complete(held.get(message.key, ""), message) for message in messages)
    counted = [message for message in messages if message.plural]
    write_catalogue(SOURCE_LANGUAGE, counted, {m.key: (m.text, m.plural) for m in counted}, root)
    return empty


def missing(language: str, root: Path = ROOT) -> dict[str, str | list[str]]:
    """Messages without a translation, as the JSON that ``fill`` takes."""
    held = translations(read_catalogue(language, root))
    return {
        message.key: ["", ""] if message.plural else ""
        for message in extract_messages(source_files(root))
        if not _is_complete(held.get(message.key, ""), message)
    }


def fill(language: str, given: dict[str, Any], root: Path = ROOT) -> list[str]:
    """Take translations into a catalogue; keys that the sources do not have are returned, not taken."""
    messages = extract_messages(source_files(root))
    known = {message.key for message in messages}
    held = translations(read_catalogue(language, root))
    for key, value in given.items():
        if key in known and value:
            held[key] = tuple(value) if isinstance(value, list) else str(value)
    write_catalogue(language, messages, held, root)
    return sorted(set(given) - known)


def _is_complete(string: Translation, message: Message) -> bool:
    if message.plural:
        return isinstance(string, tuple) and len(string) == 2 and all(string)
    return isinstance(string, str) and bool(string)


def check(root: Path = ROOT) -> list[str]:
    """Everything wrong with the catalogues, one sentence each; empty when all is well."""
    messages = extract_messages(source_files(root))
    wrong = [
        f"sources: {message.text!r} has a plain space where French wants a no-break space"
        for message in messages
        if BAD_FRENCH_SPACE.search(f"{message.text} {message.plural}")
    ]
    for language in PLURALS:
        path = catalogue_path(language, root)
        if not path.exists():
            wrong.append(f"{language}: {path.relative_to(root)} is missing")
            continue
        if f'"Plural-Forms: {PLURALS[language]}\\n"' not in path.read_text(encoding="utf-8"):
            wrong.append(f"{language}: Plural-Forms must be {PLURALS[language]}")
        catalogue = read_catalogue(language, root)
        held = translations(catalogue)
        expected = [m for m in messages if m.plural or language != SOURCE_LANGUAGE]
        wrong += [f"{language}: fuzzy: {entry.id!r}" for entry in catalogue if entry.id and entry.fuzzy]
        wrong += [f"{language}: obsolete: {key!r}" for key in catalogue.obsolete]
        known = {message.key for message in expected}
        wrong += [f"{language}: unused: {key!r}" for key in sorted(set(held) - known)]
        for message in expected:
            wrong += [f"{language}: {problem}" for problem in _problems(message, held)]
    return wrong


def _problems(message: Message, held: dict[str, Translation]) -> Iterator[str]:
    if message.key not in held:
        yield f"missing: {message.text!r}"
        return
    string = held[message.key]
    if bool(message.plural) != isinstance(string, tuple):
        yield f"wrong plural forms: {message.text!r}"
        return
    if not _is_complete(string, message):
        yield f"untranslated: {message.text!r}"
        return
    forms = string if isinstance(string, tuple) else (string,)
    # The singular may name its number or not ("un article", "%(n)s article"); the plural has to.
    allowed = [_marks(message.plural or message.text)]
    for position, form in enumerate(forms):
        accepted = [*allowed, _marks(message.text)] if position == 0 else allowed
        if _marks(form) not in accepted:
            yield f"placeholders or tags differ: {message.text!r} -> {form!r}"


def _marks(text: str) -> tuple[list[str], list[str]]:
    return sorted(PLACEHOLDER.findall(text)), sorted(TAG.findall(text))


def compile_catalogues(root: Path = ROOT, *, force: bool = False) -> list[Path]:
    """Write the ``.mo`` of every catalogue that is newer than it; the files written."""
    written = []
    for language in PLURALS:
        source = catalogue_path(language, root)
        target = source.with_suffix(".mo")
        if not source.exists():
            continue
        if not force and target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
            continue
        body = io.BytesIO()
        write_mo(body, read_catalogue(language, root))
        fresh = target.with_suffix(".mo.new")
        fresh.write_bytes(body.getvalue())
        fresh.replace(target)
        written.append(target)
    return written


@contextmanager
def only_one(root: Path = ROOT) -> Iterator[None]:
    """Wait until no other run of this script is changing the catalogues."""
    folder = root / "locale"
    folder.mkdir(exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("update")
    commands.add_parser("check")
    commands.add_parser("compile").add_argument("--force", action="store_true")
    commands.add_parser("missing").add_argument("language", choices=TRANSLATED)
    filling = commands.add_parser("fill")
    filling.add_argument("language", choices=TRANSLATED)
    filling.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    try:
        with only_one():
            return _run(options)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    if options.command == "update":
        for language, count in update().items():
            print(f"{language}: {count} to translate")
    elif options.command == "missing":
        print(json.dumps(missing(options.language), ensure_ascii=False, indent=1))
    elif options.command == "fill":
        for key in fill(options.language, json.loads(options.file.read_text(encoding="utf-8"))):
            print(f"not in the sources: {key!r}")
    elif options.command == "compile":
        for path in compile_catalogues(force=options.force):
            print(path.relative_to(ROOT))
    else:
        wrong = check()
        for problem in wrong:
            print(problem)
        print(f"{len(wrong)} problem(s) in the catalogues." if wrong else "Catalogues complete.")
        return 1 if wrong else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
