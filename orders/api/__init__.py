"""The HTTP calls of carts, checkout and orders."""
