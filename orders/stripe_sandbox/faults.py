"""Faults ordered through the control surface: errors, hanging, answers lost on the way back."""

from __future__ import annotations

from orders.stripe_sandbox import store
from orders.stripe_sandbox.models import Fault

ERROR, HANG, DROP = "error", "hang", "drop"


def take_fault(method: str, path: str) -> Fault | None:
    """The fault that this request shall suffer, counted down; None for an undisturbed one."""
    if not Fault.objects.exists():
        return None
    with store.writing():
        for fault in Fault.objects.order_by("id"):
            if (fault.method and fault.method != method) or not path.startswith(fault.path):
                continue
            if fault.skip:
                fault.skip -= 1
                fault.save()
                return None
            fault.times -= 1
            if fault.times:
                fault.save()
            else:
                fault.delete()
            return fault
    return None
