"""3D models: binary glTF, taken in safely and stored under random names.

A browser reads what is stored with the shop's own rights, so a file that names another address is refused: it must
hold everything it needs. What is stored is put together again from the parts that are shown: no notes of programs, no
camera data of textures, no bytes that nothing refers to.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from django.utils.translation import gettext as _

from shop.core.image_structure import MalformedImage, image_size, without_metadata
from shop.core.problems import Problem

MAX_BYTES = 10 * 1024 * 1024
MAX_NAME_LENGTH = 100
# What a description may hold: its text, how deep it is nested, entries of one list.
MAX_DOCUMENT_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_ENTRIES = 10_000
MAX_IMAGES = 32
MAX_IMAGE_SIDE = 8192
# Views of the binary part may overlap, but not so that reading them takes for ever.
MAX_OVERLAP = 4
EXTENSION = "glb"
MEDIA_TYPE = "model/gltf-binary"
# What the viewer can read without a decoder of its own.
READABLE_EXTENSIONS = frozenset({"KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform"})
# These only refine how a surface looks; all others are left out, as a viewer that does not know them would.
_SHOWN_EXTENSIONS = "KHR_materials_"
_READABLE_IMAGES = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP"}

_HEADER = struct.Struct("<4sII")
_CHUNK = struct.Struct("<I4s")


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """A model that may be stored: a whole binary glTF file."""

    content: bytes


class _MalformedModel(ValueError):
    """The file contradicts the format, or holds more than a model of one piece does."""


class _OtherFiles(ValueError):
    """The file refers to others."""


def check_model(*, file: IO[bytes], name: str) -> CheckedModel:
    """Read a model and put it together again without anything that is not shown; `name` is the sender's.

    Raises `Problem` (400, code `invalid_model`) for a name above 100 characters, a file above 10 MB, anything that is
    no binary glTF 2, that refers to other files, or that needs a decoder the viewer does not have.
    """
    if len(name) > MAX_NAME_LENGTH:
        raise _refuse(_("Nom de fichier trop long"))
    if name.rpartition(".")[2].lower() != EXTENSION:
        raise _refuse(_("Type de fichier non supporté"))
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise _refuse(_("Fichier trop volumineux"))
    try:
        return CheckedModel(_put_together(content))
    except _OtherFiles as error:
        raise _refuse(
            _("Ce modèle fait appel à d'autres fichiers : exportez-le en un seul fichier GLB.")
        ) from error
    # Where a value is of another kind than the format says, reading it fails in one of these ways.
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise _refuse(_("Fichier invalide")) from error


def _put_together(content: bytes) -> bytes:
    document, binary = _parts(content)
    if not isinstance(document["asset"], dict) or not document["meshes"]:
        raise _MalformedModel("no model")
    if not all(isinstance(part, dict) for name in ("buffers", "images") for part in document.get(name, [])):
        raise _OtherFiles
    document = _shown(document, 0)
    if not _is_readable(document):
        raise _refuse(
            _("Ce modèle est compressé d'une façon non prise en charge : exportez-le sans Draco ni KTX2.")
        )
    # Who made it with what is nobody's business.
    document["asset"] = {
        name: document["asset"][name] for name in ("version", "minVersion") if name in document["asset"]
    }
    if "extensionsUsed" in document:
        document["extensionsUsed"] = [name for name in document["extensionsUsed"] if _is_shown(name)]
        if not document["extensionsUsed"]:
            del document["extensionsUsed"]
    chunks = _shown_bytes(document, binary)
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    body = _chunk(b"JSON", text, b" ") + (_chunk(b"BIN\0", chunks, b"\0") if chunks else b"")
    return _HEADER.pack(b"glTF", 2, _HEADER.size + len(body)) + body


def _chunk(kind: bytes, data: bytes, filler: bytes) -> bytes:
    data += filler * (-len(data) % 4)
    return _CHUNK.pack(len(data), kind) + data


def _parts(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the description inside a binary glTF 2 file and its binary part; what follows these two is cut off."""
    start = _HEADER.size + _CHUNK.size
    if len(content) < start:
        raise _MalformedModel("too short")
    magic, version, length = _HEADER.unpack_from(content)
    size, kind = _CHUNK.unpack_from(content, _HEADER.size)
    if (magic, version, length, kind) != (b"glTF", 2, len(content), b"JSON") or start + size > length:
        raise _MalformedModel("no description")
    if size > MAX_DOCUMENT_BYTES:
        raise _MalformedModel("too long a description")
    document = json.loads(content[start : start + size])
    if not isinstance(document, dict):
        raise _MalformedModel("no description")
    start += size
    if length - start < _CHUNK.size:
        return document, b""
    size, kind = _CHUNK.unpack_from(content, start)
    start += _CHUNK.size
    if start + size > length:
        raise _MalformedModel("a chunk without end")
    return document, content[start : start + size] if kind == b"BIN\0" else b""


