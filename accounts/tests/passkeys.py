"""A passkey for tests: what a phone or a security key answers to the browser (WebAuthn, ES256, no attestation)."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from allauth.account.utils import user_pk_to_url_str
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
)

from accounts.models import User

OPTIONS = "/auth/cle-d-acces/options"
SIGN_IN = "/auth/cle-d-acces"
NEW = "/espace-membre/securite/cle-d-acces"
Flag = AuthenticatorData.FLAG
OWNER = Flag.UP | Flag.UV
"""The owner was there, and proved with a finger or a PIN who they are."""


@dataclass
class Passkey:
    """`origin` is the site that asks, as the browser sees it."""

    user: User
    origin: str = "https://localhost"
    rp_id: str = "localhost"
    secret: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def make(self, client: Any, flags: Flag = OWNER) -> str:
        """The new passkey for the challenge that the shop gives this browser now, as its form sends it."""
        options = client.post(f"{NEW}/options").json()["publicKey"]
        key = ES256.from_cryptography_key(self.secret.public_key())
        made = AttestedCredentialData.create(Aaguid.NONE, self.id, key)
        data = AuthenticatorData.create(self._site(), flags | Flag.AT, 0, made)
        attestation = AttestationObject.create("none", data, {})
        return self._answer(
            {
                "clientDataJSON": self._client_data("webauthn.create", options["challenge"]),
                "attestationObject": websafe_encode(attestation),
            },
            {"credProps": {"rk": True}},
        )

    def sign(self, client: Any, flags: Flag = OWNER, user: User | None = None) -> str:
        """The challenge that the shop gives this browser now, signed; `user`: whom the answer claims to be."""
        return self.sign_challenge(client.post(OPTIONS).json()["publicKey"]["challenge"], flags, user)

    def sign_challenge(self, challenge: str, flags: Flag = OWNER, user: User | None = None) -> str:
        told = self._client_data("webauthn.get", challenge)
        data = AuthenticatorData.create(self._site(), flags, 0)
        signed = data + hashlib.sha256(websafe_decode(told)).digest()
        return self._answer(
            {
                "clientDataJSON": told,
                "authenticatorData": websafe_encode(data),
                "signature": websafe_encode(self.secret.sign(signed, ec.ECDSA(SHA256()))),
                "userHandle": websafe_encode(user_pk_to_url_str(user or self.user).encode()),
            },
            {},
        )

    def _site(self) -> bytes:
        return hashlib.sha256(self.rp_id.encode()).digest()

    def _client_data(self, kind: str, challenge: str) -> str:
        return websafe_encode(
            json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()
        )

    def _answer(self, response: dict[str, str], extensions: dict[str, Any]) -> str:
        name = websafe_encode(self.id)
        return json.dumps(
            {
                "id": name,
                "rawId": name,
                "type": "public-key",
                "response": response,
                "clientExtensionResults": extensions,
            }
        )
