"""What customs ask of a parcel that leaves the Union."""

from django.db.models import Q


def without_customs_data() -> Q:
    """Products of which the code, the origin or the weight is not filled in."""
    return Q(hs_code="") | Q(origin_country="") | Q(weight_grams=None)
