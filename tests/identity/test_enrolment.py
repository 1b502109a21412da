"""Whose a bot is: what codes, tokens and organisers prove, and what nobody can claim."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.application import Referee
from arena.documents import Document
from arena.errors import ArenaError, BadInput, Conflict, Forbidden, TooMany
from arena.identity.enrolment import HOUR_MS, Registration
from arena.session.owners import owner_key, same_owner
from arena.settings import Settings
from arena.store import Store
from arena.store.memory import MemoryEngine, open_memory
from arena.store.port import CodeRow
from arena.store.sql import SqlStore
from tests.referee.table import FakeClock


class School:
    """An arena with an organiser; codes by what they are for; and alice, who has a bot."""

    def __init__(self, mode: str = "open", *, store: Store | None = None, **settings: Any) -> None:
        self.clock = FakeClock()
        chosen = Settings(registration=mode, **settings)
        self.referee = Referee(store or open_memory(), clock=self.clock, settings=chosen)
        self.referee.start(threads=False)
        self.tokens = {"organiser": self.referee.registry.create_admin("anna")}
        self.codes: dict[str, str] = {}

    def code(self, name: str, **terms: Any) -> str:
        terms = {"uses": 1, "actor": "b-anna", **terms}
        label, owner = terms.pop("label", name), terms.pop("owner", None)
        owners = None if owner is None else [owner]
        self.codes[name] = self.referee.enrolment.create_codes(label, owners, **terms)[0]["code"]
        return self.codes[name]

    def enrol(
        self,
        name: str,
        owner: str | None = None,
        *,
        code: str | None = None,
        by: str | None = None,
    ) -> Document:
        """Register a bot; code: by its name here, or any text; by: whose token comes along."""
        who = None if by is None else self.referee.registry.identify(self.tokens[by])
        asked = Registration(name, owner, None if code is None else self.codes.get(code, code))
        bot, self.tokens[name] = self.referee.enrol(asked, who)
        return bot


def described(school: School, *asked: Any, **how: Any) -> str:
    """What comes of a registration: the owner, with a mark if it is proven, or the error."""
    try:
        bot = school.enrol(*asked, **how)
    except ArenaError as error:
        return type(error).__name__
    return bot["owner"] + (" proven" if bot["proven"] else "")


REFUSED = "Forbidden"
BAD = "BadInput"
TAKEN = "Conflict"
MATRIX: list[tuple[dict[str, str], str | None, tuple[str, str, str]]] = [
    # what comes along, the owner that is named -> with registration open, by code, closed
    ({}, None, ("new", REFUSED, REFUSED)),
    ({}, "carol", ("carol", REFUSED, REFUSED)),
    ({}, "alice", (TAKEN, REFUSED, REFUSED)),
    ({}, "ALICE", (TAKEN, REFUSED, REFUSED)),
    ({}, "alice-1", (TAKEN, REFUSED, REFUSED)),
    ({}, "dora", (TAKEN, REFUSED, REFUSED)),  # dora has a code that she has not used yet
    ({}, "house-1", (BAD, BAD, BAD)),
    ({"code": "nonsense"}, None, (REFUSED, REFUSED, REFUSED)),
    ({"code": "used up"}, None, (REFUSED, REFUSED, REFUSED)),
    ({"code": "expired"}, None, (REFUSED, REFUSED, REFUSED)),
    ({"code": "label"}, None, ("label proven", "label proven", REFUSED)),
    ({"code": "label"}, "label", ("label proven", "label proven", REFUSED)),
    ({"code": "label"}, "alice", (BAD, BAD, REFUSED)),
    ({"code": "dora"}, None, ("dora proven", "dora proven", REFUSED)),
    ({"code": "dora"}, "Dora", ("dora proven", "dora proven", REFUSED)),
    ({"code": "dora"}, "alice", (BAD, BAD, REFUSED)),
    ({"code": "class"}, None, ("new", "new", REFUSED)),
    ({"code": "class"}, "new", ("new", "new", REFUSED)),
    ({"code": "class"}, "alice", (BAD, BAD, REFUSED)),
    ({"by": "alice-1"}, None, ("alice proven", "alice proven", REFUSED)),
    ({"by": "alice-1"}, "Alice", ("alice proven", "alice proven", REFUSED)),
    ({"by": "alice-1"}, "bob", (BAD, BAD, REFUSED)),
    ({"by": "alice-1", "code": "class"}, None, (BAD, BAD, BAD)),
    ({"by": "organiser"}, None, ("new proven", "new proven", "new proven")),
    ({"by": "organiser"}, "alice", ("alice proven", "alice proven", "alice proven")),
    ({"by": "organiser"}, "carol", ("carol proven", "carol proven", "carol proven")),
    ({"by": "organiser", "code": "class"}, None, (BAD, BAD, BAD)),
]


@pytest.mark.parametrize("mode", ["open", "code", "closed"])
@pytest.mark.parametrize(("how", "owner", "outcomes"), MATRIX)
def test_who_may_register_and_whose_the_bot_is(
    how: dict[str, str], owner: str | None, outcomes: tuple[str, str, str], mode: str
) -> None:
    school = School(mode)
    school.enrol("alice-1", "alice", by="organiser")
    for name in ("label", "used up"):
        school.code(name)
    school.code("dora", label="x", owner="dora", uses=3)
    school.code("class", uses=30)
    school.code("expired", uses=30, valid_ms=1)
    if mode != "closed":
        school.enrol("before", code="used up")
    school.clock.pass_ms(1)
    wanted = outcomes[("open", "code", "closed").index(mode)]
    assert described(school, "new", owner, **how) == wanted


def test_mallory_cannot_make_bots_of_alice_with_a_code_of_her_own() -> None:
    school = School("code")
    school.code("alice", uses=3, owner="alice")
    school.code("mallory", uses=3, owner="mallory")
    with pytest.raises(BadInput, match="'mallory', whose bot this is"):
        school.enrol("m-1", "alice", code="mallory")
    assert school.enrol("m-1", code="mallory")["owner"] == "mallory"
    for number in range(3):
        assert school.enrol(f"a-{number}", code="alice")["owner"] == "alice"


def test_thirty_students_of_one_code_are_thirty_owners() -> None:
    school = School("code")
    school.code("class-4b", uses=30)
    owners = {school.enrol(f"bot-{n}", code="class-4b")["owner"] for n in range(30)}
    assert len(owners) == 30
    with pytest.raises(Forbidden, match="used up"):
        school.enrol("one-more", code="class-4b")


def test_who_has_the_code_of_a_class_has_not_shown_to_be_one_person() -> None:
    school = School("code")
    school.code("class", uses=3)
    first, second = (school.enrol(name, code="class") for name in ("a", "b"))
    assert first["owner"] != second["owner"]
    assert not first["proven"]
    assert not second["proven"]
    sibling = school.enrol("a-2", by="a")
    assert (sibling["owner"], sibling["proven"]) == ("a", False)
    school.code("a-3", uses=2, owner="ann")
    assert school.enrol("a-3", code="a-3")["proven"]


def test_an_owner_of_ones_own_is_nobody_elses_even_if_the_name_is_taken() -> None:
    school = School("code")
    school.enrol("x", "Bob", by="organiser")
    school.enrol("bob-2", "y", by="organiser")
    school.code("class", uses=3)
    bot = school.enrol("bob", code="class")
    assert (bot["owner"], bot["proven"]) == ("bob-3", False)


def test_a_refused_registration_spends_no_use() -> None:
    school = School("code")
    school.code("one")
    school.enrol("taken", by="organiser")
    for name, owner in (("taken", None), ("new", "other"), ("house-1", None)):
        assert described(school, name, owner, code="one") in (TAKEN, BAD)
    assert school.enrol("new", code="one")["owner"] == "one"


def test_further_bots_of_an_owner_need_its_token() -> None:
    school = School("open")
    first = school.enrol("alice-1", "alice")
    assert (first["owner"], first["proven"]) == ("alice", False)
    with pytest.raises(Conflict, match="send the token of one of its bots"):
        school.enrol("alice-2", "alice")
    with pytest.raises(Conflict, match="'alice' is somebody's already"):
        school.enrol("alice")
    second = school.enrol("alice-2", by="alice-1")
    assert (second["owner"], second["proven"]) == ("alice", False)
    third = school.enrol("alice-3", "alice", by="alice-2")
    assert third["owner"] == "alice"


def test_an_organiser_who_names_no_owner_does_not_give_a_bot_to_somebody_by_accident() -> None:
    school = School("open")
    school.enrol("x", "alice")
    with pytest.raises(Conflict, match="name the owner"):
        school.enrol("alice", by="organiser")


@pytest.mark.parametrize("mode", ["open", "code", "closed"])
@pytest.mark.parametrize("role", ["viewer", "assistant"])
@pytest.mark.parametrize("owner", [None, "vic", "somebody"])
def test_staff_who_do_not_play_register_no_bots(role: str, mode: str, owner: str | None) -> None:
    school = School(mode)
    _, school.tokens["vic"] = school.referee.organisers.create("vic", role=role, actor="b-anna")
    with pytest.raises(Forbidden, match="registers no bots"):
        school.enrol("vics-bot", owner, by="vic")
    assert school.enrol("vics-bot", "vic", by="organiser")["owner"] == "vic"


def test_a_bot_that_was_revoked_meanwhile_registers_no_other() -> None:
    school = School("open")
    bot = school.enrol("alice-1", "alice")
    who = school.referee.registry.identify(school.tokens["alice-1"])
    school.referee.revoke(bot["id"], "b-anna")
    with pytest.raises(Forbidden, match="revoked"):
        school.referee.enrol(Registration("alice-2"), who)


def test_nobody_of_the_staff_is_called_like_an_owner_of_bots() -> None:
    school = School("open")
    school.enrol("a-1", "Alice")
    with pytest.raises(Conflict, match="'Alice' is the owner of bots"):
        school.referee.organisers.create("aIice", role="viewer", actor="b-anna")
    token = school.referee.registry.create_admin("alice")
    who = school.referee.registry.identify(token)
    assert who is not None
    assert who.name == "alice-2"


@pytest.mark.parametrize("how", ["organiser", "code"])
def test_what_is_proven_does_not_join_an_owner_that_a_bot_only_claims(how: str) -> None:
    school = School("open")
    if how == "code":
        school.code("alice's", owner="alice", uses=2)
    squatter = claimed(school, "mal", "alice")  # at another process, at the same time
    asked: dict[str, Any] = {"by": "organiser"} if how == "organiser" else {"code": "alice's"}
    with pytest.raises(Conflict, match=rf"'mal' \({squatter}\).*revoke it first"):
        school.enrol("alice-1", "alice", **asked)
    school.referee.revoke(squatter, "b-anna")
    assert school.enrol("alice-1", "alice", **asked)["proven"]


def claimed(school: School, name: str, owner: str) -> str:
    """The id of a bot that claims an owner without proof, whatever stands in its way."""
    row, _ = school.referee._context.registry.new_bot(name, owner, kind="bot")
    school.referee._context.store.write(row._replace(proven=False, founder=True, origin="open"))
    return row.id


class Slow(SqlStore):
    """Waits before it writes a code, until it may go on."""

    def __init__(self) -> None:
        super().__init__(MemoryEngine())
        self.writing, self.go_on = threading.Event(), threading.Event()

    def write(self, *changes: Any) -> None:
        if any(isinstance(change, CodeRow) for change in changes):
            self.writing.set()
            assert self.go_on.wait(20)
        super().write(*changes)


def test_nobody_claims_an_owner_while_a_code_for_it_is_being_made() -> None:
    store = Slow()
    school = School("open", store=store)
    making = threading.Thread(target=school.code, args=("real",), kwargs={"owner": "alice"})
    making.start()
    assert store.writing.wait(20)
    outcomes: list[str] = []
    claim = threading.Thread(target=lambda: outcomes.append(described(school, "mal", "alice")))
    claim.start()
    claim.join(0.2)  # without a lock it has what it wants by then
    store.go_on.set()
    for thread in (making, claim):
        thread.join()
    assert outcomes == [TAKEN]
    assert described(school, "alice-1", code="real") == "alice proven"


def test_nobody_brings_in_an_owner_that_looks_like_the_name_of_a_bot() -> None:
    school = School("open")
    school.enrol("strongbot", "team")
    for owner in ("strongbot", "strongb0t", "StrongBot"):
        assert described(school, "x", owner) == TAKEN


def test_an_owner_is_spelt_as_it_was_first() -> None:
    school = School("code")
    school.enrol("alice-1", "Alice", by="organiser")
    assert school.enrol("alice-2", "ALICE", by="organiser")["owner"] == "Alice"
    assert same_owner("Ａｌｉｃｅ  B", "alice b")
    assert owner_key("Straße") == owner_key("STRASSE")
    assert not same_owner("alice", "alice-1")


class TestCodes:
    def test_are_not_made_for_an_owner_that_a_bot_claims_without_proof(self) -> None:
        school = School("open")
        squatter = school.enrol("alice-1", "alice")
        for terms in ({"owner": "Alice"}, {"label": "alice"}):
            with pytest.raises(Conflict, match=r"claimed by the bot 'alice-1' \(b-"):
                school.code("code", **terms)
        school.referee.revoke(squatter["id"], "b-anna")
        school.code("code", owner="Alice")
        assert school.enrol("real", code="code")["owner"] == "alice"

    def test_of_one_use_with_the_same_label_do_not_become_one_owner(self) -> None:
        school = School("code")
        school.code("first", label="student")
        with pytest.raises(Conflict, match="'Student' is there already: choose another label"):
            school.code("second", label="Student")
        school.code("second", label="student", owner="student")
        school.code("class", label="student", uses=2)

    def test_of_one_use_have_a_label_that_can_be_an_owner(self) -> None:
        school = School("code")
        with pytest.raises(BadInput, match=r"^label is 'a/b'; expected .*--owner"):
            school.code("x", label="a/b")
        school.code("x", label="a/b", owner="ab")

    def test_for_an_owner_register_no_more_bots_than_an_owner_may_have(self) -> None:
        school = School("code", bots_per_owner=4)
        with pytest.raises(BadInput, match="at most 4 for one owner"):
            school.code("alice", owner="alice", uses=5)
        assert school.code("class", uses=5)

    def test_of_a_list_have_an_owner_each(self) -> None:
        school = School("code")
        made = school.referee.enrolment.create_codes("4b", ["alice", "bob"], uses=2, actor="b-anna")
        assert [each["owner"] for each in made] == ["alice", "bob"]
        for each in made:
            bot = school.enrol(f"{each['owner']}-1", code=each["code"])
            assert (bot["owner"], bot["proven"]) == (each["owner"], True)
        audit = school.referee.queries.audit()["entries"]
        assert [e["action"] for e in audit].count("code.create") == 1

    @pytest.mark.parametrize("owners", [[], ["a", "b", "A"], ["x"] * 401, ["house-x"], [""]])
    def test_of_a_list_that_does_not_fit_are_refused(self, owners: list[str]) -> None:
        school = School("code")
        with pytest.raises(BadInput):
            school.referee.enrolment.create_codes("4b", owners, uses=1, actor="b-anna")
        actions = [entry["action"] for entry in school.referee.queries.audit()["entries"]]
        assert "code.create" not in actions

    def test_that_are_wrong_cost_at_most_one_look_at_the_store_a_second(self) -> None:
        store = Counting()
        school = School("code", store=store)
        store.looks.clear()
        for number in range(500):
            assert school.referee.registry.codes.uses_left(f"dfacode_{number}") == 0
            assert described(school, f"x{number}", code=f"dfacode_{number}") == REFUSED
        assert store.looks == []
        school.clock.pass_ms(1_000)
        school.referee.registry.codes.uses_left("dfacode_x")
        school.referee.registry.codes.uses_left("dfacode_y")
        assert store.looks == ["codes_since"]

    def test_that_another_process_has_made_are_known_within_a_second(self) -> None:
        store = open_memory()
        here, there = School("code", store=store), School("code", store=store)
        code = here.code("class", uses=2)
        assert there.referee.registry.codes.uses_left(code) == 0
        there.clock.pass_ms(1_000)
        assert there.referee.registry.codes.uses_left(code) == 2
        here.enrol("a", code="class")
        here.enrol("b", code="class")
        assert described(there, "c", code=code) == REFUSED
        assert there.referee.registry.codes.uses_left(code) == 0

    def test_are_there_again_after_a_restart(self) -> None:
        store = open_memory()
        code = School("code", store=store).code("class", uses=2)
        assert School("code", store=store).referee.registry.codes.uses_left(code) == 2


class Counting(SqlStore):
    """Notes which questions about codes and bots are asked."""

    def __init__(self) -> None:
        super().__init__(MemoryEngine())
        self.looks: list[str] = []

    def code(self, *asked: Any) -> Any:
        self.looks.append("code")
        return super().code(*asked)

    def codes_since(self, *asked: Any, **named: Any) -> Any:
        self.looks.append("codes_since")
        return super().codes_since(*asked, **named)

    def bot_by_name(self, *asked: Any) -> Any:
        self.looks.append("bot_by_name")
        return super().bot_by_name(*asked)


class TestCeilings:
    def test_an_owner_has_so_many_bots(self) -> None:
        school = School("open", bots_per_owner=2)
        first = school.enrol("a-1", "alice", by="organiser")
        school.enrol("a-2", by="a-1")
        for by in ("a-1", "organiser"):
            with pytest.raises(Conflict, match="'alice' has 2 bots; at most 2"):
                school.enrol("a-3", "alice", by=by)
        school.referee.revoke(first["id"], "b-anna")
        school.enrol("a-3", by="a-2")

    def test_the_arena_has_so_many(self) -> None:
        school = School("open", max_bots=2)
        school.enrol("a")
        second = school.enrol("b")
        for by in (None, "organiser"):
            with pytest.raises(Conflict, match="this arena is full: 2 bots"):
                school.enrol("c", by=by)
        school.referee.revoke(second["id"], "b-anna")
        school.enrol("c")

    def test_invented_bots_are_counted_by_the_hour_and_keep_nobody_else_out(self) -> None:
        school = School("open", registrations_per_hour=3)
        school.code("class", uses=30)
        school.enrol("a")
        school.clock.pass_ms(60_000)
        for name in ("b", "c"):
            school.enrol(name)
        with pytest.raises(TooMany, match="3 bots have been registered in an hour") as refused:
            school.enrol("d")
        assert refused.value.retry_after == 3_540
        for name, how in (("e", {"code": "class"}), ("f", {"by": "a"}), ("g", {"by": "organiser"})):
            school.enrol(name, **how)  # type: ignore[arg-type]
        school.clock.pass_ms(HOUR_MS - 60_000)
        school.enrol("d")
        with pytest.raises(TooMany):
            school.enrol("h")

    def test_an_hour_without_a_limit(self) -> None:
        school = School("open", registrations_per_hour=0)
        for number in range(400):
            school.enrol(f"bot-{number}")


def test_of_many_who_claim_an_owner_at_once_one_gets_it() -> None:
    store = open_memory()
    processes = [School("open", store=store) for _ in range(2)]
    outcomes: list[str] = []
    start = threading.Barrier(8)

    def claim(number: int) -> None:
        start.wait()
        outcomes.append(described(processes[number % 2], f"bot-{number}", "alice"))

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [TAKEN] * 7 + ["alice"]


ASKED = st.lists(
    st.tuples(
        st.sampled_from([None, "Ann", "ann", "bob", "x-1", "Ａnn"]),
        st.sampled_from([None, "organiser", "any bot"]),
        st.sampled_from([None, "class", "ann's", "one"]),
        st.integers(0, 30),
    ),
    max_size=12,
)


@given(mode=st.sampled_from(["open", "code", "closed"]), asked=ASKED)
def test_nobody_gets_into_an_owner_without_showing_that_it_is_his(
    mode: str, asked: list[tuple[str | None, str | None, str | None, int]]
) -> None:
    """Two bots share an owner only if the later one had its token, its code, or an organiser."""
    school = School(mode)
    for name, terms in (("class", {"uses": 30}), ("ann's", {"uses": 9, "owner": "ann"})):
        school.code(name, **terms)
    school.code("one", label="bob")
    owners: dict[str, str] = {}
    for number, (owner, by, code, pick) in enumerate(asked):
        if by == "any bot":
            by = sorted(owners)[pick % len(owners)] if owners else None
        try:
            bot = school.enrol(f"x-{number}", owner, by=by, code=code)
        except ArenaError:
            continue
        key = owner_key(bot["owner"])
        if key in owners.values() and by != "organiser":
            assert owners.get(by or "") == key or code in ("ann's", "one")
        assert code != "ann's" or key == "ann"
        assert code != "one" or key == "bob"
        assert owner is None or key == owner_key(owner)
        owners[bot["name"]] = key


def test_bots_of_an_older_program_keep_their_owners_for_themselves() -> None:
    store = open_memory()
    bot = School("open", store=store).enrol("x", "Alice")
    row = store.bot(bot["id"])
    assert row is not None
    old = open_memory()
    old.write(row._replace(owner_key="", founder=False, origin=""))
    school = School("open", store=old)
    assert described(school, "new", "alice") == TAKEN
    school.referee.start(threads=False)
    assert old.bots_of_owner("") == ()
