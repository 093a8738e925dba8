"""The build's manifest, and how built files are stored for production."""

import json
import os
import re

import pytest
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.exceptions import ImproperlyConfigured
from django.template import Context, Template, TemplateSyntaxError

from shop.core import assets
from shop.core.staticfiles import ShopStaticFilesStorage
from shop.core.tests.fake_build import write_manifest


@pytest.fixture
def built(settings, tmp_path):
    settings.ASSET_MANIFEST = write_manifest(tmp_path / "manifest.json")
    return settings.ASSET_MANIFEST


def test_a_name_stands_for_a_hashed_file(built):
    found = assets.asset("runtime.js")

    assert found.url == "/static/build/runtime-AAAAAAAA.js"
    assert found.import_urls == ["/static/build/c/chunk-BBBBBBBB.js"]
    assert assets.locale_file("de") == "/static/build/c/de-GGGGGGGG.js"
    assert assets.locale_file("it") is None


def test_an_unknown_name_is_an_error_that_says_what_is_known(built):
    with pytest.raises(assets.UnknownAssetError, match=r"no asset named 'print\.css'; known: app\.css, "):
        assets.asset("print.css")
    with pytest.raises(assets.UnknownAssetError, match="no island named 'configurator'"):
        assets.island_file("configurator")


def test_a_missing_build_says_what_to_run(settings, tmp_path):
    settings.ASSET_MANIFEST = tmp_path / "manifest.json"

    with pytest.raises(ImproperlyConfigured, match="lancez `npm run build`"):
        assets.asset("app.css")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"assets": {"a": {}}}', '{"assets": {"a": {"file": "a", "imports": "b"}}}'],
)
def test_an_unreadable_build_says_so(settings, tmp_path, content):
    settings.ASSET_MANIFEST = tmp_path / "manifest.json"
    settings.ASSET_MANIFEST.write_text(content)

    with pytest.raises(ImproperlyConfigured, match="est illisible"):
        assets.asset("app.css")


@pytest.mark.parametrize(
    ("debug", "seen"), [(True, "build/app-NEW00000.css"), (False, "build/app-CCCCCCCC.css")]
)
def test_a_new_build_is_seen_while_developing_only(settings, built, debug, seen):
    settings.DEBUG = debug
    assert assets.asset("app.css").file == "build/app-CCCCCCCC.css"
    content = json.loads(built.read_text())
    content["assets"]["app.css"]["file"] = "build/app-NEW00000.css"
    built.write_text(json.dumps(content))
    os.utime(built, ns=(1, 1))

    assert assets.asset("app.css").file == seen


def test_the_tag_writes_an_address(built):
    page = Template('{% load islands %}{% asset "app.css" %}').render(Context())

    assert page == "/static/build/app-CCCCCCCC.css"


@pytest.mark.parametrize("tag", ["asset", "preload_island", "island_modules"])
def test_a_tag_with_an_unknown_name_is_a_template_error(built, tag):
    with pytest.raises(TemplateSyntaxError, match="named 'nothing'"):
        Template('{% load islands %}{% TAG "nothing" %}'.replace("TAG", tag)).render(Context())


def test_built_files_keep_their_one_name_and_are_compressed(settings, tmp_path):
    source = tmp_path / "source"
    (source / "build" / "c").mkdir(parents=True)
    (source / "build" / "c" / "chunk-AAAAAAAA.js").write_text("export const react = 1;\n" * 100)
    (source / "build" / "app-BBBBBBBB.css").write_text('a { background: url("/static/build/none.png") }')
    (source / "icons.svg").write_text("<svg/>" * 200)
    settings.STATIC_ROOT = tmp_path / "collected"
    source_storage = StaticFilesStorage(location=source)
    names = ["build/c/chunk-AAAAAAAA.js", "build/app-BBBBBBBB.css", "icons.svg"]
    storage = ShopStaticFilesStorage(location=settings.STATIC_ROOT)
    for name in names:
        with source_storage.open(name) as content:
            storage.save(name, content)

    processed = list(storage.post_process({name: (source_storage, name) for name in names}))

    assert not [entry for entry in processed if isinstance(entry[2], Exception)]
    collected = {str(path.relative_to(settings.STATIC_ROOT)) for path in settings.STATIC_ROOT.rglob("*.*")}
    hashed_icons = storage.stored_name("icons.svg")
    assert re.fullmatch(r"icons\.[0-9a-f]{12}\.svg", hashed_icons)
    assert {name for name in collected if name.endswith(".js")} == {"build/c/chunk-AAAAAAAA.js"}
    assert {"build/c/chunk-AAAAAAAA.js.br", "build/c/chunk-AAAAAAAA.js.gz", f"{hashed_icons}.br"} <= collected
    assert storage.stored_name("build/c/chunk-AAAAAAAA.js") == "build/c/chunk-AAAAAAAA.js"
    assert "build" not in (settings.STATIC_ROOT / "staticfiles.json").read_text()


@pytest.mark.parametrize(
    ("url", "immutable"),
    [
        ("/static/build/c/chunk-XOHC3NGJ.js", True),
        ("/static/build/fonts/figtree-text-SOXVSX3R.woff2", True),
        ("/static/icons.0123456789ab.svg", True),
        ("/static/build/manifest.json", False),
        ("/static/icons.svg", False),
        ("/media/build/photo-XOHC3NGJ.js", False),
    ],
)
def test_only_names_with_a_hash_are_kept_for_ever(settings, url, immutable):
    assert bool(re.search(settings.WHITENOISE_IMMUTABLE_FILE_TEST, url)) is immutable
