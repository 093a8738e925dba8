"""What one form may carry, judged before a byte of it is read, and the pictures that staff put into theirs."""

from collections.abc import Callable
from typing import IO, Any, TypeVar, cast

from django.core.exceptions import RequestDataTooBig, ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from shop.core.images import StoredImage, draw_image, store_image
from shop.core.problems import Problem

Stored = TypeVar("Stored")

# Three pictures of 5 MB and the words around them; staff send one file at a time.
LIMIT = 17 * 1024 * 1024


class BoundedUploadHandler(FileUploadHandler):
    """Refuses a form that is too large as a whole (400); files go on to the handlers after it."""

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],  # noqa: N803 - Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> tuple[QueryDict, MultiValueDict[str, UploadedFile[Any]]] | None:
        if content_length > LIMIT:
            raise RequestDataTooBig("The form is too large.")
        return None

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def stored_picture(upload: UploadedFile[Any] | None, folder: str) -> StoredImage | None:
    """For forms of the administration: the picture chosen in a field, drawn again and stored as `stored_once` does."""

    def store(*, file: IO[bytes], name: str) -> StoredImage:
        return store_image(image=draw_image(file=file, name=name), folder=folder)

    return stored_once(upload, store)


def stored_once(upload: UploadedFile[Any] | None, store: Callable[..., Stored]) -> Stored | None:
    """Return what `store(file=…, name=…)` makes of an upload, the first time that this request asks: a form is checked
    before the transaction that keeps what it has stored, and in it again. Raises `ValidationError` with the refusal."""
    if upload is None:
        return None
    known: Stored | ValidationError | None = getattr(upload, "stored", None)
    if known is None:
        try:
            known = store(file=cast(IO[bytes], upload), name=upload.name or "")
        except Problem as problem:
            known = ValidationError(problem.detail)
        upload.stored = known  # type: ignore[attr-defined]
    if isinstance(known, ValidationError):
        raise known
    return known
