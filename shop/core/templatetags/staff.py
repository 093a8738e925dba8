"""Parts of the staff area's pages that a template can't write by itself."""

from __future__ import annotations

import secrets
from typing import Any

from django import forms, template
from django.forms.boundfield import BoundField
from django.template.context import Context
from django.template.defaultfilters import pluralize
from django.utils.html import format_html
from django.utils.safestring import SafeString

from shop.core.models import ShopSettings
from shop.core.staff_pages import CREATION_KEY

register = template.Library()


@register.filter
def plural(count: int, endings: str = "s") -> str:
    """Return the ending of a counted word, as French has it: none of them is singular ("0 abonné")."""
    return pluralize(max(count, 1), endings)


@register.simple_tag
def creation_key() -> SafeString:
    """Return the hidden field by which a form that makes something makes it once, however often it is sent."""
    return format_html('<input type="hidden" name="{}" value="{}">', CREATION_KEY, secrets.token_hex(16))


@register.filter
def is_optional(field: BoundField) -> bool:
    """Whether « (facultatif) » is said of a field: not of what a trader must tell, which may wait until the opening."""
    is_owed = field.name in ShopSettings.REQUIRED_LEGAL_FIELDS and isinstance(
        getattr(field.form, "instance", None), ShopSettings
    )
    return not field.field.required and not is_owed


@register.filter
def kind_of(field: BoundField) -> str:
    """Return how a field is laid out: `check`, `choices`, or "" for a label above it."""
    widget = field.field.widget
    if isinstance(widget, forms.CheckboxInput):
        return "check"
    return "choices" if isinstance(widget, forms.CheckboxSelectMultiple | forms.RadioSelect) else ""


@register.filter
def drawn(field: BoundField) -> SafeString:
    """Return the field in the look of the staff area."""
    widget = field.field.widget
    if isinstance(widget, forms.CheckboxInput | forms.CheckboxSelectMultiple | forms.RadioSelect):
        return field.as_widget()
    css = "input"
    if isinstance(widget, forms.Textarea):
        css = "textarea"
    elif isinstance(widget, forms.Select):
        css = "select"
    attributes: dict[str, Any] = {"class": f"{widget.attrs.get('class', '')} {css}".strip()}
    if field.errors:
        attributes["aria-invalid"] = "true"
    return field.as_widget(attrs=attributes)


@register.filter
def errors_among(form: forms.BaseForm, names: Any) -> bool:
    """Return whether one of these fields was refused: the part of the form that they stand in is then open."""
    return any(name in form.errors for name in names)


@register.filter
def fields_named(form: forms.BaseForm, names: Any) -> list[BoundField]:
    """Return those of the fields that the form has, in the order of `names`."""
    return [form[name] for name in names if name in form.fields]


@register.simple_tag(takes_context=True)
def same_list(context: Context, **changes: str) -> str:
    """Return the address of this list with other filters; an empty one is left out, the page is the first one unless
    `suite` names it, and what was just done (`cree`, `retire`) is not said again."""
    asked = context["request"].GET.copy()
    for name, value in {"suite": "", "cree": "", "retire": "", **changes}.items():
        asked.pop(name, None)
        if value:
            asked[name] = value
    return f"?{asked.urlencode()}"
