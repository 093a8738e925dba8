"""3D models: what is taken in, what is refused, how it is stored."""

import io
import json
import struct
from pathlib import Path

import pytest
from image_bombs import jpeg, png, png_chunk
from PIL import Image, PngImagePlugin

from shop.core import models3d
from shop.core.problems import Problem

pytestmark = pytest.mark.usefixtures("media")
DEMO = Path(__file__).parents[3] / "catalog" / "demo" / "models"
# The golem of the demonstration, as Blender compresses it.
DRACO = Path(__file__).parent / "draco.glb"
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


@pytest.mark.parametrize("name", ["golem-de-poche", "ours-boulanger", "veilleuse-des-bois"])
def test_a_demonstration_model_keeps_what_is_shown(name):
    content = (DEMO / f"{name}.glb").read_bytes()
    model = models3d.check_model(file=io.BytesIO(content), name=f"{name}.GLB")
    before, after = opened(content), opened(model.content)
    assert after == ({**before[0], "asset": {"version": "2.0"}}, before[1])


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


def test_a_file_that_a_program_compressed_is_refused():
    assert refused(DRACO.read_bytes()).startswith("Ce modèle est compressé")


def model(*, images=(), views=(), binary: bytes, **more) -> bytes:
    """A file whose binary part is `binary`: a mesh of the first twelve bytes, then what `views` name."""
    document = {
        "asset": {"version": "2.0", "generator": "secret", "copyright": "secret", "extras": {"by": "secret"}},
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}], "extras": {"secret": 1}}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 12}, *views],
        "buffers": [{"byteLength": len(binary)}],
        **({"images": list(images)} if images else {}),
        **more,
    }
    return glb(document, binary=binary + b"\0" * (-len(binary) % 4))


def kept(content: bytes) -> tuple[dict, bytes]:
    return opened(models3d.check_model(file=io.BytesIO(content), name="piece.glb").content)


def textured(kind: str, **options) -> bytes:
    written = io.BytesIO()
    Image.effect_noise((40, 30), 60).convert("RGB").save(written, kind, **options)
    return written.getvalue()


def text() -> PngImagePlugin.PngInfo:
    found = PngImagePlugin.PngInfo()
    found.add_text("Author", "secret")
    return found


MESH = struct.pack("<3f", 1.5, -2.25, 3)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("JPEG", {"exif": b"Exif\0\0secret place", "comment": b"secret"}),
        ("PNG", {"pnginfo": text(), "exif": b"Exif\0\0secret place"}),
        ("WEBP", {"exif": b"Exif\0\0secret place", "xmp": b"secret"}),
    ],
)
def test_textures_keep_their_pixels_and_lose_their_metadata(kind, options):
    picture = textured(kind, **options)
    assert b"secret" in picture
    image = {"bufferView": 1, "mimeType": f"image/{kind.lower()}", "extras": {"uri": "https://example.com"}}
    view = {"buffer": 0, "byteOffset": 12, "byteLength": len(picture)}
    document, binary = kept(model(images=[image], views=[view], binary=MESH + picture + b"secret"))
    assert b"secret" not in json.dumps(document).encode() + binary
    assert document["images"] == [{"bufferView": 1, "mimeType": f"image/{kind.lower()}"}]
    assert document["asset"] == {"version": "2.0"}
    assert binary[:12] == MESH
    view = document["bufferViews"][1]
    assert view["byteOffset"] == 12
    assert view["byteLength"] < len(picture)
    shown = binary[12 : 12 + view["byteLength"]]
    with Image.open(io.BytesIO(shown)) as after, Image.open(io.BytesIO(picture)) as before:
        assert after.tobytes() == before.tobytes()
    # What came after stays where it was.
    assert len(binary) == len(MESH + picture + b"secret") + -len(MESH + picture + b"secret") % 4


def test_two_images_of_one_view_and_a_view_that_nothing_refers_to():
    picture = textured("PNG", pnginfo=text())
    image = {"bufferView": 1, "mimeType": "image/png"}
    views = [
        {"buffer": 0, "byteOffset": 12, "byteLength": len(picture)},
        {"buffer": 0, "byteOffset": 12 + len(picture), "byteLength": 6},
    ]
    document, binary = kept(model(images=[image, image], views=views, binary=MESH + picture + b"secret"))
    assert b"secret" not in binary
    assert Image.open(io.BytesIO(binary[12:][: document["bufferViews"][1]["byteLength"]])).size == (40, 30)


