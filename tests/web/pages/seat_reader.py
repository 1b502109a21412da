"""A person at `/seat` who reads nothing but the page, and sends nothing but its forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

ORIGIN = {"Origin": "http://localhost", "Accept": "text/html"}
VOID = ("input", "meta", "link", "br", "img")


@dataclass
class Control:
    """What can be filled in or pressed."""

    name: str
    value: str
    kind: str
    checked: bool = False
    disabled: bool = False
    text: str = ""
    cards: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)


@dataclass
class Form:
    """A form of the page."""

    action: str
    controls: list[Control] = field(default_factory=list)

    def hidden(self) -> dict[str, list[str]]:
        """What it sends in any case."""
        return {each.name: [each.value] for each in self.controls if each.kind == "hidden"}

    def of(self, kind: str, name: str | None = None) -> list[Control]:
        """The controls of a kind that can be used."""
        return [
            each
            for each in self.controls
            if each.kind == kind and not each.disabled and name in (None, each.name)
        ]


class SeatPage(HTMLParser):
    """A page, as it is read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.headings: list[str] = []
        self.alerts: list[str] = []
        self.log: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._form: Form | None = None
        self.feed(text)

    def form(self, action: str) -> Form | None:
        """The form that leads there."""
        return next((each for each in self.forms if each.action == action), None)

    @property
    def heading(self) -> str:
        return self.headings[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            assert given["method"] == "post"
            self._form = Form(given["action"] or "")
            self.forms.append(self._form)
        elif tag in ("input", "button", "select") and self._form is not None:
            kind = given.get("type") or ("text" if tag == "input" else tag)
            name, value = given.get("name") or "", given.get("value") or ""
            control = Control(name, value, kind, "checked" in given, "disabled" in given)
            control.cards = (given.get("data-cards") or "").split()
            self._form.controls.append(control)
        elif tag == "option" and self._form is not None:
            self._form.controls[-1].options.append(given.get("value") or "")
        elif tag == "a":
            self.links.append(given.get("href") or "")
        if tag == "h1":
            self.headings.append("")
        if given.get("role") == "alert":
            self.alerts.append("")
        if "data-at" in given:
            self.log.append("")
        if tag not in VOID:
            self._open.append((tag, given))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            continue
        if tag == "form":
            self._form = None

    def handle_data(self, data: str) -> None:
        self.text += data
        for tag, given in self._open:
            if tag == "h1":
                self.headings[-1] += data
            if given.get("role") == "alert":
                self.alerts[-1] += data
            if "data-at" in given:
                self.log[-1] += data
            if tag == "button" and self._form is not None:
                self._form.controls[-1].text += data


class Person:
    """Somebody with a browser: its cookies, and the page that is open."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.answer: TestResponse = client.get("/seat", headers=ORIGIN)
        self.page = SeatPage(self.answer.text)

    def look(self) -> SeatPage:
        """Look again."""
        return self._read(self.client.get("/seat", headers=ORIGIN))

    def send(self, form: Form, more: dict[str, list[str]] | None = None) -> SeatPage:
        """Send a form as it stands, with what else was chosen, and read where it leads."""
        fields = {**form.hidden(), **(more or {})}
        self.answer = self.client.post(form.action, data=fields, headers=ORIGIN)
        if self.answer.status_code == 303:
            assert self.answer.headers["Location"] == "/seat"
            return self.look()
        return self._read(self.answer)

    def open(self, path: str) -> SeatPage:
        """Follow a link."""
        return self._read(self.client.get(path, headers=ORIGIN))

    def invited(self, code: str) -> SeatPage:
        """Enter the code of an invitation."""
        form = self.open("/seat/invitation").form("/seat/invitation")
        assert form is not None
        return self.send(form, {"code": [code]})

    def accept(self, code: str, name: str = "Ann") -> SeatPage:
        """Enter the code, and accept what it leads to."""
        form = self.invited(code).form("/seat/accept")
        assert form is not None, self.page.text
        return self.send(form, {"name": [name]} if form.of("text", "name") else {})

    def sit_down(self, **wishes: str) -> SeatPage:
        """Fill in the form of a new table."""
        form = self.page.form("/seat")
        assert form is not None
        return self.send(form, {name: [value] for name, value in wishes.items()})

    def _read(self, answer: TestResponse) -> SeatPage:
        self.answer, self.page = answer, SeatPage(answer.text)
        return self.page
