"""Who has a token: bots that are barred and let in again, organisers, enrolment codes, invitations.

All of it is for organisers alone, and the referee records who did it. Views only.
"""

from __future__ import annotations

from arena.organising.invitations import Seat
from arena.web.api.endpoints import Endpoint, Reply, Scope
from arena.web.api.problems import Code
from arena.web.api.services import Call


def revoke_bot(call: Call) -> Reply:
    """Take a bot's token away, by its id or name.

    Its waiting requests end at once, and it is withdrawn from every session that is not over: from
    now on the referee answers for it. `restore` gives it a new token.
    """
    call.referee.revoke(call.path["bot"], call.caller)
    return Reply(call.queries.bot(call.path["bot"]))


def restore_bot(call: Call) -> Reply:
    """Give a bot whose token was revoked a new one, which is shown only in this answer.

    Entries that were withdrawn stay withdrawn; organisers may enter it again where that is possible
    still.
    """
    token = call.referee.restore(call.path["bot"], call.caller)
    return Reply({"bot": call.queries.bot(call.path["bot"]), "token": token})


def list_organisers(call: Call) -> Reply:
    """List who has an organiser's, assistant's or viewer's token, revoked or not."""
    return Reply(call.referee.organisers.all())


def create_organiser(call: Call) -> Reply:
    """Make a token for an organiser, an assistant or a viewer. It is shown only in this answer.

    A viewer sees what organisers see: names, results that are withheld, the audit log, clock
    ledgers. An assistant may also pause and resume sessions, and make tables void or have them
    replayed.
    """
    body, staff = call.body, call.referee.organisers
    organiser, token = staff.create(body["name"], role=body["role"], actor=call.caller)
    return Reply({"organiser": organiser, "token": token}, status=201)


def revoke_organiser(call: Call) -> Reply:
    """Take an organiser's, assistant's or viewer's token away for good, by id or name.

    The last organiser's cannot be taken away: make another one first.
    """
    return Reply(call.referee.organisers.revoke(call.path["organiser"], actor=call.caller))


def list_codes(call: Call) -> Reply:
    """List the enrolment codes, by label. The codes themselves are not known any more."""
    return Reply(call.referee.organisers.codes())


def revoke_code(call: Call) -> Reply:
    """Take an enrolment code away, by its id. Bots that were registered with it stay."""
    return Reply(call.referee.organisers.revoke_code(call.path["code"], actor=call.caller))


def invite(call: Call) -> Reply:
    """Open a seat of a session to a person, who plays in a browser.

    The code and the link that leads to the seat are shown only in this answer. The code is good for
    one person, as long as the session takes entries. Of a rated session only if its document says
    `people.rated`.
    """
    usual, body = Seat(), call.body
    seat = Seat(
        body.get("name", usual.name),
        body.get("clock", usual.clock),
        body.get("valid_hours", usual.hours),
    )
    made = call.referee.invitations.create(call.path["session"], seat, call.caller)
    return Reply(made, status=201)


def list_invitations(call: Call) -> Reply:
    """List the invitations of a session. Their codes are not known any more."""
    return Reply(call.referee.invitations.listed(call.path["session"]))


def revoke_invitation(call: Call) -> Reply:
    """Take an invitation back, by its id, that nobody has accepted.

    One that was accepted is an entry like others: withdraw its bot.
    """
    path = call.path
    revoked = call.referee.invitations.revoke(path["session"], path["invitation"], call.caller)
    return Reply(revoked)


def endpoints() -> tuple[Endpoint, ...]:
    """The routes for tokens, codes and invitations."""
    admin = Scope.ADMIN
    invitations = "/sessions/{session}/invitations"
    lost, values = (Code.NOT_FOUND,), (Code.BAD_VALUE, Code.CONFLICT)
    return (
        Endpoint(
            "POST",
            "/bots/{bot}/revoke",
            revoke_bot,
            "bot",
            admin,
            codes=(*lost, *values),
        ),
        Endpoint(
            "POST",
            "/bots/{bot}/restore",
            restore_bot,
            "registered",
            admin,
            codes=(*lost, *values),
        ),
        Endpoint("GET", "/organisers", list_organisers, "organisers", admin),
        Endpoint(
            "POST",
            "/organisers",
            create_organiser,
            "organiser_created",
            admin,
            "organiser_request",
            status=201,
            codes=values,
        ),
        Endpoint(
            "POST",
            "/organisers/{organiser}/revoke",
            revoke_organiser,
            "organiser",
            admin,
            codes=(*lost, Code.CONFLICT),
        ),
        Endpoint("GET", "/codes", list_codes, "codes", admin),
        Endpoint("POST", "/codes/{code}/revoke", revoke_code, "code_listed", admin, codes=lost),
        Endpoint(
            "POST",
            invitations,
            invite,
            "invitation_made",
            admin,
            "invitation_request",
            optional_body=True,
            status=201,
            codes=(*lost, *values),
        ),
        Endpoint("GET", invitations, list_invitations, "invitations", admin, codes=lost),
        Endpoint(
            "POST",
            f"{invitations}/{{invitation}}/revoke",
            revoke_invitation,
            "invitation",
            admin,
            codes=(*lost, Code.CONFLICT),
        ),
    )
