"""What a cart costs: pure functions on frozen values, without Django, database or clock.

`quote.price_cart` is the only place where a total is made. Cart, checkout, payment, order, e-mail and invoice
show its figures and compute none of their own.
"""
