"""`run(bot)`: everything around a bot's game. Flags, registration or return, entry, goodbye.

from arena.client import Bot, run

class Careful(Bot):
    def play(self, turn):
        return turn.lowest() or turn.pass_()

if __name__ == "__main__":
    run(Careful())
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import sys
import threading
import time
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from arena.client import news, tokens
from arena.client.bot import Bot, check_bot
from arena.client.endpoints import CONFLICT, new_chance
from arena.client.flags import NO_CHANCE, BotSettings, kebab, parser, settings
from arena.client.http import Client
from arena.client.problems import ArenaProblem, KitError
from arena.client.receipts import Receipts
from arena.client.runner import Runner, Tally
from arena.documents import Document
from arena.statuses import OVER, SessionStatus

LOG = logging.getLogger("arena.client")
LOOK_AGAIN_S = 2.0


class BotIdentity(NamedTuple):
    """A signed-in client, and where its token is kept."""

    client: Client
    name: str
    file: tokens.TokenFile | None
    sessions: tuple[str, ...]


def run(
    bot: Bot,
    *,
    url: str | None = None,
    name: str | None = None,
    token: str | None = None,
    session: str | Sequence[str] | None = None,
    code: str | None = None,
    token_file: str | None = None,
    owner: str | None = None,
    owner_token: str | None = None,
    chance: str | None = None,
    receipts: str | None = None,
    wait_s: float | None = None,
    patience_s: float | None = None,
    strict: bool = False,
    argv: Sequence[str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Tally | None:
    """Play `bot` until its sessions are over -> what it came to; None if it was stopped before.

    Command-line flags win over the environment (ARENA_URL, ARENA_TOKEN, ARENA_SESSION, ARENA_CODE,
    ARENA_NAME, ARENA_OWNER, ARENA_OWNER_TOKEN, ARENA_TOKEN_FILE, ARENA_CHANCE, ARENA_RECEIPTS), and
    this over the arguments. `argv=[]` reads no flags. chance: 64 hex digits that are mixed into all
    deals, or `none`; random ones if left out. owner: of several bots of one owner, started in one
    folder, the first brings the owner in and the others show its token; elsewhere `owner_token` is
    one of theirs. receipts: a file for what proves how each hand went (see
    `arena.client.receipts`).
    Ends the process with one clear line and status 1 if the arena refuses or cannot be reached,
    2 if its address is none. Raises KitError in a module that is only being imported.
    """
    check_not_imported()
    given = {
        "url": url,
        "name": name,
        "token": token,
        "session": session,
        "code": code,
        "token_file": token_file,
        "owner": owner,
        "owner_token": owner_token,
        "chance": chance,
        "receipts": receipts,
        "wait_s": wait_s,
        "patience_s": patience_s,
        "strict": strict,
    }
    return start(bot, play, given, argv=argv, environ=environ)


def start(
    bot: Bot,
    play_as: Callable[[Bot, BotSettings], Tally],
    given: Mapping[str, Any],
    *,
    argv: Sequence[str] | None,
    environ: Mapping[str, str] | None,
) -> Tally | None:
    """`run`, with its arguments as a mapping, in a process that is the bot's own. `play_as`: plays
    until the sessions are over."""
    flags = parser(type(bot).__doc__)
    bot.add_flags(flags)
    read = flags.parse_args(argv)
    try:
        chosen = settings(read, os.environ if environ is None else environ, given)
    except KitError as error:
        flags.exit(2, f"{flags.prog}: {error}\n")
    with _telling(chosen), _one_line_errors(), _stoppable():
        bot.begin(read)
        return play_as(bot, chosen)
    return None


def play(bot: Bot, chosen: BotSettings) -> Tally:
    """The same without flags, signals and exits: errors are raised."""
    check_bot(bot)
    with (
        receipts_in(chosen) as receipts,
        signed_in(chosen, default_name=kebab(type(bot).__name__)) as me,
    ):
        sessions = enter(me, chosen.sessions, chance=chosen.chance)
        runner = Runner(
            me.client,
            bot,
            sessions=sessions,
            wait_s=chosen.wait_s,
            strict=chosen.strict,
            receipts=receipts,
        )
        try:
            return runner.run()
        finally:
            LOG.info("%s: %s", me.name, runner.tally)


def check_not_imported() -> None:
    """A module that somebody imports, `arena match --local` for one, may not start to play."""
    frame = sys._getframe(2)
    while frame.f_code.co_name != "<module>":
        if frame.f_back is None:
            return
        frame = frame.f_back
    name = str(frame.f_globals.get("__name__"))
    if name != "__main__" and name in sys.modules:
        advice = 'put it below `if __name__ == "__main__":`'
        raise KitError(f"{name}.py calls run() while it is only being imported: {advice}")


def receipts_in(chosen: BotSettings) -> AbstractContextManager[Receipts | None]:
    """The file of receipts, opened before anything is asked of the arena; None without one. Raises
    KitError if it cannot be written."""
    return Receipts(chosen.receipts, chosen.url) if chosen.receipts else nullcontext()


# Who I am


@contextmanager
def signed_in(chosen: BotSettings, *, default_name: str) -> Iterator[BotIdentity]:
    """A client with a token that the arena knows: given, kept from last time, or new."""
    client = Client(chosen.url, chosen.token, patience_s=chosen.patience_s)
    file = None
    try:
        if chosen.token:
            me = BotIdentity(client, _my_name(client), None, ())
        else:
            file, wanted = _file(chosen, chosen.name or default_name)
            me = _return(client, file) or _register(client, chosen, file, wanted=wanted)
        LOG.info("%s plays at %s", me.name, client.url)
        yield me
    finally:
        client.close()
        if file:
            file.close()


def _file(chosen: BotSettings, name: str) -> tuple[tokens.TokenFile | None, str]:
    if chosen.token_file == "none":
        return None, name
    if chosen.token_file:
        return tokens.given(Path(chosen.token_file)), name
    file, free = tokens.first_free(name, chosen.url)
    if chosen.name and free != name:
        file.close()
        raise KitError(f"{name} is running in this folder already; give another --name")
    if free != name:
        LOG.warning("%s is running already in this folder; this is another bot, %s", name, free)
    return file, free


def _return(client: Client, file: tokens.TokenFile | None) -> BotIdentity | None:
    """Come back with the kept token; None if there is none or the arena does not know it."""
    stored = file.load() if file else None
    if file is None or stored is None:
        return None
    tokens.check(file.path, stored, client.url)
    client.token = stored.token
    try:
        name = _my_name(client)
    except ArenaProblem as problem:
        if problem.status != 401:
            raise
        old = file.set_aside()
        LOG.warning("this arena does not know the kept token (now in %s): registering anew", old)
        client.token = None
        return None
    LOG.info("back as %s, with the token kept in %s", name, file.path)
    file.save(stored._replace(notices=news.report(client, stored)))
    return BotIdentity(client, name, file, stored.sessions)


def _register(
    client: Client, chosen: BotSettings, file: tokens.TokenFile | None, *, wanted: str
) -> BotIdentity:
    folder = file.path.parent if file else tokens.FOLDER
    with (
        tokens.registering(chosen.owner, folder=folder) if chosen.owner and file else nullcontext()
    ):
        name, document = _registered(client, chosen, wanted=wanted, folder=folder)
        bot = document.get("bot")
        owner = str(bot.get("owner", "")) if isinstance(bot, Mapping) else ""
        if file:
            kept = tokens.StoredToken(client.url, name, str(document["token"]), owner=owner)
            file.save(kept)
            LOG.info("registered as %s, token kept in %s", name, file.path)
    return BotIdentity(client, name, file, ())


def _registered(
    client: Client, chosen: BotSettings, *, wanted: str, folder: Path
) -> tuple[str, Document]:
    """Register under a name that is free -> the name, and what the arena answered."""
    name = wanted
    for _ in range(5):
        try:
            return name, _by_owner(client, chosen, name=name, folder=folder)
        except ArenaProblem as problem:
            if problem.status != 409 or chosen.name:
                raise
            if chosen.owner and not _is_name_taken(client, name):
                raise  # it is the owner that is somebody's
            name = f"{wanted}-{secrets.token_hex(2)}"
    raise KitError(f"names like {wanted} are taken; give another --name")


def _by_owner(client: Client, chosen: BotSettings, *, name: str, folder: Path) -> Document:
    """Register a bot: with the token of another bot of the owner, if there is one, else without."""
    if chosen.owner_token:
        return client.register(name, owner=chosen.owner, owner_token=chosen.owner_token)
    kept = tokens.of_owner(chosen.owner, client.url, folder=folder) if chosen.owner else []
    for token in kept:
        try:
            return client.register(name, owner=chosen.owner, owner_token=token)
        except ArenaProblem as problem:
            if problem.status != 401:
                raise
            LOG.debug("a kept token of %s is not known any more", chosen.owner)
    return client.register(name, chosen.code, owner=chosen.owner)


def _is_name_taken(client: Client, name: str) -> bool:
    try:
        client.request("GET", f"/bots/{quote(name, safe='')}")
    except ArenaProblem as problem:
        if problem.status != 404:
            raise
        return False
    return True


def _my_name(client: Client) -> str:
    document = client.whoami()
    bot = document.get("bot", document)
    return str(bot.get("name", "?")) if isinstance(bot, Mapping) else str(document.get("name", bot))


# Where I play


def enter(
    me: BotIdentity,
    sessions: Sequence[str],
    *,
    chance: str | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> list[str]:
    """Enter these sessions; if none is named, those of last time, or the one that is open.

    chance: as in `BotSettings`.
    """
    wanted = list(sessions) or _unfinished(me) or [_find_open(me.client, sleep=sleep)]
    stored = me.file.load() if me.file else None
    chances = {} if stored is None else dict(stored.chances)
    if chance != NO_CHANCE:
        for session in wanted:
            chances.setdefault(session, chance or new_chance().hex())
    if me.file and stored:  # before they are sent, for the arena takes none but the first
        stored = stored._replace(chances=chances)
        me.file.save(stored)
    for session in wanted:
        if not _enter(me.client, session, chances.get(session), sleep=sleep):
            chances.pop(session, None)
    if me.file and stored:
        me.file.save(stored._replace(sessions=tuple(wanted), chances=chances))
    return wanted


def _unfinished(me: BotIdentity) -> list[str]:
    """The sessions entered before that are not over."""
    unfinished = []
    for session in me.sessions:
        try:
            if me.client.session(session).get("status") not in OVER:
                unfinished.append(session)
        except ArenaProblem as problem:
            if problem.status != 404:
                raise
    return unfinished


def _find_open(client: Client, *, sleep: Callable[[float], None]) -> str:
    announced = False
    while True:
        sessions = client.sessions(SessionStatus.OPEN)
        if len(sessions) == 1:
            return _id(sessions[0])
        if sessions:
            listed = ", ".join(map(_named, sessions))
            raise KitError(f"several sessions are open; choose with --session: {listed}")
        if not announced:
            LOG.warning("no session is open for entries: waiting for one")
            announced = True
        sleep(LOOK_AGAIN_S)


def _enter(
    client: Client, session: str, chance: str | None, *, sleep: Callable[[float], None]
) -> bool:
    """Enter; wait while the session is not open yet; go on if it runs already.

    chance: hex digits, None for none; the answer is whether the arena has these.
    """
    announced = False
    while True:
        try:
            mixed = _entered(client, session, chance)
        except ArenaProblem as problem:
            if problem.status == 404:
                raise KitError(_no_session(client, session)) from problem
            view = client.session(session)
            status, named = view.get("status"), _named({"session": session, **view})
            if problem.status not in (403, 409) or status == SessionStatus.OPEN:
                raise
            if status != SessionStatus.CREATED:
                LOG.warning("not entered anew, session %s is %s: %s", named, status, problem.detail)
                return False
            if not announced:
                LOG.warning("session %s is not open yet: waiting", named)
                announced = True
            sleep(LOOK_AGAIN_S)
        else:
            LOG.info("entered session %s%s", session, f", giving {chance}" if mixed else "")
            return mixed


def _entered(client: Client, session: str, chance: str | None) -> bool:
    """Enter with these bytes for chance if the arena takes them, else as the entry is, or without
    any. Does it have them?"""
    if chance is not None:
        try:
            return bool(client.enter(session, chance=chance).get("chance_given"))
        except ArenaProblem as problem:
            if problem.status != CONFLICT:
                raise
    client.enter(session, chance=None)
    return False


def _no_session(client: Client, session: str) -> str:
    """What to say of a session that does not exist."""
    open_ones = [_named(each) for each in client.sessions(SessionStatus.OPEN)]
    listed = (
        f"open for entries: {', '.join(open_ones)}" if open_ones else "none is open for entries"
    )
    return f"there is no session {session!r} at {client.url}; {listed}"


def _named(session: Document) -> str:
    """A session by its id, which commands take, and by its name."""
    name = session.get("name")
    return f"{_id(session)} ({name})" if name else _id(session)


def _id(session: Document) -> str:
    return str(session.get("id") or session.get("session") or session.get("slug"))


# How it ends


class _Stopped(BaseException):
    """SIGTERM; like KeyboardInterrupt nothing a bot's own code should catch."""


@contextmanager
def _stoppable() -> Iterator[None]:
    """Ctrl-C, SIGTERM and leaving the debugger end the block quietly."""

    def stop(*_: Any) -> None:
        raise _Stopped

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, stop) if main else None
    try:
        yield
    except (KeyboardInterrupt, BdbQuit, _Stopped):
        LOG.warning("stopped; started again it goes on where it was")
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """What the arena says is no reason for a traceback."""
    try:
        yield
    except KitError as error:
        LOG.critical("%s", error)
        raise SystemExit(1) from error


@contextmanager
def _telling(chosen: BotSettings) -> Iterator[None]:
    """Messages go to stderr, unless the program has set up logging by itself."""
    level = logging.ERROR if chosen.quiet else logging.DEBUG if chosen.verbose else logging.INFO
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    own = not LOG.hasHandlers()
    before = LOG.level
    if own:
        LOG.addHandler(handler)
        LOG.setLevel(level)
    try:
        yield
    finally:
        if own:
            LOG.removeHandler(handler)
            LOG.setLevel(before)
