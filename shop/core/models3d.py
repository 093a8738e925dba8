"""3D models: binary glTF, taken in safely and stored under random names.

A browser reads what is stored with the shop's own rights, so a file that names another address is refused: it must
hold everything it needs.
"""

from __future__ import annotations

import json
import secrets
import struct
from dataclasses import dataclass
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from shop.core.problems import Problem

MAX_BYTES = 10 * 1024 * 1024
MAX_NAME_LENGTH = 100
EXTENSION = "glb"
MEDIA_TYPE = "model/gltf-binary"
# What the viewer can read without a decoder of its own.
READABLE_EXTENSIONS = frozenset({"KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform"})
_READABLE_IMAGES = frozenset({"image/jpeg", "image/png", "image/webp"})

_HEADER = struct.Struct("<4sII")
_CHUNK = struct.Struct("<I4s")


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model that was taken in: its name in the media storage and its size in bytes."""

    name: str
    size: int


def store_model(*, file: IO[bytes], name: str, folder: str) -> StoredModel:
    """Check a model and store it in `folder` under a random name; `name` is the sender's and is then forgotten.

    Raises `Problem` (400, code `invalid_model`) for a name above 100 characters, a file above 10 MB, anything that is
    no binary glTF 2, that refers to other files, or that needs a decoder the viewer does not have.
    """
    content = check_model(file=file, name=name)
    stored = default_storage.save(f"{folder}/{secrets.token_hex(16)}.{EXTENSION}", ContentFile(content))
    return StoredModel(stored, len(content))


def check_model(*, file: IO[bytes], name: str) -> bytes:
    """Refuse what `store_model` would refuse, and store nothing. Returns the file's content."""
    if len(name) > MAX_NAME_LENGTH:
        raise _refuse(_("Nom de fichier trop long"))
    if name.rpartition(".")[2].lower() != EXTENSION:
        raise _refuse(_("Type de fichier non supporté"))
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise _refuse(_("Fichier trop volumineux"))
    document = _document(content)
    if document is None:
        raise _refuse(_("Fichier invalide"))
    if not _is_whole(document):
        raise _refuse(_("Ce modèle fait appel à d'autres fichiers : exportez-le en un seul fichier GLB."))
    if not _is_readable(document):
        raise _refuse(
            _("Ce modèle est compressé d'une façon non prise en charge : exportez-le sans Draco ni KTX2.")
        )
    return content


def delete_model(name: str) -> None:
    """Remove a stored model; one that is already gone is no error."""
    default_storage.delete(name)


def _document(content: bytes) -> dict[str, Any] | None:
    """The description inside a binary glTF 2 file, None for anything else."""
    start = _HEADER.size + _CHUNK.size
    if len(content) < start:
        return None
    magic, version, length = _HEADER.unpack_from(content)
    size, kind = _CHUNK.unpack_from(content, _HEADER.size)
    if (magic, version, length, kind) != (b"glTF", 2, len(content), b"JSON") or start + size > length:
        return None
    try:
        document = json.loads(content[start : start + size])
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("asset"), dict):
        return None
    listed = ("buffers", "images", "meshes", "extensionsRequired")
    if not all(isinstance(document.get(name, []), list) for name in listed) or not document.get("meshes"):
        return None
    return document


def _is_whole(document: dict[str, Any]) -> bool:
    parts = [*document.get("buffers", []), *document.get("images", [])]
    return all(isinstance(part, dict) and "uri" not in part for part in parts)


def _is_readable(document: dict[str, Any]) -> bool:
    needed = {str(name) for name in document.get("extensionsRequired", [])}
    kinds = {str(image.get("mimeType")) for image in document.get("images", [])}
    return needed <= READABLE_EXTENSIONS and kinds <= _READABLE_IMAGES


def _refuse(detail: str) -> Problem:
    return Problem("invalid_model", detail, errors={"file": [detail]})
