#!/usr/bin/env python
"""The gettext catalogues by Babel, without GNU gettext: extract, update, fill in, check, compile.

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
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_python
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
# French puts a no-break space before high punctuation, inside guillemets, and between a number and its unit or sign.
BAD_FRENCH_SPACE = re.compile(r" [:;!?»](?=\s|$|[^\w/])|« |(?:\d|\)[sd]) (?:[€%]|cm|g|kg|Mo)(?![\w(])")
# One word for one thing, in translations too: what was given up, and what the pages say.
GIVEN_UP = {
    # The pages are British.
    "en": (
        (r"(?i)\be-mail", "email"),
        (r"(?i)\binstallment", "it with one l"),
        (r"n't\b", "not, uncontracted"),
        (r"(?i)\bimage", "picture"),
        (r"\bhost\b", "hosting provider"),
        (r"\bformat no\b", "size"),
    ),
    "es": (
        # « Contable » beside an adjective is read as one.
        (r"y contable\b", "asesoría contable"),
    ),
    "de": (
        # At school 1 is the best one.
        (r"\bNoten?\b|Durchschnittsnote", "Sterne, Bewertung"),
        (r"Streitfall|Zahlungsstreit", "Zahlungsanfechtung"),
        (r"Zusteller|Transportunternehmen", "Paketdienst"),
        (r"\bHoster", "Hosting-Anbieter"),
        (r"Lieferzone", "Versandzone"),
        (r"Umsatzsteuer(?!-Id|erkl)", "Mehrwertsteuer"),
        (r"Variation", "Variante"),
        (r"versendet", "versandt"),
        (r"\bZustand\b", "Status"),
        (r"Prüfwert", "Hashwert"),
        # « Anmeldung » is signing in.
        (r"bestätigte Anmeldung", "Registrierung"),
        # A department of the shop, and no accountant of their own.
        (r"und Buchhaltung\b", "Steuerberatung"),
    ),
}


def extract_template(
    file: IO[bytes], keywords: Mapping[str, Any], tags: Collection[str], options: Any
) -> Iterator[Any]:
    """Babel's extraction method for Django templates, which Django turns into Python that calls gettext."""
    from django.utils.translation.template import templatize

    source = templatize(file.read().decode(), origin=file.name)
    # Indentation means nothing in a template and everything to Python's tokenizer.
    lines = "".join(f"{line.lstrip()}\n" for line in source.splitlines())
    return extract_python(io.BytesIO(lines.encode()), keywords, tags, options)


METHODS: list[tuple[str, Any]] = [
    *((f"**/{folder}/**", "ignore") for folder in ("tests", "migrations")),
    ("**.py", "python"),
    *((f"**/templates/**.{suffix}", extract_template) for suffix in ("html", "txt", "xml")),
]


def extract_messages(root: Path = ROOT) -> Catalog:
    """Return the messages of all modules and templates, one entry a text and context; never of tests or migrations.

    :raises ValueError: a text is used with two different plurals.
    """
    found = Catalog()
    for name, _, text, _, context in extract_from_dir(
        root,
        METHODS,
        keywords=KEYWORDS,
        directory_filter=lambda folder: Path(folder).relative_to(root).parts[0] in SOURCE_FOLDERS,
    ):
        known = found.get(text, context)
        if known and known.pluralizable and isinstance(text, tuple) and known.id != text:
            raise ValueError(f"{name}: {text[0]!r} has two plurals.")
        found.add(text, context=context)
    return found


def catalogue_path(language: str, root: Path = ROOT) -> Path:
    return root / "locale" / language / "LC_MESSAGES" / "django.po"


def read_catalogue(language: str, root: Path = ROOT) -> Catalog:
    """Return the catalogue of a language as it is, empty when there is no file yet."""
    path = catalogue_path(language, root)
    if not path.exists():
        return new_catalogue(language)
    with path.open("rb") as stream:
        return read_po(stream, locale=language)


def new_catalogue(language: str) -> Catalog:
    """Return an empty catalogue with the plural forms of `PLURALS`, which need not be those that Babel knows."""
    return read_po(io.BytesIO(header(language).encode()), locale=language)


def header(language: str) -> str:
    return HEADER.format(language=language, plurals=PLURALS[language])


def updated_catalogue(language: str, root: Path = ROOT) -> Catalog:
    """Return the catalogue of a language in step with the sources."""
    catalogue = read_catalogue(language, root)
    catalogue.update(extract_messages(root), no_fuzzy_matching=True)
    return catalogue


def write_catalogue(language: str, catalogue: Catalog, root: Path = ROOT) -> None:
    """Replace the file of a catalogue at once, without what is obsolete."""
    body = io.BytesIO()
    options = {"omit_header": True, "no_location": True, "sort_output": True, "ignore_obsolete": True}
    write_po(body, catalogue, width=0, **options)
    content = f"{header(language)}{body.getvalue().decode().strip()}\n"
    replace_file(catalogue_path(language, root), content.encode())


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under another name and move it into place, so that no reader sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)


def forms_of(text: Any) -> list[str]:
    """Return the singular and the plural of a message's `id` or `string`; one form where it has no plural."""
    return list(text) if isinstance(text, tuple | list) else [text or ""]


