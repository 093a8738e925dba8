"""People of the demonstration."""

from accounts.models import Role
from accounts.selectors import find_user
from accounts.services import create_member, grant_role
from shop.core.demo import ADMIN, CLIENT, PASSWORD, STAFF, demo_part


@demo_part(order=10)
def load_people() -> None:
    """An administrator, somebody who packs, and a member; accounts that exist are left as they are."""
    if find_user(ADMIN) is None:
        admin = create_member(email=ADMIN, password=PASSWORD, first_name="Alix", last_name="Atelier")
        grant_role(user=admin, role=Role.ADMIN)
    if find_user(STAFF) is None:
        staff = create_member(email=STAFF, password=PASSWORD, first_name="Lou", last_name="Atelier")
        grant_role(user=staff, role=Role.STAFF)
    if find_user(CLIENT) is None:
        create_member(email=CLIENT, password=PASSWORD, first_name="Camille", last_name="Exemple")
