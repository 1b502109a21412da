"""Judgements on the layers 0 and 1: the process, the token, registration, the form of requests."""

from __future__ import annotations

from arena.doctor.evidence import API, Exchange, document, is_answer
from arena.doctor.playing import GONE_S, SceneRun
from arena.doctor.scenes import CALM
from arena.doctor.verdicts import CheckVerdict, failed, passed, skipped
from arena.processes import STOP_S


def starts(run: SceneRun) -> CheckVerdict:
    """Does the command send a request at all?"""
    launch = run.launches[0]
    if run.connected:
        first_s = run.observer.exchanges[0].request.at_s - launch.begun_s
        return passed(f"first request after {first_s:.1f} s")
    if launch.stopped or launch.code is None:
        return failed("its process runs, and sends no request", lines=run.lines.get(0, ()))
    why = f"its process ended before its first request: {launch.why}"
    return failed(why, lines=run.lines.get(0, ()))


def stays(run: SceneRun) -> CheckVerdict:
    """Does its process live as long as the session?"""
    calm = run.phase(CALM)
    if calm is None:
        return skipped("no turn was played")
    if calm.outcome == "ended":
        why = f"its process ended in the middle of a session: {calm.why}"
        return failed(why, _last(run, calm.first), calm.lines)
    return passed("its process stayed")


def ends(run: SceneRun) -> CheckVerdict:
    """Does it end by itself when its session is over?"""
    launch = run.launches[-1]
    lines = run.lines.get(len(run.launches) - 1, ())
    if run.over_s is None or (launch.ended_s is not None and launch.ended_s < run.over_s):
        return skipped("its process had ended before the session was over")
    if launch.stopped:
        return failed(f"it runs on {GONE_S:.0f} s after the end of its session", _last(run), lines)
    if launch.code != 0:
        return failed(f"it ended, but with {launch.why}", _last(run), lines)
    return passed(f"exit code 0 when the session was {run.status}")


def stops(run: SceneRun) -> CheckVerdict:
    """Does SIGTERM end it?"""
    asked = [launch for launch in run.launches[:-1] if launch.stopped]
    if not asked:
        return skipped("its process had ended before it was asked to")
    if not all(launch.obeyed for launch in asked):
        return failed(f"it runs on {STOP_S:.0f} s after SIGTERM")
    return passed("it ends when it is asked to")


def token(run: SceneRun) -> CheckVerdict:
    """Does every request have the token, and in its place?"""
    known = f"Bearer {run.token}"
    for exchange in _api(run):
        request = exchange.request
        if run.token and run.token in request.target:
            return failed("the token is in the address, where logs keep it", exchange)
        if request.path == f"{API}/bots" or request.path == API:
            continue
        header = request.fields.get("HTTP_AUTHORIZATION")
        private = exchange.status == 401
        if private and header is None:
            return failed("a request came without the token", exchange)
        if private or (header is not None and header != known):
            return failed("a request came with another token than the one it was given", exchange)
    return passed("Authorization: Bearer, and nothing else")


def enters(run: SceneRun) -> CheckVerdict:
    """Does it enter the session that it is given?"""
    if run.entered_by_hand:
        tried = next((e for e in _api(run) if e.request.method == "PUT"), None)
        return failed(f"it has not entered {run.session}", tried or _last(run))
    return passed(f"it entered {run.session}")


def whoami(run: SceneRun) -> CheckVerdict:
    """If it asks who it is, does it hear it?"""
    asked = [e for e in _api(run) if e.request.path == f"{API}/whoami"]
    wrong = next((e for e in asked if e.answered is not None and e.answered.status != 200), None)
    if wrong is not None:
        return failed("it asked who it is, and was refused", wrong)
    return passed("it asks who it is") if asked else skipped("it never asks; it need not")


def requests(run: SceneRun) -> CheckVerdict:
    """Are its requests of a form that the protocol knows?"""
    for exchange in _api(run, any_path=True):
        reply = exchange.answered
        if reply is None or is_answer(exchange.request):
            continue
        if reply.status in (400, 403, 404, 405, 411, 413, 415, 501):
            return failed(f"a request was answered with {reply.status}", exchange)
    return passed("every request has the form that it should have")


def registers(run: SceneRun) -> CheckVerdict:
    """Without a token: does it register, and use what it gets?"""
    asked = [e for e in run.observer.exchanges if e.request.path == f"{API}/bots"]
    if not asked:
        return skipped("it does not register by itself; started with ARENA_TOKEN it need not")
    if run.bot == "":
        sent = document(asked[-1].request.body)
        why = "its registration was refused"
        return failed(why if "code" in sent else f"{why}: it sent no code", asked[-1])
    ran = run.phase("registers")
    if run.entered_by_hand or ran is None or ran.outcome != "done":
        lines = ran.lines if ran else run.lines.get(0, ())
        why = "it registered, but does not play with the token that it got"
        return failed(why, _refusal(run) or _last(run), lines)
    if len(asked) > 1:
        return failed(f"it registered {len(asked)} times", asked[-1])
    return passed("it registered with the code, entered, and played")


def _api(run: SceneRun, *, any_path: bool = False) -> list[Exchange]:
    exchanges = run.observer.exchanges
    return [e for e in exchanges if any_path or e.request.path.startswith(API)]


def _last(run: SceneRun, first: int = 0) -> Exchange | None:
    return next(iter(run.observer.exchanges[first:][-1:]), None)


def _refusal(run: SceneRun) -> Exchange | None:
    return next((e for e in run.observer.exchanges if e.status >= 400), None)
