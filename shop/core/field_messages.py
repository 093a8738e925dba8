"""What a call says of a value that a field refuses.

In the place of REST framework's own words: those name types of Python, say « du » in German, and some have no
translation. A shopper reads them beside the fields of the checkout.
"""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from rest_framework import relations, serializers

_NO_NUMBER = _("Ce n'est pas un nombre.")
_NO_CHOICE = _("Ce choix n'existe pas.")
_NO_LIST = _("Une liste est attendue.")
_NO_OBJECT = _("Un objet JSON est attendu.")
_REQUIRED = _("Ce champ est obligatoire.")
_SHAPE = _("Cette valeur n'a pas la forme attendue.")
_BOUNDS = {
    "max_value": _("Au plus {max_value}."),
    "min_value": _("Au moins {min_value}."),
    "max_string_length": _("Ce nombre est trop long."),
}
_MOMENT = _("Une date et une heure sont attendues, par exemple 2026-12-01T10:00:00+01:00.")
_DAY = _("Une date est attendue, par exemple 2026-12-01.")
_ITEMS = {
    "not_a_list": _NO_LIST,
    "empty": _REQUIRED,
    "min_length": _("Au moins {min_length} dans cette liste."),
    "max_length": _("Au plus {max_length} dans cette liste."),
}

_MESSAGES: dict[type[serializers.Field[Any, Any, Any, Any]], dict[str, Any]] = {
    serializers.Field: {"required": _REQUIRED, "null": _REQUIRED},
    serializers.BooleanField: {"invalid": _("true ou false est attendu.")},
    serializers.CharField: {
        "invalid": _("Un texte est attendu."),
        "blank": _REQUIRED,
        "max_length": _("Au plus {max_length} caractères."),
        "min_length": _("Au moins {min_length} caractères."),
    },
    serializers.EmailField: {"invalid": _("Saisissez une adresse e-mail valide.")},
    serializers.RegexField: {"invalid": _SHAPE},
    serializers.SlugField: {"invalid": _SHAPE, "invalid_unicode": _SHAPE},
    serializers.URLField: {"invalid": _("Ce n'est pas une adresse web complète.")},
    serializers.UUIDField: {"invalid": _SHAPE},
    serializers.IntegerField: {"invalid": _("Un nombre entier est attendu."), **_BOUNDS},
    serializers.FloatField: {"invalid": _NO_NUMBER, "overflow": _("Ce nombre est trop long."), **_BOUNDS},
    serializers.DecimalField: {
        "invalid": _NO_NUMBER,
        "max_digits": _("Chiffres\u00a0: {max_digits} au plus."),
        "max_decimal_places": _("Chiffres après la virgule\u00a0: {max_decimal_places} au plus."),
        "max_whole_digits": _("Chiffres avant la virgule\u00a0: {max_whole_digits} au plus."),
        **_BOUNDS,
    },
    serializers.DateTimeField: dict.fromkeys(("invalid", "date", "make_aware", "overflow"), _MOMENT),
    serializers.DateField: {"invalid": _DAY, "datetime": _DAY},
    serializers.ChoiceField: {"invalid_choice": _NO_CHOICE},
    serializers.FileField: {
        "required": _("Choisissez un fichier."),
        "invalid": _("Un fichier est attendu."),
        "no_name": _("Ce fichier n'a pas de nom."),
        "empty": _("Ce fichier est vide."),
        "max_length": _("Au plus {max_length} caractères."),
    },
    serializers.ListField: _ITEMS,
    serializers.ListSerializer: _ITEMS,
    serializers.DictField: {"not_a_dict": _NO_OBJECT, "empty": _REQUIRED},
    serializers.JSONField: {"invalid": _SHAPE},
    serializers.Serializer: {"invalid": _NO_OBJECT},
    relations.PrimaryKeyRelatedField: {
        "required": _REQUIRED,
        "does_not_exist": _NO_CHOICE,
        "incorrect_type": _("Ce n'est pas un numéro."),
    },
    relations.ManyRelatedField: {"not_a_list": _NO_LIST, "empty": _REQUIRED},
}


def use_own_messages() -> None:
    """Give the fields their words, those of pages the same for what is missing. A field takes them when it is made,
    and again at every call."""
    forms.Field.default_error_messages = {**forms.Field.default_error_messages, "required": _REQUIRED}
    for kind, messages in _MESSAGES.items():
        kind.default_error_messages = {**kind.default_error_messages, **messages}
