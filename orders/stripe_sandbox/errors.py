"""Refusals in the shape that Stripe gives them."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]


class ApiError(Exception):
    """A refused call.

    `stored` says whether the refusal is stored under the idempotency key: Stripe stores the outcome of what began
    to run (a refund too many), not of parameters that were refused before.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        stored: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.code = code
        self.param = param
        self.stored = stored

    def body(self) -> Document:
        error: Document = {"message": self.message, "type": self.kind}
        if self.code is not None:
            error["code"] = self.code
            error["doc_url"] = f"https://stripe.com/docs/error-codes/{self.code.replace('_', '-')}"
        if self.param is not None:
            error["param"] = self.param
        return {"error": error}


def invalid(message: str, *, param: str | None = None, code: str | None = None) -> ApiError:
    """400 for a parameter; not stored under the idempotency key."""
    return ApiError(400, "invalid_request_error", message, code=code, param=param)


def not_in_this_state(message: str, *, code: str | None = None, param: str | None = None) -> ApiError:
    """400 because the object's state forbids the call; stored under the idempotency key."""
    return ApiError(400, "invalid_request_error", message, code=code, param=param, stored=True)


def no_such(kind: str, object_id: str, *, param: str) -> ApiError:
    """404 in an address, as Stripe words it."""
    return ApiError(
        404, "invalid_request_error", f"No such {kind}: '{object_id}'", code="resource_missing", param=param
    )


def no_such_reference(kind: str, object_id: str, *, param: str) -> ApiError:
    """400 for an id given as a parameter."""
    return invalid(f"No such {kind}: '{object_id}'", code="resource_missing", param=param)


def not_simulated(param: str) -> ApiError:
    """Stripe knows the parameter, the sandbox doesn't act on it: better refused than silently without effect."""
    return invalid(
        f"The local sandbox does not simulate `{param}`.", code="sandbox_not_simulated", param=param
    )
