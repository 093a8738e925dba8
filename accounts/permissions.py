"""Who may call an API endpoint: the names of `shop.core.staff_calls`, which apps below the accounts use as well."""

from shop.core.staff_calls import IsMember, allowed

__all__ = ["IsMember", "allowed"]
