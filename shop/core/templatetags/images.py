"""`{% picture image sizes="…" %}`: a picture in every format and width that exists, never a layout shift."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from shop.core.images import ImageInfo

register = template.Library()

_AWAITED = ' fetchpriority="high" decoding="sync"'
_LATER = ' loading="lazy" fetchpriority="low" decoding="async"'


@register.simple_tag
def picture(
    image: ImageInfo | None,
    sizes: str = "100vw",
    priority: bool = False,
    css: str = "",
    alt: str | None = None,
    shared: str = "",
) -> SafeString:
    """A `<picture>` element.

    `priority` is for the one image that the visitor waits for: it is asked for first and not lazily, and painted with
    the text around it instead of a frame later. No other one, however early it is seen, takes the line from it.
    `css` is the class of the `<picture>`; `alt` replaces the picture's own text, `alt=""` marks a decoration;
    `shared` names the element that stays in place when the page changes. Without a picture an empty box of the
    same class keeps the place.
    """
    if image is None:
        return format_html('<span class="picture-empty {}" aria-hidden="true"></span>', css)
    sources = format_html_join(
        "",
        '<source type="{}" srcset="{}" sizes="{}">',
        ((media_type, srcset, sizes) for media_type, srcset in image.sources if media_type != "image/jpeg"),
    )
    return format_html(
        '<picture{}{}>{}<img{} src="{}"{} width="{}" height="{}" alt="{}"{}></picture>',
        format_html(' class="{}"', css) if css else "",
        format_html(' data-shared="{}"', shared) if shared else "",
        sources,
        format_html(' class="{}"', image.focus_class) if image.focus_class else "",
        image.url,
        format_html(' srcset="{}" sizes="{}"', image.srcset, sizes) if image.sources else "",
        image.width,
        image.height,
        image.alt if alt is None else alt,
        SafeString(_AWAITED if priority else _LATER),
    )
