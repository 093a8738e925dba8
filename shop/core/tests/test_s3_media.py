"""Media in S3 storage, against a real S3 server in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO, StringIO
from time import monotonic, sleep
from typing import Any

import boto3
import pytest
import requests
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.core.management import CommandError, call_command
from faulty_proxy import faulty_proxy
from PIL import Image
from shop_process import free_port

from shop.core import images, media_transfer
from shop.core.errors import is_outage
from shop.core.media_transfer import file_names
from shop.core.s3_media import MediaUnavailableError, S3MediaStorage
from shop.core.site import absolute_url
from shop.media_address import S3Address, parse_s3_url

READ_BY_ALL = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::pictures/*"}
    ],
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = monotonic() + 30
        while monotonic() < deadline:
            try:
                requests.get(address, timeout=5)
                break
            except requests.ConnectionError:
                sleep(0.05)
        yield address
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def buckets(server: str, settings: Any, tmp_path: Any) -> Iterator[Any]:
    """A shop whose media are in two new buckets: everybody may read `pictures`, nobody `letters`."""
    client = boto3.client(
        "s3",
        endpoint_url=server,
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        region_name="us-east-1",
    )
    client.create_bucket(Bucket="pictures")
    client.create_bucket(Bucket="letters")
    client.put_bucket_policy(Bucket="pictures", Policy=json.dumps(READ_BY_ALL))
    url = server.replace("://", "://key:secret@") + "/pictures"
    settings.MEDIA_S3_URL, settings.MEDIA_S3_PRIVATE_BUCKET = url, "letters"
    backend = "shop.core.s3_media.S3MediaStorage"
    settings.S3_STORAGES = {
        "default": {"BACKEND": backend, "OPTIONS": {"url": url, "public_url": f"{server}/pictures"}},
        "private": {"BACKEND": backend, "OPTIONS": {"url": url, "bucket": "letters"}},
    }
    settings.FOLDER_STORAGES = {
        name: {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / name)},
        }
        for name in ("default", "private")
    }
    settings.STORAGES = {**settings.STORAGES, **settings.S3_STORAGES}
    yield client
    for bucket in ("pictures", "letters"):
        for row in client.list_objects_v2(Bucket=bucket).get("Contents", []):
            client.delete_object(Bucket=bucket, Key=row["Key"])
        client.delete_bucket(Bucket=bucket)


def drawn() -> images.DrawnImage:
    file = BytesIO()
    Image.new("RGB", (900, 700), "teal").save(file, "JPEG")
    file.seek(0)
    return images.draw_image(file=file, name="a.jpg")


@pytest.mark.django_db
def test_a_picture_with_its_smaller_files_is_public_typed_kept_for_ever_and_deleted_whole(buckets):
    stored = images.store_image(image=drawn(), folder="products")
    derivatives = images.derive_files(stored.name)
    names = images.file_names(stored.name, derivatives)
    assert sorted(file_names(default_storage)) == sorted(names)
    shown = images.describe(
        name=stored.name, width=900, height=700, alt="", colour="", derivatives=derivatives
    )
    addresses = [shown.url, *(part.split()[0] for _, row in shown.sources for part in row.split(", "))]
    assert len(addresses) == len(names)
    for address in addresses:
        answer = requests.get(address, timeout=5)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (
            200,
            "public, max-age=31536000, immutable",
        )
        assert answer.headers["Content-Type"] == {"jpg": "image/jpeg"}.get(
            address[-3:], f"image/{address[-4:]}"
        )
    images.delete_files(stored.name, derivatives)
    assert list(file_names(default_storage)) == []
    with pytest.raises(FileNotFoundError):
        images.derive_files(stored.name)


def test_a_private_file_is_read_by_the_shop_alone_or_by_a_link_of_five_minutes(buckets, server):
    name = storages["private"].save("contact/a.jpg", ContentFile(b"a visitor's picture"))
    with storages["private"].open(name) as stored:
        assert stored.read() == b"a visitor's picture"
    assert requests.get(f"{server}/letters/{name}", timeout=5).status_code == 403
    link = storages["private"].url(name)
    assert "X-Amz-Expires=300" in link
    assert requests.get(link, timeout=5).content == b"a visitor's picture"
    assert not default_storage.exists(name)


@pytest.mark.django_db
def test_addresses_under_media_lead_to_the_bucket_and_links_keep_it(buckets, server, client):
    answer = client.get("/media/blog/a.jpg")
    assert (answer.status_code, answer["Location"]) == (302, f"{server}/pictures/blog/a.jpg")
    assert client.get("/media/private/a.zip").status_code == 404
    assert absolute_url(answer["Location"]) == answer["Location"]


def test_media_move_to_the_buckets_and_back_verified_and_as_often_as_one_likes(
    buckets, tmp_path, monkeypatch
):
    # Each thread makes a client of its own, which takes longer than these few files.
    monkeypatch.setattr(media_transfer, "_AT_ONCE", 1)
    folder = tmp_path / "default" / "products"
    folder.mkdir(parents=True)
    (tmp_path / "private").mkdir()
    contents = {f"{number}.jpg": bytes([number]) * 70_000 for number in range(5)}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (tmp_path / "private" / "letter.jpg").write_bytes(b"letter")
    # An interrupted run left half of a file.
    default_storage.save("products/3.jpg", ContentFile(contents["3.jpg"][:100]))

    def moved(to: str) -> list[str]:
        said = StringIO()
        call_command("move_media", "--to", to, stdout=said)
        return said.getvalue().splitlines()

    assert moved("s3") == ["public: 5 copied, 0 there already.", "private: 1 copied, 0 there already."]
    assert moved("s3") == ["public: 0 copied, 5 there already.", "private: 0 copied, 1 there already."]
    assert sorted(file_names(storages["private"])) == ["letter.jpg"]
    (folder / "0.jpg").unlink()
    (folder / "1.jpg").write_bytes(b"overwritten")
    assert moved("folder") == ["public: 2 copied, 3 there already.", "private: 0 copied, 1 there already."]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == contents


def test_a_storage_that_is_away_is_an_outage(buckets, settings):
    url = "http://key:secret@127.0.0.1:9/pictures"
    away = S3MediaStorage(url=url, public_url="http://127.0.0.1:9/pictures")
    for call in (
        lambda: away.save("a.jpg", ContentFile(b"a")),
        lambda: away.open("a.jpg"),
        lambda: away.exists("a.jpg"),
        lambda: away.delete("a.jpg"),
    ):
        with pytest.raises(MediaUnavailableError) as raised:
            call()
        assert is_outage(raised.value)
    settings.S3_STORAGES["default"]["OPTIONS"]["url"] = url
    with pytest.raises(CommandError, match=r"Stopped .* Run the command again: it goes on\."):
        call_command("move_media", "--to", "folder", stdout=StringIO())


def test_a_bucket_that_is_gone_is_an_outage_and_no_missing_file(buckets, server):
    gone = S3MediaStorage(url=server.replace("://", "://key:secret@") + "/gone")
    for call in (
        lambda: gone.save("a.jpg", ContentFile(b"a")),
        lambda: gone.open("a.jpg"),
        lambda: gone.size("a.jpg"),
        # A backup of no file at all was taken for a whole one.
        lambda: gone.listdir(""),
    ):
        with pytest.raises(MediaUnavailableError) as raised:
            call()
        assert is_outage(raised.value)
    with pytest.raises(FileNotFoundError):
        default_storage.open("a.jpg")


def test_a_storage_that_is_silent_is_given_up_and_then_refused_at_once(buckets):
    with faulty_proxy() as proxy:
        silent = S3MediaStorage(url=f"http://key:secret@127.0.0.1:{proxy.port}/pictures")
        # The circuit's own behaviour has tests: here that the storage uses it.
        silent._circuit._given_up = [monotonic()] * 2
        started = monotonic()
        with pytest.raises(MediaUnavailableError, match="were not answered"):
            silent.exists("a.jpg")
        assert monotonic() - started < 1


def test_the_address_of_the_storage_is_read_whole_and_refused_without_its_secret():
    assert parse_s3_url("https://k%2F1:s%40f@s3.example.com:9000/shop?region=fr-par") == S3Address(
        "https://s3.example.com:9000", "k/1", "s@f", "shop", "fr-par"
    )
    for wrong in (
        "s3://k:hidden@s3.example.com/shop",
        "https://k:hidden@s3.example.com/",
        "https://s3.example.com/shop",
        "https://k:hidden@s3.example.com/shop/sub",
        "https://k:hidden@s3.example.com:port/shop",
    ):
        with pytest.raises(ImproperlyConfigured) as refused:
            parse_s3_url(wrong)
        assert "hidden" not in str(refused.value)
