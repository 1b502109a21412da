// The viewer: plays and scrubs the hand on this page, says aloud what happens, takes keys.
//
// It draws boards that the server has put into values and words (`moments.schema.json`) into the
// same elements as the server does without script; it knows no rule of the game. On the page is one
// `.viewer` with its moments in a `<script type="application/json">`, or, for a long hand, with the
// address of them (`data-moments`).
//
// Other scripts speak with it by events on that element:
//
//   moments:append  {moments: [...], over}  A hand that is being played goes on. A moment is as in
//                   `moment.schema.json`; one that is known already is left out, so a stream may
//                   send some twice. `over`: these were the last. Whoever looks at the last moment
//                   follows; whoever has stepped back stays there and is told how many came.
//   viewer:ready    from here: the moments are there and drawn. What was appended before that is
//                   not lost; it is drawn after them.
//   viewer:shown    {at, index, count} from here, after each drawing.
//
// It is one file for browsers, joined by `assets.py` from this one (the board and the list of what
// happens), `viewer-replay.js` (moments, one after the other) and `viewer-controls.js` (what is said,
// buttons, keys, the beginning). No part stands alone.
//
// A page that embeds this one gets the same by `postMessage`: see the manual, `embed`.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const STEP_MS = 1000;
const SAY_MS = 140;
const ADDRESS_MS = 250;
const LOG_LINES = 20;
const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one step back or on"],
  ["Shift ← →", "the trick before or the next"],
  ["Home End", "the beginning or the end"],
  ["Page up, page down", "the hand before or the next"],
  ["p n", "the notable event before or the next"],
  ["< >", "slower or faster"],
  ["g", "go to an event"],
  ["f", "turn the table"],
  ["l c h e", "say the last event, the cards on the table, the nearest hand, all counts"],
  ["r t", "say what is in force, the times of the bots"],
  ["1 to 9", "say a card of the nearest hand"],
  ["?", "this list"],
];

const root = document.querySelector(".viewer");
const find = (selector) => root.querySelector(selector);
const query = new URLSearchParams(location.search);
const parts = {};
const lines = new Map();
const unread = [];
const queue = [];
let hand, index, at, near, playing, addressing, saying, said;
let speed = Number(query.get("speed")) || 1;
let missed = 0;

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const seconds = (ms) => `${(Math.floor((ms ?? 0) / 100) / 10).toFixed(1)} s`;
const last = () => hand.moments.at(-1);
const here = () => hand.moments[index];
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The board: the same elements as in the template `hand.html`.

function cardList(names, label, kind = "cards") {
  const list = names.map((name) => {
    const { suit, rank, pip, words } = hand.cards[name];
    return element(
      "li",
      { class: `card ${suit}` },
      element("span", { "aria-hidden": "true" }, rank),
      element("span", { "aria-hidden": "true" }, pip),
      element("span", { class: "hidden" }, words),
    );
  });
  return element("ul", { class: kind, lang: hand.lang, "aria-label": label }, ...list);
}

function pileOf({ pile, under, owner }) {
  const drawn = under.length ? [cardList(under, "Before that", "cards under")] : [];
  if (pile.length) {
    const by = element("p", {}, "played by ", element("bdi", {}, owner));
    drawn.push(cardList(pile, "On the table"), by);
  } else {
    drawn.push(element("p", {}, "The table is empty."));
  }
  return element("div", { class: "pile" }, ...drawn);
}

function meta(seat) {
  const size = `${seat.size} card${seat.size === 1 ? "" : "s"}`;
  const passed = seat.passed ? " · passed" : "";
  return (seat.place ? `place ${seat.place}` : size) + passed + (seat.to_move ? " · to play" : "");
}

// What its turns have cost each seat by now; not published while a hand is played.
function spentMs() {
  const spent = hand.names.map(() => 0);
  for (const { seat, charged_ms } of hand.moments.slice(0, index + 1)) {
    if (seat >= 0) spent[seat] += charged_ms ?? 0;
  }
  return spent;
}

