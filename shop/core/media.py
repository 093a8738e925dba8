"""Uploaded pictures and 3D models, served when no web server or object store does it in front.

Only files that `shop.core.images` and `shop.core.models3d` wrote exist there; names are random, so each may be cached
for ever. Where media are in S3 storage, addresses under `/media/` that texts and mails hold lead there.
"""

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.views.static import serve

from shop.core import models3d

MEDIA_TYPES = {
    "avif": "image/avif",
    "webp": "image/webp",
    "jpg": "image/jpeg",
    "png": "image/png",
    models3d.EXTENSION: models3d.MEDIA_TYPE,
}
CACHE_CONTROL = "public, max-age=31536000, immutable"


def serve_media(request: HttpRequest, path: str) -> HttpResponseBase:
    kind = MEDIA_TYPES.get(path.rpartition(".")[2].lower())
    if kind is None or request.method not in ("GET", "HEAD") or "\x00" in path:
        raise Http404
    if settings.MEDIA_S3_URL:
        return HttpResponseRedirect(
            default_storage.url(path), headers={"Cache-Control": "public, max-age=3600"}
        )
    response = serve(request, path, document_root=str(settings.MEDIA_ROOT))
    response.headers["Content-Type"] = kind
    response.headers["Cache-Control"] = CACHE_CONTROL
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
