"""How often bots may be registered: whose bucket a try draws from, decided before the try.

A try with a good code draws from that code's own bucket, one with a token from that token's. All
others share: those without a code where none is needed, and apart from them those that cannot
succeed, such as with a wrong code. So nobody who tries names or codes keeps anybody out who has a
code, a bot or an organiser's token. A refused try costs more than one that succeeds; with a
good code it draws from a bucket apart, so that one who has the code of a class keeps no other out.
What may be registered is for the referee.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple

from arena.settings import Settings
from arena.statuses import RegistrationMode
from arena.web.api.addresses import Addresses
from arena.web.api.limits import Buckets

REFUSED_COST = 4
"""What a refused try costs beyond the unit that every try costs."""
TRIES_PER_USE = 4
LEAST_TRIES = 20
REFILL_S = 30
"""A code's bucket is full again after this."""
MOST_CODES = 10_000
TABLES_PER_S, TABLES_BURST = 0.5, 60
"""How often casual tables may be asked for, by everybody together: a whole class at once."""
NEW, WRONG, MALFORMED, ONE, REFUSED = "new", "wrong", "malformed", "one", "refused"


class Attempt(NamedTuple):
    """A try that was let through, and what it drew from. refused_key: whose bucket pays instead
    if it comes to nothing, where that is another one."""

    buckets: Buckets
    key: str
    refused_key: str | None = None

    def refused(self) -> None:
        """It came to nothing. Raises Problem (`too_many_requests`) if that has been so too often.

        A good code is of many persons: what one of them tries in vain draws from another bucket, or
        it would keep the others out.
        """
        if self.refused_key is None:
            self.buckets.credit(self.key, -REFUSED_COST)
            return
        self.buckets.credit(self.key, 1)
        detail = "Registrations with this code that come to nothing are tried too often."
        self.buckets.take_or_refuse(self.refused_key, detail)
        self.buckets.credit(self.refused_key, -REFUSED_COST)


class Registrations:
    """The buckets of one process."""

    def __init__(
        self, settings: Settings, addresses: Addresses, *, monotonic: Callable[[], float]
    ) -> None:
        rate, burst = settings.registrations_per_s, settings.registration_burst
        self._open = settings.registration == RegistrationMode.OPEN
        self._addresses = addresses
        self._monotonic = monotonic
        self._shared = Buckets(rate, burst, monotonic=monotonic)
        self._tables = Buckets(TABLES_PER_S, TABLES_BURST, monotonic=monotonic)
        self._by_code: dict[bytes, Buckets] = {}
        self._lock = Lock()

    def begin(self, code: str, *, uses: int, address: str) -> Attempt:
        """Let a try without a token through. Raises Problem: `too_many_requests`.

        code: "" for none. uses: how often it may be used; 0 for a code that is not good.
        """
        if uses:
            attempt = Attempt(self._of_code(code, uses), ONE, REFUSED)
            whose = "Registrations with this code"
        else:
            attempt = Attempt(self._shared, NEW if self._open and not code else WRONG)
            whose = "Registrations without a good code or a token"
            self._addresses.check_registration(address)
        attempt.buckets.take_or_refuse(attempt.key, f"{whose} are tried too often.")
        return attempt

    def begin_table(self, address: str) -> None:
        """Let somebody ask for a casual table. Raises Problem: `too_many_requests`."""
        self._addresses.check_registration(address)
        self._tables.take_or_refuse(ONE, "Tables are asked for too often.")

    def refuse(self, environ: Mapping[str, Any], cost: float) -> None:
        """Count what is not even a registration, of a caller without a token, by what it costs.

        It draws from nobody else's bucket: neither spectators nor those who register pay for it.
        For its address it is a request, and takes nothing of the registrations of an hour.
        Raises Problem (`too_many_requests`) if there is too much of it.
        """
        self._addresses.check_request(environ)
        self._shared.take_or_refuse(MALFORMED, "Malformed registrations are sent too often.")
        self._shared.credit(MALFORMED, -cost)

    def _of_code(self, code: str, uses: int) -> Buckets:
        """The bucket of a good code. There are as many as there are codes."""
        hashed = sha256(code.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            buckets = self._by_code.get(hashed)
            if buckets is None:
                if len(self._by_code) >= MOST_CODES:
                    self._by_code.clear()
                burst = LEAST_TRIES + TRIES_PER_USE * uses
                buckets = Buckets(burst / REFILL_S, burst, monotonic=self._monotonic)
                self._by_code[hashed] = buckets
            return buckets
