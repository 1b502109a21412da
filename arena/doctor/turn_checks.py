"""Judgements on the turns themselves: layer 2, and what the session demands of all layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arena.doctor.evidence import Exchange, GivenAnswer, document, is_answer, is_poll
from arena.doctor.playing import PAUSE_S, PhaseRun, SceneRun
from arena.doctor.scenes import CALM, PAUSE
from arena.doctor.troubles import RETRY_AFTER_S
from arena.doctor.verdicts import CheckVerdict, failed, passed, skipped
from arena.wire.turns import KINDS

Judge = Callable[[SceneRun], CheckVerdict]
EARLY_S = 0.02
"""So much sooner than `Retry-After` a request may come, by the rounding of clocks."""
MOST_POLLS = 8
"""Requests for turns while nothing is offered, in `PAUSE_S`: 5 in a second, and some."""
MOST_STALE = 3


def in_phase(run: SceneRun, ran: PhaseRun) -> list[GivenAnswer]:
    """The answers that came in a phase."""
    return [a for a in run.observer.answers if a.exchange.phase == ran.phase.name]


def answers(run: SceneRun) -> CheckVerdict:
    """Is every turn answered?"""
    calm = run.phase(CALM)
    if calm is None:
        return skipped("no turn was played")
    tried = {answer.turn for answer in in_phase(run, calm)}
    late = any(entry["turn"] in tried for entry in calm.expired)
    ignored = [] if late else calm.expired
    if ignored and calm.outcome != "ended":
        offer = run.observer.offers.get(ignored[0]["turn"])
        why = f"no answer came to turn {ignored[0]['turn']}, and the referee answered"
        return failed(why, offer.exchange if offer else None, calm.lines)
    if calm.outcome == "stuck":
        return failed("it asks for nothing any more", _last(run), calm.lines)
    return _of_turns(run, calm, "every turn was answered")


def in_time(run: SceneRun) -> CheckVerdict:
    """Does every answer come in time?"""
    calm = run.phase(CALM)
    if calm is None:
        return skipped("no turn was played")
    late = next((a for a in in_phase(run, calm) if a.status == 410 and _timeout(a)), None)
    if late is not None:
        return failed(f"the answer to {late.turn} came after its time", late.exchange)
    return _of_turns(run, calm, "every answer came in time")


def _timeout(answer: GivenAnswer) -> bool:
    return "timeout" in str(answer.reply.get("detail"))


def legal(run: SceneRun) -> CheckVerdict:
    """Is every answer legal?"""
    return _refused(run, (422,), "an answer is not legal: {detail}", "every answer was legal")


def well_formed(run: SceneRun) -> CheckVerdict:
    """Does every answer have the form of one?"""
    codes = (400, 403, 404, 405, 413, 415)
    return _refused(run, codes, "an answer has no proper form: {detail}", "every answer had it")


def _refused(run: SceneRun, statuses: tuple[int, ...], why: str, good: str) -> CheckVerdict:
    calm = run.phase(CALM)
    if calm is None:
        return skipped("no turn was played")
    wrong = next((a for a in in_phase(run, calm) if a.status in statuses), None)
    if wrong is not None:
        return failed(why.format(detail=wrong.reply.get("detail")), wrong.exchange)
    return _of_turns(run, calm, good)


def once(run: SceneRun) -> CheckVerdict:
    """Is a turn left alone once its answer was accepted?"""
    calm = run.phase(CALM)
    if calm is None:
        return skipped("no turn was played")
    heard: dict[str, float] = {}
    for answer in in_phase(run, calm):
        at_s = heard.get(answer.turn)
        if at_s is not None and answer.at_s > at_s:
            return failed(f"{answer.turn} was answered again after a 200", answer.exchange)
        if answer.accepted and answer.exchange.sent_s is not None:
            heard[answer.turn] = answer.exchange.sent_s
    return _of_turns(run, calm, "every turn was answered once")


def _of_turns(run: SceneRun, ran: PhaseRun, good: str) -> CheckVerdict:
    count = len({a.turn for a in in_phase(run, ran)})
    return passed(f"{good} ({count} turns)") if count else skipped("it answered no turn")


def kind(name: str) -> Judge:
    """The judgement on turns of a kind."""
    assert name in KINDS

    def judge(run: SceneRun) -> CheckVerdict:
        offered = {t: o for t, o in run.observer.offers.items() if o.turn["kind"] == name}
        if not offered:
            return skipped("no such turn came up")
        given = [answer for answer in run.observer.answers if answer.turn in offered]
        wrong = next((a for a in given if a.status in (400, 422)), None)
        if wrong is not None:
            why = f"its answer was refused: {wrong.reply.get('detail')}"
            return failed(why, wrong.exchange)
        done = {answer.turn for answer in given if answer.accepted}
        if not done:
            why, lines = _why_none(run)
            first = next(iter(offered.values()))
            return failed(f"it was asked, and did not answer{why}", first.exchange, lines)
        return passed(f"{len(done)} answered")

    return judge


def _why_none(run: SceneRun) -> tuple[str, list[str]]:
    ran = next(iter(run.phases), None)
    if ran is None:
        return "", []
    return (f"; its process ended: {ran.why}" if ran.outcome == "ended" else ""), ran.lines


def joker_roles(run: SceneRun) -> CheckVerdict:
    """Does it name what jokers stand for as it may?"""
    given = [answer for answer in run.observer.answers if "as" in answer.body]
    wrong = next((a for a in given if a.status in (400, 422)), None)
    if wrong is not None:
        return failed(f"jokers cannot stand for that: {wrong.reply.get('detail')}", wrong.exchange)
    return passed(f"{len(given)} answers with `as`") if given else skipped("it sent no `as`")


def goes_on(name: str, *, optional: bool = False) -> Judge:
    """The judgement on a phase: the bot answers the turns behind its trouble.

    optional: a bot that answers none at all does without, as one that answers with `choice` must,
    and is not blamed.
    """

    def judge(run: SceneRun) -> CheckVerdict:
        ran = run.phase(name)
        if ran is None:
            return skipped("not reached: the bot answers nothing, or does not connect")
        given = in_phase(run, ran)
        accepted = {answer.turn for answer in given if answer.accepted}
        if optional and not accepted:
            return skipped("it does without: not one answer of it was accepted")
        if optional and any("choice" in answer.body for answer in given):
            return skipped("it answers by the number of an entry, which needs the list")
        if ran.outcome == "not come":
            return skipped("there was no occasion for it")
        wrong = next((a for a in given if a.status in (400, 422) and not a.exchange.note), None)
        if ran.outcome in ("done", "expired") and wrong is not None:
            why = f"an answer was refused: {wrong.reply.get('detail')}"
            return failed(why, wrong.exchange, ran.lines)
        if ran.outcome == "done":
            return passed(f"{len(accepted)} turns answered")
        exchange = _telling(run, ran)
        if ran.outcome == "ended":
            return failed(f"its process ended: {ran.why}", exchange, ran.lines)
        if ran.outcome == "expired":
            why = f"turn {ran.expired[0]['turn']} was left to the clock"
            return failed(why, exchange, ran.lines)
        return failed("it asks for nothing any more", exchange, ran.lines)

    return judge


def _telling(run: SceneRun, ran: PhaseRun) -> Exchange | None:
    """The exchange with the trouble, else the last one."""
    own = [e for e in run.observer.exchanges if e.phase == ran.phase.name]
    return next((e for e in own if e.note), next(iter(own[-1:]), None))


def restart(run: SceneRun) -> CheckVerdict:
    """Does a bot that was ended and started again go on where it was?"""
    left = next((e for e in run.observer.exchanges if e.request.method == "DELETE"), None)
    if left is not None:
        return failed("it withdrew when it was ended: its seat is lost", left)
    again = goes_on("restart")(run)
    anew = next((e for e in run.observer.exchanges if e.request.path.endswith("/bots")), None)
    return failed("it registered anew, though it had a token", anew) if anew else again


def retry_after(run: SceneRun) -> CheckVerdict:
    """Does it wait as long as it is asked to?"""
    refused = [e for e in run.observer.exchanges if e.note and e.status in (429, 503)]
    if not refused:
        return skipped("it was never told to wait")
    for exchange in refused:
        # When it left is noted later than it left, on a busy machine by more than `EARLY_S`.
        told_s = exchange.ready_s or exchange.request.at_s
        for later in run.observer.exchanges[exchange.number + 1 :]:
            waited_s = later.request.at_s - told_s
            if 0 < waited_s < RETRY_AFTER_S - EARLY_S:
                why = f"told to wait {RETRY_AFTER_S} s, it came back after {waited_s:.2f} s"
                return failed(why, exchange)
            break
    return passed(f"it waited after {len(refused)} refusals")


def polls(run: SceneRun) -> CheckVerdict:
    """Does it wait where nothing is offered?"""
    ran = run.phase(PAUSE)
    if ran is None:
        return skipped("not reached: the bot answers nothing, or does not connect")
    before = [
        e for e in run.observer.exchanges[ran.still] if is_poll(e.request) or is_answer(e.request)
    ]
    took_s = max([PAUSE_S, *(e.request.at_s - before[0].request.at_s for e in before[-1:])])
    if len(before) > MOST_POLLS * took_s / PAUSE_S:
        why = f"it asked {len(before)} times in {took_s:.1f} s while nothing was offered"
        return failed(why, before[-1])
    return goes_on(PAUSE)(run)


def cursor(run: SceneRun) -> CheckVerdict:
    """If it sends a cursor, is that the newest one?"""
    used = [e for e in run.observer.exchanges if "after" in e.request.query]
    if not used:
        return skipped("it sends no `after`; it need not")
    given: list[tuple[float, str]] = []
    stale: list[Exchange] = []
    for exchange in run.observer.exchanges:
        sent = exchange.request.query.get("after")
        known = [value for at_s, value in given if at_s < exchange.request.at_s]
        if sent is not None and known and sent not in known[-2:]:
            stale.append(exchange)
        given += _cursor(exchange)
    if len(stale) >= MOST_STALE:
        return failed(f"{len(stale)} requests had an old cursor in `after`", stale[0])
    return passed(f"{len(used)} requests with `after`")


def _cursor(exchange: Exchange) -> Iterable[tuple[float, str]]:
    # When it was ready, not when it had left: by then the bot may have asked again.
    if exchange.sent is None or exchange.ready_s is None or not is_poll(exchange.request):
        return ()
    value = document(exchange.sent.body).get("cursor")
    return () if value is None else ((exchange.ready_s, str(value)),)


def _last(run: SceneRun) -> Exchange | None:
    return next(iter(run.observer.exchanges[-1:]), None)
