"""The step of signing in that follows the password."""

from __future__ import annotations

from allauth.mfa.stages import AuthenticateStage
from django.http import HttpResponse
from django.shortcuts import redirect


class SecondFactorStage(AuthenticateStage):  # type: ignore[misc]
    """Asks for the second factor of an account that has one, on the shop's own page. Nobody is signed in before."""

    urlname = "accounts:second-factor"

    def handle(self) -> tuple[HttpResponse | None, bool]:
        if not self._should_handle(self.request):
            return None, True
        return redirect(self.urlname), True