@pytest.mark.parametrize(
    "picture",
    [
        jpeg((60, 40), scans=3000),
        png(before=png_chunk(b"IDAT") * 50_000),
        png((8193, 1)),
        b"<svg/>",
        textured("PNG")[:-30],
    ],
    ids=["scans", "slices", "too wide", "no picture", "cut"],
)
def test_a_texture_that_no_browser_should_be_given(picture):
    kind = "jpeg" if picture.startswith(b"\xff\xd8") else "png"
    view = {"buffer": 0, "byteOffset": 12, "byteLength": len(picture)}
    image = {"bufferView": 1, "mimeType": f"image/{kind}"}
    assert refused(model(images=[image], views=[view], binary=MESH + picture)) == "Fichier invalide"


def test_notes_and_unknown_extensions_go_and_looks_stay():
    look = {"KHR_materials_clearcoat": {"clearcoatFactor": 1}, "EXT_unknown": {"uri": "https://example.com"}}
    document, _ = kept(
        model(
            binary=MESH,
            materials=[{"extensions": look, "extras": {"uri": "https://example.com"}}],
            extensions={"KHR_xmp_json_ld": {"packets": [{"dc:creator": "secret"}]}},
            extensionsUsed=["KHR_materials_clearcoat", "EXT_unknown", "KHR_xmp_json_ld"],
            extras={"uri": "https://example.com"},
        )
    )
    assert document["materials"] == [{"extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 1}}}]
    assert document["extensionsUsed"] == ["KHR_materials_clearcoat"]
    assert document["meshes"] == [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    assert "example.com" not in json.dumps(document)
    assert not {"extensions", "extras"} & set(document)


@pytest.mark.parametrize(
    "part",
    [
        {"materials": [{"extensions": {"KHR_materials_x": {"deep": [{"uri": "https://example.com"}]}}}]},
        {"nodes": [{"uri": "https://example.com"}]},
        {"uri": ""},
    ],
)
def test_an_address_anywhere_else_is_refused(part):
    assert refused(model(binary=MESH, **part)).startswith("Ce modèle fait appel à d'autres fichiers")


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "part",
    [
        {"nodes": nested(40)},
        {"nodes": [{}] * 10_001},
        {"nodes": [{"name": "x" * models3d.MAX_DOCUMENT_BYTES}]},
        {"nodes": [{"scale": [1e999]}]},
        {"extensions": 3},
        {"extensionsUsed": [3]},
        {"accessors": [{"bufferView": 1}]},
        {"accessors": [{"bufferView": -1}]},
        {"accessors": [{"bufferView": "0"}]},
        {"bufferViews": [{"byteOffset": 8, "byteLength": 5}]},
        {"bufferViews": [{"byteOffset": -4, "byteLength": 4}]},
        {"bufferViews": [{"byteOffset": 0.0, "byteLength": 4.0}]},
        {"bufferViews": [3]},
        {"buffers": [{"byteLength": 17}]},
        {"buffers": [{"byteLength": 12}, {"byteLength": 12}]},
        {"images": [{"bufferView": 0, "mimeType": "image/png"}] * 33},
        {"images": [{"mimeType": "image/png"}]},
        {
            "accessors": [{"bufferView": number} for number in range(9)],
            "bufferViews": [{"byteLength": 12}] * 9,
        },
    ],
)
def test_what_a_model_cannot_hold(part):
    assert refused(model(binary=MESH, **part)) == "Fichier invalide"


def test_what_follows_the_binary_part_is_cut_off():
    document = json.loads(json.dumps({**PLAIN, "buffers": [{"byteLength": 4}]}))
    extra = struct.pack("<I4s", 8, b"JUNK") + b"secret!!"
    after = glb(document, binary=b"abcd", after=extra)
    assert b"secret" in after
    assert kept(after) == (document, bytes(4))
