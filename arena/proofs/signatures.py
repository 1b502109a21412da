"""Ed25519 signatures (RFC 8032) of what an arena publishes, by the library `cryptography`.

Keys and signatures are written in hex: 64 digits for a public key, 128 for a signature. What is
signed is canonical JSON (`arena.proofs.canonical`) without the member `signature`, and says with
its member `format` what it is.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.canonical import canonical

KEY_BYTES = 32
SIGNATURE = "signature"
PUBLIC_KEY = "public_key"


class Signer:
    """A private key. public_key: hex."""

    def __init__(self, key: bytes) -> None:
        """key: its 32 bytes. Raises BadInput."""
        if len(key) != KEY_BYTES:
            raise BadInput("the signing key", f"{len(key)} bytes", f"{KEY_BYTES} bytes")
        self._key = Ed25519PrivateKey.from_private_bytes(key)
        self.public_key = self._key.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """The signature of a message, in hex."""
        return self._key.sign(message).hex()

    def signed(self, document: Document) -> Document:
        """A document with `public_key` and `signature`."""
        known = {**document, PUBLIC_KEY: self.public_key}
        return {**known, SIGNATURE: self.sign(canonical(known))}


def is_signed(message: bytes, signature: str, *, public_key: str) -> bool:
    """Is a signature that of a key? What is no key or signature at all is not."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(signature), message)
    except (ValueError, InvalidSignature):
        return False
    return True


def is_signed_document(document: Document) -> bool:
    """Does the signature of a document fit its own public key?"""
    signature, key = document.get(SIGNATURE), document.get(PUBLIC_KEY)
    if not isinstance(signature, str) or not isinstance(key, str):
        return False
    unsigned = {name: value for name, value in document.items() if name != SIGNATURE}
    return is_signed(canonical(unsigned), signature, public_key=key)