def _shown(value: Any, depth: int) -> Any:
    """Return the same value without notes (`extras`) and without extensions that are not shown."""
    if depth > MAX_DEPTH:
        raise _MalformedModel("too deep")
    if isinstance(value, dict):
        shown = {}
        for name, inner in value.items():
            if name == "extensions":
                inner = {extension: rest for extension, rest in inner.items() if _is_shown(extension)}
            if name != "extras" and (inner or name != "extensions"):
                shown[name] = _shown(inner, depth + 1)
        if "uri" in shown:
            raise _OtherFiles
        return shown
    if isinstance(value, list):
        if len(value) > MAX_ENTRIES:
            raise _MalformedModel("too many entries")
        return [_shown(inner, depth + 1) for inner in value]
    return value


def _is_shown(extension: str) -> bool:
    return extension in READABLE_EXTENSIONS or extension.startswith(_SHOWN_EXTENSIONS)


def _is_readable(document: dict[str, Any]) -> bool:
    needed = {str(name) for name in document.get("extensionsRequired", [])}
    kinds = {str(image.get("mimeType")) for image in document.get("images", [])}
    return needed <= READABLE_EXTENSIONS and kinds <= _READABLE_IMAGES.keys()


def _shown_bytes(document: dict[str, Any], binary: bytes) -> bytes:
    """Return the binary part: every byte that the description refers to where it was, zeros elsewhere. Textures lose
    what does not show, and their views in `document` become as much shorter.
    """
    buffers, images = document.get("buffers", []), document.get("images", [])
    if len(buffers) > 1 or len(images) > MAX_IMAGES:
        raise _MalformedModel("too many buffers or images")
    size = buffers[0]["byteLength"] if buffers else 0
    if not 0 <= size <= len(binary):
        raise _MalformedModel("a buffer without bytes")
    spans = {index: _span(document["bufferViews"][index], size) for index in set(_views(document))}
    if sum(end - start for start, end in spans.values()) > MAX_OVERLAP * size:
        raise _MalformedModel("too many views of the same bytes")
    kept = bytearray(size)
    for start, end in spans.values():
        kept[start:end] = binary[start:end]
    for index, kind in {image["bufferView"]: image["mimeType"] for image in images}.items():
        start, end = spans[index]
        picture = _texture(binary[start:end], _READABLE_IMAGES[kind])
        kept[start:end] = picture.ljust(end - start, b"\0")
        document["bufferViews"][index]["byteLength"] = len(picture)
    return bytes(kept)


def _texture(content: bytes, kind: str) -> bytes:
    size = image_size(content, kind)
    if max(size.width, size.height) > MAX_IMAGE_SIDE:
        raise MalformedImage("too large for a texture")
    return without_metadata(content, kind)


def _span(view: dict[str, Any], size: int) -> tuple[int, int]:
    start = view.get("byteOffset", 0)
    end = start + view["byteLength"]
    if not 0 <= start <= end <= size:
        raise _MalformedModel("a view beyond its buffer")
    return start, end


def _views(value: Any) -> Iterator[int]:
    """Return the number of every view that something refers to."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "bufferView":
                if not isinstance(inner, int) or inner < 0:
                    raise _MalformedModel("no number of a view")
                yield inner
            else:
                yield from _views(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _views(inner)


def _refuse(detail: str) -> Problem:
    return Problem("invalid_model", detail, errors={"file": [detail]})
