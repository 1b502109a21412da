"""Signatures: RFC 8032's first example, and documents that are signed as a whole."""

from __future__ import annotations

import pytest

from arena.errors import BadInput
from arena.proofs.signatures import Signer, is_signed, is_signed_document

KEY = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
OF_NOTHING = (
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
    "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


def test_signatures_are_those_of_rfc_8032() -> None:
    signer = Signer(KEY)
    assert (signer.public_key, signer.sign(b"")) == (PUBLIC, OF_NOTHING)
    assert is_signed(b"", OF_NOTHING, public_key=PUBLIC)
    assert not is_signed(b"x", OF_NOTHING, public_key=PUBLIC)


@pytest.mark.parametrize("key", ["", "00", "xyz", PUBLIC[:-2], "ff" * 32])
def test_what_is_no_key_has_signed_nothing(key: str) -> None:
    assert not is_signed(b"", OF_NOTHING, public_key=key)


def test_a_signed_document_is_covered_as_a_whole() -> None:
    document = Signer(KEY).signed({"format": "daifugo-arena/digest/1", "root": "ab" * 32})
    assert is_signed_document(document)
    assert is_signed_document(dict(reversed(document.items())))
    for name in document:
        assert not is_signed_document({**document, name: "00" * 32})
        assert not is_signed_document({each: document[each] for each in document if each != name})


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(BadInput, match=r"the signing key .*31 bytes.*; expected 32 bytes"):
        Signer(KEY[1:])
