"""Media in S3 compatible storage (`MEDIA_S3_URL`): public pictures in one bucket, what visitors send in another.

Browsers read the first at its own address; nobody but the shop reads the second. A storage that does not answer, or has
no such bucket, is an outage like a full disk: `MediaUnavailableError`, which the shop answers 503.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.utils.encoding import filepath_to_uri
from storages.backends.s3 import S3Storage

from shop.core.circuit import CallRefused, Circuit
from shop.core.media import CACHE_CONTROL, MEDIA_TYPES
from shop.media_address import parse_s3_url

logger = logging.getLogger(__name__)

# Larger files are read by way of a temporary file instead of memory.
_LARGEST_IN_MEMORY = 2 * 1024 * 1024
_PRIVATE_URL_SECONDS = 300
_CONNECT_SECONDS, _READ_SECONDS = 2, 5


class MediaUnavailableError(OSError):
    """The storage refused or did not answer; the same call may succeed later."""

    def __init__(self, reason: object) -> None:
        super().__init__(errno.EIO, f"Media storage: {reason}")


class S3MediaStorage(S3Storage):  # type: ignore[misc]
    """The bucket that `url` names, or another one of the same storage; `public_url` is where browsers read it, "" for a
    private one."""

    def __init__(self, *, url: str, bucket: str = "", public_url: str = "") -> None:
        address = parse_s3_url(url)
        self.public_url = public_url.rstrip("/")
        self._circuit = Circuit((BotoCoreError, Boto3Error), limit=2, pause=5.0)
        super().__init__(
            access_key=address.key,
            secret_key=address.secret,
            endpoint_url=address.endpoint,
            region_name=address.region,
            bucket_name=bucket or address.bucket,
            querystring_auth=not public_url,
            querystring_expire=_PRIVATE_URL_SECONDS,
            # Names are random: nothing is overwritten but the file that an interrupted task left.
            file_overwrite=True,
            max_memory_size=_LARGEST_IN_MEMORY,
            transfer_config=TransferConfig(use_threads=False),
            client_config=Config(
                connect_timeout=_CONNECT_SECONDS,
                read_timeout=_READ_SECONDS,
                retries={"total_max_attempts": 1},
                signature_version="s3v4",
                s3={"addressing_style": "path"},
                # Storages of other makers do not know the newer sums.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def url(self, name: str, *args: Any, **kwargs: Any) -> str:
        if self.public_url:
            return f"{self.public_url}/{filepath_to_uri(name)}"
        return str(super().url(name, *args, **kwargs))

    def get_object_parameters(self, name: str) -> dict[str, str]:
        kind = MEDIA_TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")
        return {"ContentType": kind} | ({"CacheControl": CACHE_CONTROL} if self.public_url else {})

    def _open(self, name: str, mode: str = "rb") -> Any:
        with self._call():
            file = super()._open(name, mode)
            # Read whole, here: an answer that has begun can't become a 503.
            file._get_file()
        return file

    def _save(self, name: str, content: Any) -> str:
        with self._call():
            return str(super()._save(name, content))

    def exists(self, name: str) -> bool:
        with self._call():
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with self._call():
            return int(super().size(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with self._call():
            folders, files = super().listdir(name)
        return folders, files

    def delete(self, name: str) -> None:
        with self._call():
            super().delete(name)

    @contextmanager
    def _call(self) -> Iterator[None]:
        try:
            with self._circuit.call():
                yield
        except (ClientError, FileNotFoundError) as error:
            if _is_missing(error) and self._has_bucket():
                raise FileNotFoundError(errno.ENOENT, "No such file in the media storage") from error
            raise MediaUnavailableError(error) from error
        except (BotoCoreError, Boto3Error, CallRefused) as error:
            raise MediaUnavailableError(error) from error

    def _has_bucket(self) -> bool:
        """Return whether it is the file that is missing: 404 says both, and to HEAD not which of them."""
        try:
            self.connection.meta.client.head_bucket(Bucket=self.bucket_name)
        except ClientError as error:
            return not _is_missing(error)
        except BotoCoreError:
            return False
        return True


def _is_missing(error: ClientError | FileNotFoundError) -> bool:
    if isinstance(error, FileNotFoundError):
        return True
    return bool(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") == 404)
