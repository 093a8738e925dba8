"""What one form may carry, judged before a byte of it is read, and the pictures that staff put into theirs."""

from collections.abc import Callable
from typing import IO, Any, TypeVar, cast

from django.core.exceptions import RequestDataTooBig, ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from shop.core.image_drawing import DrawnImage
from shop.core.images import draw_image
from shop.core.problems import Problem

Decoded = TypeVar("Decoded")

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


def drawn_upload(upload: UploadedFile[Any] | None) -> DrawnImage | None:
    """For forms of the administration: the picture chosen in a field, to be stored when the whole form is right. Raises
    `ValidationError` with the refusal."""
    return decoded_once(upload, draw_image)


def decoded_once(upload: UploadedFile[Any] | None, decode: Callable[..., Decoded]) -> Decoded | None:
    """Return what `decode(file=…, name=…)` makes of an upload, the first time that this request asks: a form is checked
    before the transaction that stores it, and in it again. Raises `ValidationError` with the refusal."""
    if upload is None:
        return None
    known: Decoded | ValidationError | None = getattr(upload, "decoded", None)
    if known is None:
        try:
            known = decode(file=cast(IO[bytes], upload), name=upload.name or "")
        except Problem as problem:
            known = ValidationError(problem.detail)
        upload.decoded = known  # type: ignore[attr-defined]
    if isinstance(known, ValidationError):
        raise known
    return known
