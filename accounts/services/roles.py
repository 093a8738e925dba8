"""Who may do what."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import mails
from accounts.models import Role, User, UserRole
from accounts.sessions import end_all_sessions
from shop.core.audit import record_audit
from shop.core.problems import Problem

logger = logging.getLogger("shop.security")


def grant_role(*, user: User, role: Role | str, changed_by: User | None = None) -> UserRole:
    """Give a person their role and record it in the audit trail; their sessions end, as their rights are other.

    The person is told by mail what somebody else changed; who runs a server command tells them.
    Admins and staff get access to the administration with it, members lose it; what they may do there says
    ``shop.core.staff_actions``. Raises ``Problem`` (409): ``last_admin`` when nobody
    would be left to administer the shop, also when two admins demote each other at once; ``blocked_account`` for rights
    that nobody could use, and that keep the account from being unblocked; ``account_erased``.
    """
    role = Role(role)
    flags = {"is_staff": role != Role.USER, "is_superuser": role == Role.ADMIN}
    with transaction.atomic():
        # The account first, as whoever closes it holds it when they come here; then every admin's row, in one order:
        # rivals wait here and then count what is really left.
        account = _lock(user)
        if role != Role.USER and not account.is_active:
            raise Problem("blocked_account", _("Ce compte est bloqué\u00a0: débloquez-le d'abord."), 409)
        admin_roles = (
            UserRole.objects.select_for_update(of=("self",))
            .filter(role=Role.ADMIN, user__is_active=True)
            .order_by("pk")
        )
        admins = [admin.user_id for admin in admin_roles]
        held, _created = UserRole.objects.get_or_create(user=user, defaults={"role": Role.USER})
        old_role = held.role
        if old_role == role and all(getattr(user, name) == value for name, value in flags.items()):
            return held
        if role != Role.ADMIN and admins == [user.pk]:
            raise Problem(
                "last_admin", _("Impossible de retirer le dernier administrateur de la boutique."), 409
            )
        held.role = role
        held.save(update_fields=["role"])
        for name, value in flags.items():
            setattr(user, name, value)
        user.save(update_fields=list(flags))
        if changed_by != user:
            # Who changes their own is in the middle of a request of theirs.
            end_all_sessions(user)
        record_audit(
            "role.changed", user, actor=changed_by, before={"role": old_role}, after={"role": role.value}
        )
        if changed_by is not None:
            mails.send_role_changed(user, role=role.value)
    logger.info(
        "role of user %s changed from %s to %s by %s",
        user.pk,
        old_role,
        role.value,
        changed_by.pk if changed_by else "a server command",
    )
    return held


def set_blocked(*, user: User, blocked: bool, changed_by: User) -> User:
    """Close an account to its owner, or open it again, and record it in the audit trail; its sessions end. One that is
    already so stays as it is.

    Raises ``Problem`` (409): ``staff_account`` for who has access to the administration: their role is taken away
    first, which keeps the last administrator from being shut out; ``account_erased``.
    """
    with transaction.atomic():
        # As `grant_role` does, so that a role which is being given is seen.
        held = _lock(user)
        if held.is_staff:
            refusal = _("Ce compte a accès à l'administration\u00a0: donnez-lui d'abord le rôle Membre.")
            raise Problem("staff_account", refusal, 409)
        if held.is_active == blocked:
            held.is_active = not blocked
            held.save(update_fields=["is_active"])
            end_all_sessions(held)
            record_audit(
                "user.blocked" if blocked else "user.unblocked",
                held,
                actor=changed_by,
                before={"is_active": blocked},
                after={"is_active": not blocked},
            )
    return held


def _lock(user: User) -> User:
    """Return the row, held until the transaction ends. Raises ``Problem`` (409, ``account_erased``) where an erasure
    closed it, maybe meanwhile."""
    held = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if held.is_closed:
        raise Problem("account_erased", _("Ce compte est effacé\u00a0: rien n'a changé."), 409)
    return held