function seatOf(seat, area, ms) {
  const kind = `seat ${area}${seat.to_move ? " turn" : ""}${seat.last ? " last" : ""}`;
  const title = seat.title ? [element("span", { class: "title", lang: hand.lang }, seat.title)] : [];
  const name = element("bdi", {}, hand.names[seat.seat]);
  return element(
    "div",
    { class: kind },
    element("p", { class: "name" }, ...title, name),
    ...(seat.cards.length ? [cardList(seat.cards, "Cards")] : []),
    element("p", { class: "meta" }, meta(seat) + (ms >= 100 ? ` · ${seconds(ms)} used` : "")),
  );
}

function drawBoard({ board }) {
  const count = hand.areas.length;
  const spent = spentMs();
  const seats = hand.areas.map((area, place) => {
    const seat = (near + place) % count;
    return seatOf(board.seats[seat], area, spent[seat]);
  });
  find(".felt").replaceChildren(pileOf(board), ...seats);
  find("#board").textContent = `How it stood after event ${at}`;
  const chips = find(".chips");
  const force = board.in_force.map((each) => element("li", { class: "on" }, each));
  if (!force.length) force.push(element("li", {}, "the usual order"));
  const now = element("li", {}, `event ${at} of ${last().at}`);
  chips.replaceChildren(...force, now, chips.lastElementChild);
}

// The list of what happens, and links that lead to this moment.

const asked = (name) => (name === "watch" ? root.dataset.watch : query.get(name));

function link(to) {
  const kept = ["seat", "lang", "detail", "log", "watch", "theme"].filter(asked);
  return `?at=${to}` + kept.map((name) => `&${name}=${asked(name)}`).join("");
}

function drawLog(moment) {
  const old = find("li.now");
  const now = lines.get(moment.at);
  const trick = now.closest("details");
  if (old && old !== now) {
    old.removeAttribute("class");
    old.firstElementChild.removeAttribute("aria-current");
    const other = old.closest("details");
    if (query.get("log") !== "all" && other !== trick) other.open = false;
  }
  now.className = "now";
  now.firstElementChild.setAttribute("aria-current", "step");
  trick.open = true;
  bringIntoView(now);
}

// Only where the list is a box of its own beside the table: the page itself does not move.
function bringIntoView(line) {
  const log = find(".log");
  if (log.scrollHeight <= log.clientHeight) return;
  const middle = line.offsetTop - log.offsetTop - log.clientHeight / 2;
  log.scrollTo({ top: middle, behavior: calm() ? "instant" : "smooth" });
}

function drawLinks() {
  for (const each of root.querySelectorAll(".choices a, .log > .notes a")) {
    each.setAttribute("href", each.getAttribute("href").replace(/at=\d+/, `at=${at}`));
  }
}

function drawLine(moment) {
  const marks = moment.notable.flatMap((word) => [
    " ",
    element("span", { class: "mark", lang: "en" }, `[${word}]`),
  ]);
  const cost = seconds(moment.charged_ms);
  if (cost !== "0.0 s") marks.push(" ", element("small", {}, cost));
  const line = element("li", {}, element("a", { href: link(moment.at) }, moment.text, ...marks));
  const list = find(`ol[data-trick="${moment.trick}"]`) ?? newTrick(moment.trick);
  const heading = list.closest("details").querySelector("h3");
  for (const word of moment.notable) {
    if (!heading.textContent.includes(` · ${word}`)) heading.append(` · ${word}`);
  }
  list.append(line);
  lines.set(moment.at, line);
}

function newTrick(number) {
  const list = element("ol", { lang: hand.lang, "data-trick": number });
  const summary = element("summary", {}, element("h3", {}, `Trick ${number}`));
  find(".log").append(element("details", {}, summary, list));
  return list;
}
