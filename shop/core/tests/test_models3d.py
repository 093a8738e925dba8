"""3D models: what is taken in, what is refused, how it is stored."""

import io
import json
import struct
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from shop.core import models3d
from shop.core.problems import Problem

DEMO = Path(__file__).parents[3] / "catalog" / "demo" / "models"
PLAIN = {"asset": {"version": "2.0"}, "meshes": [{"primitives": []}], "buffers": [{"byteLength": 4}]}


def glb(document, *, magic=b"glTF", version=2, extra=0, binary=b"", after=b"") -> bytes:
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        body += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    body += after
    return struct.pack("<4sII", magic, version, 12 + len(body) + extra) + body


def opened(content: bytes) -> tuple[dict, bytes]:
    """Description and binary part, by the lengths that the file states."""
    assert struct.unpack_from("<4sII", content) == (b"glTF", 2, len(content))
    size, kind = struct.unpack_from("<I4s", content, 12)
    assert (kind, size % 4) == (b"JSON", 0)
    document, rest = json.loads(content[20 : 20 + size]), content[20 + size :]
    if not rest:
        return document, b""
    size, kind = struct.unpack_from("<I4s", rest)
    assert (kind, size % 4, len(rest)) == (b"BIN\0", 0, 8 + size)
    return document, rest[8:]


def refused(content: bytes, name: str = "piece.glb") -> str:
    with pytest.raises(Problem) as caught:
        models3d.check_model(file=io.BytesIO(content), name=name)
    assert (caught.value.code, caught.value.status) == ("invalid_model", 400)
    return str(caught.value.detail)


@pytest.fixture(autouse=True)
def storage(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.mark.parametrize("name", ["golem-de-poche", "ours-boulanger", "veilleuse-des-bois"])
def test_a_demonstration_model_keeps_what_is_shown_under_a_random_name(name):
    content = (DEMO / f"{name}.glb").read_bytes()
    model = models3d.check_model(file=io.BytesIO(content), name=f"{name}.GLB")
    before, after = opened(content), opened(model.content)
    assert after == ({**before[0], "asset": {"version": "2.0"}}, before[1])
    stored = models3d.store_model(model=model, folder="models")
    assert stored.size == len(model.content)
    folder, _, file = stored.name.partition("/")
    assert (folder, len(file), file[-4:]) == ("models", 36, ".glb")
    assert name not in stored.name
    with default_storage.open(stored.name) as kept:
        assert kept.read() == model.content
    models3d.delete_model(stored.name)
    models3d.delete_model(stored.name)
    assert not default_storage.exists(stored.name)


@pytest.mark.parametrize(
    ("content", "name", "detail"),
    [
        (glb(PLAIN), "piece.gltf", "Type de fichier non supporté"),
        (glb(PLAIN), "glb", "Fichier invalide"),
        (glb(PLAIN), f"{'a' * 97}.glb", "Nom de fichier trop long"),
        (b"x" * (models3d.MAX_BYTES + 1), "piece.glb", "Fichier trop volumineux"),
    ],
)
def test_names_and_sizes(content, name, detail):
    if name == "glb":
        content = content[:-1]
    assert refused(content, name) == detail


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"glTF",
        b"<html><script>alert(1)</script></html>",
        glb(PLAIN, magic=b"GLTF"),
        glb(PLAIN, version=1),
        glb(PLAIN, extra=4),
        glb(PLAIN) + b"more",
        glb(b"{"),
        glb(b"[]"),
        glb(b"\xff\xff\xff\xff"),
        glb(b"[" * 100_000),
        glb({"meshes": [{}]}),
        glb({**PLAIN, "meshes": []}),
        glb({**PLAIN, "images": {}}),
        struct.pack("<4sIII4s", b"glTF", 2, 20, 2**31, b"JSON"),
    ],
)
def test_what_is_no_model(content):
    assert refused(content) == "Fichier invalide"


@pytest.mark.parametrize(
    "part",
    [
        {"buffers": [{"uri": "https://example.com/mesh.bin"}]},
        {"images": [{"uri": "data:image/png;base64,AAAA"}]},
        {"images": ["skin.png"]},
    ],
)
def test_a_model_that_names_other_files(part):
    assert refused(glb({**PLAIN, **part})).startswith("Ce modèle fait appel à d'autres fichiers")


@pytest.mark.parametrize(
    "part",
    [
        {"extensionsRequired": ["KHR_draco_mesh_compression"]},
        {"extensionsRequired": [{"name": 1}]},
        {"images": [{"bufferView": 0, "mimeType": "image/svg+xml"}]},
        {"images": [{"bufferView": 0}]},
    ],
)
def test_a_model_that_the_viewer_cannot_read(part):
    assert refused(glb({**PLAIN, **part})).startswith("Ce modèle est compressé")


def test_the_demonstration_draco_files_are_refused():
    for file in sorted(DEMO.glob("*-draco.glb")):
        assert refused(file.read_bytes()).startswith("Ce modèle est compressé")
