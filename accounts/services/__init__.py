"""What can be done with accounts. One function a use case; reads are in ``accounts.selectors``."""

from accounts.services.checkout import CheckoutSignUp, authenticate_at_checkout
from accounts.services.members import create_member
from accounts.services.roles import grant_role, set_blocked
from accounts.services.signing_in import sign_in_now

__all__ = [
    "CheckoutSignUp",
    "authenticate_at_checkout",
    "create_member",
    "grant_role",
    "set_blocked",
    "sign_in_now",
]
