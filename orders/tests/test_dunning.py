"""The bank's words, one by one: trying some of them again can't succeed, and networks fine shops that do."""

from __future__ import annotations

import pytest

from orders.pricing.dunning import Refusal, classify

# From the provider's list of decline codes, those that it tells not to try again as they are.
DEAD = (
    *("card_not_supported", "currency_not_supported", "expired_card", "fraudulent", "highest_risk_level"),
    *("incorrect_cvc", "incorrect_number", "invalid_account", "invalid_amount", "invalid_cvc"),
    *("invalid_expiry_month", "invalid_expiry_year", "invalid_number", "lost_card", "merchant_blacklist"),
    *("new_account_information_available", "no_action_taken", "pickup_card", "resource_missing"),
    *("restricted_card", "revocation_of_all_authorizations", "revocation_of_authorization"),
    *("security_violation", "service_not_allowed", "stolen_card", "stop_payment_order"),
    *("transaction_not_allowed",),
)
ANOTHER_DAY = (
    *("approve_with_id", "call_issuer", "card_velocity_exceeded", "do_not_honor", "generic_decline"),
    *("insufficient_funds", "issuer_not_available", "processing_error", "reenter_transaction"),
    *("try_again_later", "withdrawal_count_limit_exceeded", ""),
)


@pytest.mark.parametrize("code", DEAD)
@pytest.mark.parametrize("advice", ["", "try_again_later"])
def test_such_a_card_is_never_charged_again(code: str, advice: str):
    assert classify(code, advice) == Refusal.CARD_IS_DEAD


@pytest.mark.parametrize("code", ANOTHER_DAY)
def test_such_a_card_may_pay_on_another_day_unless_the_bank_advises_against_it(code: str):
    assert classify(code) == classify(code, "try_again_later") == Refusal.RETRY
    assert classify(code, "do_not_try_again") == classify(code, "confirm_card_data") == Refusal.CARD_IS_DEAD


@pytest.mark.parametrize("advice", ["", "try_again_later", "do_not_try_again"])
def test_a_bank_that_wants_its_customer_is_not_asked_again_without_them(advice: str):
    assert classify("authentication_required", advice) == Refusal.AUTHENTICATE
