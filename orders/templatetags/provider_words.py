"""The bank's and the provider's codes in templates: ``{{ code|decline_words }}``."""

from django import template

from orders.selectors import provider_words

register = template.Library()

register.filter("decline_words", provider_words.decline_in_words)
register.filter("dispute_words", provider_words.dispute_in_words)
register.filter("refund_failure_words", provider_words.refund_failure_in_words)
register.filter("review_words", provider_words.review_in_words)
