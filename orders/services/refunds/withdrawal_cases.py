"""Withdrawal cases closed by a refund that reached the customer, and open again when its money comes back."""

from orders.journal import record_event
from orders.models import OPEN_CASES, RefundRequest, WithdrawalCase, WithdrawalState
from orders.selectors.withdrawals import has_left


def close_settled_case(*, request: RefundRequest) -> None:
    """Close the withdrawal case of a refund that has reached the customer. Call it with the order locked, in the
    transaction that settles the request; a request without declaration changes nothing."""
    case = _locked(request, states=OPEN_CASES)
    if case is None:
        return
    case.state = WithdrawalState.REFUNDED
    case.save()
    _record(request, "withdrawal.refunded")


def reopen_case(*, request: RefundRequest) -> None:
    """Reopen the withdrawal case of a settled request whose money came back to the shop. Call it with the order
    locked."""
    case = _locked(request, states=(WithdrawalState.REFUNDED,))
    if case is None:
        return
    gone = case.goods_received_at or case.shipping_proof_at or has_left(request.order, case.withdrawal)
    case.state = WithdrawalState.GOODS_AWAITED if gone else WithdrawalState.DECLARED
    case.save()
    _record(request, "withdrawal.reopened")


def _locked(request: RefundRequest, *, states: tuple[str, ...]) -> WithdrawalCase | None:
    if request.withdrawal_id is None:
        return None
    cases = WithdrawalCase.objects.select_for_update().filter(withdrawal=request.withdrawal_id)
    return cases.filter(state__in=states).first()


def _record(request: RefundRequest, name: str) -> None:
    record_event(request.order, name, withdrawal=str(request.withdrawal_id), request=str(request.pk))
