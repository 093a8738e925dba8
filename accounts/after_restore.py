"""After a backup was brought back: nobody is signed in, and no link of a mail opens an account."""

from allauth.account.models import EmailConfirmation
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session

from accounts.models import EmailChange, SignUp
from shop.core.restored import Restored, after_restore


@after_restore("sessions")
def end_sessions(restored: Restored) -> None:
    """Sessions are not in a backup; sign-ups and changes of address that waited are asked for anew."""
    for model in (Session, UserSession, SignUp, EmailChange, EmailConfirmation):
        model._default_manager.all().delete()
    restored.notes.append(
        "Everybody signs in again. Passwords and second factors are those of the backup: ask staff who changed theirs "
        "since to do it again."
    )
