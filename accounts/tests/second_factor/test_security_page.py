"""The second factor of an account: added, shown once, removed, lost."""

from __future__ import annotations

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from accounts.services.second_factor import check_code, remove_factor, rename_passkey, unused_recovery_codes
from accounts.tests.people import PASSWORD, app_code, mails, post, prove, text
from accounts.tests.second_factor.factors import APP, SECURITY, WRONG, audit, held
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


def test_from_the_image_to_the_first_code(client, member):
    client.force_login(member)
    prove(client, member)

    page = text(client.get(APP))
    assert 'src="data:image/svg+xml;base64,' in page
    secret = re.search(r'class="secret">([A-Z2-7 ]+)<', page)[1].replace(" ", "")
    assert f"secret={secret}" in page
    # Nothing counts before its code was typed.
    assert WRONG in text(client.post(APP, {"code": "000000"}))
    assert not held(member).exists()

    code = app_code(secret)
    done = client.post(APP, {"code": f" {code[:3]} {code[3:]} "})

    assert done["Location"] == f"{SECURITY}/codes"
    codes = unused_recovery_codes(member)
    assert len(codes) == 10
    shown = text(client.get(f"{SECURITY}/codes"))
    assert all(code in shown for code in codes)
    download = client.get(f"{SECURITY}/codes/fichier")
    assert download["Content-Disposition"] == 'attachment; filename="codes-de-secours.txt"'
    assert download.content.decode().split("\r\n")[2:12] == codes
    assert audit(member) == [("second_factor.added", {}, {"type": "totp"})]
    assert mails() == [("account_second_factor", "client@example.com")]
    stored = str(list(held(member).values_list("data", flat=True)))
    assert secret not in stored


def test_recovery_codes_are_shown_for_ten_minutes_and_in_no_other_session(
    client, member, secret, time_machine
):
    client.force_login(member)
    prove(client, member, "mfa")
    old = unused_recovery_codes(member)
    assert client.get(f"{SECURITY}/codes")["Location"] == SECURITY

    assert client.post(f"{SECURITY}/codes")["Location"] == f"{SECURITY}/codes"

    new = unused_recovery_codes(member)
    assert set(old).isdisjoint(new)
    assert new[0] in text(client.get(f"{SECURITY}/codes"))
    other = Client()
    other.force_login(member)
    assert other.get(f"{SECURITY}/codes")["Location"] == SECURITY
    assert other.get(f"{SECURITY}/codes/fichier")["Location"] == SECURITY
    time_machine.move_to(time.time() + 601)
    assert client.get(f"{SECURITY}/codes")["Location"] == SECURITY


def test_removing_the_app_takes_the_recovery_codes_along(client, member, secret):
    client.force_login(member)
    prove(client, member, "mfa")

    client.post(f"{SECURITY}/codes")

    assert client.post(APP, {"action": "remove"})["Location"] == SECURITY

    assert not held(member).exists()
    assert client.get(f"{SECURITY}/codes")["Location"] == SECURITY
    assert audit(member) == [
        ("second_factor.removed", {"type": "totp"}, {}),
        ("second_factor.codes_replaced", {}, {}),
    ]
    assert mails() == [("account_second_factor", "client@example.com")] * 2
    assert post(Client(), "signin")["Location"] == "/"


def test_a_second_app_is_not_added(client, member, secret):
    client.force_login(member)
    prove(client, member, "mfa")

    assert client.get(APP)["Location"] == SECURITY
    client.get(f"{SECURITY}/cle-d-acces")
    session = client.session
    session["mfa.totp.secret"] = "JBSWY3DPEHPK3PXP"
    session.save()
    assert client.post(APP, {"code": app_code("JBSWY3DPEHPK3PXP")})["Location"] == SECURITY
    assert held(member).filter(type="totp").count() == 1


def test_an_open_session_alone_changes_no_second_factor(client, member, secret):
    client.force_login(member)

    for address, body in ((APP, {"action": "remove"}), (f"{SECURITY}/codes", {})):
        page = client.post(address, body)
        assert "Confirmez que c'est bien vous" in text(page)
    assert client.get(f"{SECURITY}/cle-d-acces")["Location"] == (
        "/espace-membre/confirmer?next=%2Fespace-membre%2Fsecurite%2Fcle-d-acces"
    )
    options = client.post(f"{SECURITY}/cle-d-acces/options")
    assert (options.status_code, options.json()["code"]) == (403, "reauthentication_required")
    assert held(member).count() == 2


def test_a_passkey_is_no_code_and_is_renamed_and_removed_alone(member, secret):
    first, second = (
        held(member).create(user=member, type="webauthn", data={"name": name, "credential": {}})
        for name in ("Maison", "Clé")
    )
    with pytest.raises(Problem) as refused:
        check_code(member, "000000")
    assert refused.value.code == "incorrect_code"
    assert check_code(member, app_code(secret)).type == "totp"

    rename_passkey(member, second.pk, " Bureau ")
    rename_passkey(member, second.pk, " ")
    names = [row.data["name"] for row in held(member).filter(type="webauthn").order_by("pk")]
    assert names == ["Maison", "Bureau"]
    with pytest.raises(Problem) as refused:
        rename_passkey(User.objects.get(email="autre@example.com"), second.pk, "Volée")
    assert refused.value.status == 404
    remove_factor(member, "webauthn", second.pk)
    assert list(held(member).filter(type="webauthn")) == [first]
    assert len(unused_recovery_codes(member)) == 10


def test_who_lost_everything_is_helped_by_a_server_command(member, secret, capsys):
    call_command("reset_second_factor", "CLIENT@example.com")
    assert capsys.readouterr().out == "2 removed from client@example.com.\n"
    assert (held(member).count(), Authenticator.objects.count()) == (0, 2)
    assert audit(member) == [("second_factor.reset", {"types": ["recovery_codes", "totp"]}, {})]
    assert OutgoingMail.objects.get().context["change"] == "reset"

    call_command("reset_second_factor", "client@example.com")
    assert capsys.readouterr().out == "client@example.com had none.\n"
    assert OutgoingMail.objects.count() == 1
    with pytest.raises(CommandError):
        call_command("reset_second_factor", "nobody@example.com")


def test_a_blocked_account_loses_its_factors_by_the_command_too(member, secret, capsys):
    User.objects.filter(pk=member.pk).update(is_active=False)
    call_command("reset_second_factor", "client@example.com")
    assert capsys.readouterr().out == "2 removed from client@example.com.\n"
    assert held(member).count() == 0


def test_the_password_is_not_asked_for_where_there_is_a_second_factor(client, member, secret):
    client.force_login(member)
    page = text(client.post(APP, {"action": "remove"}))
    assert 'name="proof_code"' in page
    assert "proof_password" not in page

    client.post(APP, {"action": "remove", "proof_password": PASSWORD})
    assert held(member).count() == 2
    done = client.post(APP, {"action": "remove", "proof_code": app_code(secret)})
    assert done["Location"] == SECURITY
    assert not held(member).exists()
