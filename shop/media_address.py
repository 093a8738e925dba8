"""What the address of an S3 compatible storage says: `MEDIA_S3_URL`, `BACKUP_URL`."""

from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


class S3Address(NamedTuple):
    """`https://KEY:SECRET@s3.example.com/bucket?region=fr-par`, in its parts; `endpoint` has no key in it."""

    endpoint: str
    key: str
    secret: str
    bucket: str
    region: str


def read_s3_url(url: str) -> S3Address:
    """Return the parts of an address as they stand there, "" for what is missing; `bucket` is its whole path.

    Raises ValueError for a port that is no number."""
    parts = urlsplit(url)
    return S3Address(
        endpoint=f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else ""),
        key=unquote(parts.username or ""),
        secret=unquote(parts.password or ""),
        bucket=parts.path.strip("/"),
        region=next(iter(parse_qs(parts.query).get("region", [])), "us-east-1"),
    )


def parse_s3_url(url: str) -> S3Address:
    """Return the parts of MEDIA_S3_URL, which must be complete.

    Raises ImproperlyConfigured, which repeats nothing of the address: it holds a secret."""
    try:
        address, parts = read_s3_url(url), urlsplit(url)
    except ValueError:
        address, parts = read_s3_url(""), urlsplit("")
    bucket = address.bucket
    complete = parts.hostname and address.key and address.secret and bucket and "/" not in bucket
    if parts.scheme not in ("http", "https") or not complete:
        raise ImproperlyConfigured(
            "MEDIA_S3_URL is not an address such as https://KEY:SECRET@s3.example.com/bucket?region=fr-par"
        )
    return address


def public_bucket_url(url: str) -> str:
    """Return where browsers read the public bucket at the storage itself; "" without one."""
    if not url:
        return ""
    address = parse_s3_url(url)
    return f"{address.endpoint}/{address.bucket}"