def key_of(message: Message) -> str:
    """Return what a message is named by in the JSON of `missing` and `fill`."""
    text = forms_of(message.id)[0]
    return f"{message.context}{CONTEXT_MARK}{text}" if message.context else text


def is_translated(message: Message) -> bool:
    """Return whether every form has a text and nobody has to look at it again (fuzzy)."""
    return not message.fuzzy and all(forms_of(message.string))


def untranslated(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id and not is_translated(message)]


def update(root: Path = ROOT) -> dict[str, int]:
    """Bring every catalogue in step with the sources; return how many entries are still empty, by language."""
    empty: dict[str, int] = {}
    for language in TRANSLATED:
        catalogue = updated_catalogue(language, root)
        write_catalogue(language, catalogue, root)
        empty[language] = len(untranslated(catalogue))
    plurals = new_catalogue(SOURCE_LANGUAGE)
    for message in extract_messages(root):
        if message.pluralizable:
            plurals.add(message.id, message.id, context=message.context)
    write_catalogue(SOURCE_LANGUAGE, plurals, root)
    return empty


def missing(language: str, root: Path = ROOT) -> dict[str, str | list[str]]:
    """Return the messages without a translation, as the JSON that ``fill`` takes."""
    return {
        key_of(message): ["", ""] if message.pluralizable else ""
        for message in sorted(untranslated(updated_catalogue(language, root)))
    }


def fill(language: str, given: dict[str, Any], root: Path = ROOT) -> list[str]:
    """Take translations into a catalogue; return the keys that the sources do not have, which are not taken."""
    catalogue = updated_catalogue(language, root)
    known = {key_of(message): message for message in catalogue if message.id}
    for key, value in given.items():
        if key in known and value:
            known[key].string = tuple(value) if isinstance(value, list) else str(value)
            known[key].flags.discard("fuzzy")
    write_catalogue(language, catalogue, root)
    return sorted(set(given) - set(known))


def check(root: Path = ROOT) -> list[str]:
    """Return everything wrong with the catalogues, one sentence each; empty when all is well."""
    messages = sorted(message for message in extract_messages(root) if message.id)
    wrong = [
        f"sources: {forms_of(message.id)[0]!r} has a plain space where French wants a no-break space"
        for message in messages
        if BAD_FRENCH_SPACE.search(" ".join(forms_of(message.id)))
    ]
    for language in PLURALS:
        path = catalogue_path(language, root)
        if not path.exists():
            wrong.append(f"{language}: {path.relative_to(root)} is missing")
            continue
        if f'"Plural-Forms: {PLURALS[language]}\\n"' not in path.read_text(encoding="utf-8"):
            wrong.append(f"{language}: Plural-Forms must be {PLURALS[language]}")
        catalogue = read_catalogue(language, root)
        expected = [m for m in messages if m.pluralizable or language != SOURCE_LANGUAGE]
        held = {key_of(message): message for message in catalogue if message.id}
        wrong += [f"{language}: fuzzy: {message.id!r}" for message in held.values() if message.fuzzy]
        wrong += [f"{language}: obsolete: {key!r}" for key in catalogue.obsolete]
        unused = sorted(set(held) - {key_of(message) for message in expected})
        wrong += [f"{language}: unused: {key!r}" for key in unused]
        wrong += [
            f"{language}: say {instead}: {key!r}"
            for given_up, instead in GIVEN_UP.get(language, ())
            for key, entry in held.items()
            if re.search(given_up, " ".join(forms_of(entry.string)))
        ]
        for message in expected:
            problem = problem_of(held.get(key_of(message)), message)
            wrong += [f"{language}: {problem}"] if problem else []
    return wrong


def problem_of(entry: Message | None, message: Message) -> str:
    """Return what is wrong with the entry of a catalogue for a message of the sources, or ""."""
    texts = forms_of(message.id)
    if entry is None:
        return f"missing: {texts[0]!r}"
    forms = forms_of(entry.string)
    if len(forms) != len(texts):
        return f"wrong plural forms: {texts[0]!r}"
    if not is_translated(entry):
        return f"untranslated: {texts[0]!r}"
    # The singular may name its number or not ("un article", "%(n)s article"); the plural has to.
    singular, plural = marks_of(texts[0]), marks_of(texts[-1])
    for position, form in enumerate(forms):
        if marks_of(form) != plural and (position or marks_of(form) != singular):
            return f"placeholders or tags differ: {texts[0]!r} -> {form!r}"
    return ""


def marks_of(text: str) -> tuple[list[str], list[str]]:
    """Return the placeholders and the tags of a text, which its translation has to hold too."""
    return sorted(PLACEHOLDER.findall(text)), sorted(TAG.findall(text))


def compile_catalogues(root: Path = ROOT) -> list[Path]:
    """Write the ``.mo`` of every catalogue that is newer than it; return the files written."""
    written = []
    for language in PLURALS:
        source = catalogue_path(language, root)
        target = source.with_suffix(".mo")
        if not source.exists() or (
            target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns
        ):
            continue
        body = io.BytesIO()
        write_mo(body, read_catalogue(language, root))
        replace_file(target, body.getvalue())
        written.append(target)
    return written


@contextmanager
def only_one() -> Iterator[None]:
    """Wait until no other run of this script is changing the catalogues."""
    handle = os.open(ROOT / "locale", os.O_RDONLY)
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
    commands.add_parser("compile")
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
        for path in compile_catalogues():
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
