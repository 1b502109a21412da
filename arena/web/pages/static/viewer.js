// The viewer: plays and scrubs the hand on this page, says aloud what happens, takes keys.
//
// It draws boards that the server has put into values and words (`moments.schema.json`) into the
// same elements as the server does without script; it knows no rule of the game. On the page is one
// `.viewer` with the address of its moments (`data-moments`), or, in a page saved as one file, a
// `<script type="application/json">` in it that has them.
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

function seatOf(seat, area) {
  const kind = `seat ${area}${seat.to_move ? " turn" : ""}${seat.last ? " last" : ""}`;
  const title = seat.title ? [element("span", { class: "title", lang: hand.lang }, seat.title)] : [];
  const name = element("bdi", {}, hand.names[seat.seat]);
  return element(
    "div",
    { class: kind },
    element("p", { class: "name" }, ...title, name),
    ...(seat.cards.length ? [cardList(seat.cards, "Cards")] : []),
    element("p", { class: "meta" }, meta(seat)),
  );
}

function drawBoard({ board }) {
  const count = hand.areas.length;
  const seats = hand.areas.map((area, place) => seatOf(board.seats[(near + place) % count], area));
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

// Moments: put together from what each changes.

function add(moment) {
  const before = last()?.board ?? { seats: [] };
  const seats = [...before.seats];
  for (const seat of moment.board.seats ?? []) {
    seats[seat.seat] = { ...seats[seat.seat], ...seat };
  }
  hand.moments.push({ ...moment, board: { ...before, ...moment.board, seats } });
}

function append({ moments, over }) {
  const follows = index === hand.moments.length - 1;
  const fresh = moments.filter((each) => !last() || each.at > last().at);
  for (const moment of fresh) {
    add(moment);
    drawLine(moment);
    if (follows) say([words(moment.text)], moment.at);
  }
  hand.over ||= over;
  missed = follows ? 0 : missed + fresh.length;
  if (follows && fresh.length) show(hand.moments.length - 1, { quiet: true, stay: true });
  drawControls();
}

// What is shown: one moment after the other.

function show(to, { quiet = false, stay = false } = {}) {
  const from = index;
  index = Math.max(0, Math.min(to, hand.moments.length - 1));
  const moment = here();
  at = moment.at;
  if (index === hand.moments.length - 1) missed = 0;
  drawBoard(moment);
  drawLog(moment);
  drawLinks();
  drawControls();
  if (!quiet) tell(moment, index < from);
  if (!stay) address();
  publish(moment);
}

function tell(moment, back) {
  if (!playing) queue.length = 0;
  say(back ? ["back to: ", words(moment.text)] : [words(moment.text)], moment.at);
}

const indexAt = (event) => hand.moments.findIndex((each) => each.at >= event);

function showEvent(event, options) {
  const found = indexAt(event);
  show(found < 0 ? hand.moments.length - 1 : found, options);
}

function step(by) {
  const between = here().at > at;
  show(index + (by > 0 && between ? by - 1 : by));
}

// To where a trick begins: of this or the one before, or of the next.
function stepTrick(by) {
  const starts = hand.moments.flatMap((each, place, all) =>
    place === 0 || all[place - 1].trick !== each.trick ? [place] : [],
  );
  const to = by > 0 ? starts.find((each) => each > index) : starts.findLast((each) => each < index);
  if (to !== undefined) show(to);
}

function stepNotable(by) {
  const is = (place) => hand.moments[place].notable.length > 0;
  for (let place = index + by; place in hand.moments; place += by) {
    if (is(place)) return show(place);
  }
  shout("no further notable event");
}

const toEnd = () => show(hand.moments.length - 1);

function play(on) {
  clearTimeout(playing);
  playing = undefined;
  if (on && index === hand.moments.length - 1 && hand.over) show(0);
  if (on) playing = setTimeout(tick, STEP_MS / speed);
  drawControls();
}

function tick() {
  playing = setTimeout(tick, STEP_MS / speed);
  if (index < hand.moments.length - 1) step(1);
  if (index === hand.moments.length - 1 && hand.over) play(false);
}

function setSpeed(to) {
  speed = to;
  parts.speed.value = speed;
  address();
}

function faster(by) {
  const steps = SPEEDS.findLastIndex((each) => each <= speed) + by;
  setSpeed(SPEEDS[Math.max(0, Math.min(steps, SPEEDS.length - 1))]);
  shout(`speed ${speed}`);
}

function turn() {
  near = (near + 1) % hand.names.length;
  drawBoard(here());
  shout(`${hand.names[near]} is nearest`);
}

// The address is the link that one shares.

const shared = () => link(at) + (speed === 1 ? "" : `&speed=${speed}`);

function address() {
  clearTimeout(addressing);
  addressing = setTimeout(keepAddress, ADDRESS_MS);
}

function keepAddress() {
  clearTimeout(addressing);
  if (location.protocol !== "file:") history.replaceState(null, "", shared());
}

async function copyLink() {
  const url = new URL(shared(), location.href).href;
  try {
    await navigator.clipboard.writeText(url);
    shout("The link is copied.");
  } catch {
    prompt("The link to this moment:", url);
  }
}

function publish({ at, trick, text }) {
  const end = hand.over && index === hand.moments.length - 1;
  const detail = { at, index, count: hand.moments.length };
  root.dispatchEvent(new CustomEvent("viewer:shown", { detail }));
  if (parent !== window) {
    const type = end ? "end" : "turn";
    parent.postMessage({ source: "daifugo-arena", type, hand: hand.hand, at, trick, text }, "*");
  }
}

// What is said aloud: what happens, politely, one after the other; an answer to a key, at once.

const words = (text) => element("span", { lang: hand.lang }, text);

function say(text, key) {
  if (key === said) return;
  said = key;
  queue.push(text);
  saying ??= setTimeout(speak, SAY_MS);
}

function speak() {
  const text = queue.shift();
  if (text) parts.log.append(element("p", {}, ...text));
  if (parts.log.childElementCount > LOG_LINES) parts.log.firstElementChild.remove();
  saying = queue.length ? setTimeout(speak, SAY_MS) : undefined;
}

function shout(...text) {
  parts.alert.replaceChildren(element("p", {}, ...text));
}

const listed = (names) => words(names.map((name) => hand.cards[name].words).join(", "));
const seatNear = () => here().board.seats[near];
const counts = ({ seats }) => seats.map((each) => `${hand.names[each.seat]}: ${meta(each)}`);

function times() {
  const spent = hand.names.map(() => 0);
  for (const { seat, charged_ms } of hand.moments.slice(0, index + 1)) {
    if (seat >= 0) spent[seat] += charged_ms ?? 0;
  }
  return spent.map((ms, seat) => `${hand.names[seat]}: ${seconds(ms)}`).join(", ");
}

const SAID = {
  l: () => [words(here().text)],
  c: ({ pile, owner }) => (pile.length ? [listed(pile), `, by ${owner}`] : ["The table is empty."]),
  h: () => [`${hand.names[near]}: `, seatNear().cards.length ? listed(seatNear().cards) : meta(seatNear())],
  e: (board) => [counts(board).join(", ")],
  r: ({ in_force }) => [words(in_force.join(", ") || "the usual order")],
  t: () => [times()],
};

function sayCard(number) {
  const name = seatNear().cards[number - 1];
  shout(name ? listed([name]) : `no card ${number}`);
}

// Controls and keys.

function button(sign, label, act) {
  const made = element("button", { type: "button", "aria-label": label }, sign);
  made.addEventListener("click", act);
  return made;
}

function drawControls() {
  const { slider, count, toggle, news } = parts;
  slider.max = hand.moments.length - 1;
  slider.value = index;
  slider.setAttribute("aria-valuetext", `trick ${here().trick}, ${here().text}`);
  count.textContent = `${index + 1} / ${hand.moments.length}`;
  toggle.textContent = playing ? "❚❚" : "▶";
  toggle.setAttribute("aria-label", playing ? "Pause" : "Play");
  news.hidden = !missed;
  news.textContent = `${missed} new event${missed === 1 ? "" : "s"}`;
}

function makeControls() {
  parts.toggle = button("▶", "Play", () => play(!playing));
  parts.slider = element("input", { type: "range", min: 0, "aria-label": "Moment" });
  parts.slider.addEventListener("input", () => show(+parts.slider.value, { quiet: true }));
  parts.count = element("span", {});
  parts.news = element("button", { type: "button", class: "news" });
  parts.news.addEventListener("click", toEnd);
  parts.log = element("div", { class: "hidden", role: "log" });
  parts.alert = element("div", { class: "hidden", role: "alert" });
  const row = element(
    "div",
    { class: "scrub", role: "group", "aria-label": "Replay" },
    button("◀◀", "To the trick before", () => stepTrick(-1)),
    button("◀", "One step back", () => step(-1)),
    parts.toggle,
    button("▶|", "One step on", () => step(1)),
    button("▶▶", "To the next trick", () => stepTrick(1)),
    button("★", "To the next notable event", () => stepNotable(1)),
    parts.slider,
    parts.count,
    parts.news,
  );
  find('nav[aria-label="Replay"]').replaceWith(row, makeTools(), makeKeys(), parts.log, parts.alert);
}

function makeTools() {
  const speeds = SPEEDS.map((each) => element("option", { value: each }, `${each}×`));
  parts.speed = element("select", {}, ...speeds);
  parts.speed.addEventListener("change", () => setSpeed(+parts.speed.value));
  parts.event = element("input", { type: "number", min: 0, name: "at", required: "" });
  const go = element("form", {}, element("label", {}, "Event ", parts.event), element("button", {}, "Go"));
  go.addEventListener("submit", (event) => {
    event.preventDefault();
    showEvent(+parts.event.value);
    parts.toggle.focus();
  });
  const copy = button("Copy link to this moment", "Copy link to this moment", copyLink);
  const table = button("Turn the table", "Turn the table", turn);
  const record = root.dataset.record
    ? [element("a", { href: root.dataset.record, download: `${hand.hand}.json` }, "Download record")]
    : [];
  return element("div", { class: "tools" }, element("label", {}, "Speed ", parts.speed), go, table, copy, ...record);
}

function makeKeys() {
  parts.keys = element("input", { type: "checkbox" });
  parts.keys.checked = remembered() !== "off";
  parts.keys.addEventListener("change", () => remember(parts.keys.checked ? "on" : "off"));
  const list = KEYS.flatMap(([key, does]) => [element("dt", {}, key), element("dd", {}, does)]);
  const hint = "Space play · ← → event · n next notable · f turn the table · ? all keys";
  parts.help = element(
    "details",
    { class: "keys" },
    element("summary", {}, hint),
    element("label", {}, parts.keys, " Use these keys"),
    element("dl", {}, ...list),
  );
  return parts.help;
}

// A browser may refuse to remember anything; then keys are on, and off until the page is left.
function remembered() {
  try {
    return localStorage.getItem("viewer-keys");
  } catch {
    return null;
  }
}

function remember(value) {
  try {
    localStorage.setItem("viewer-keys", value);
  } catch {
    parts.help.dataset.keys = value;
  }
}

function otherHand(rel) {
  const there = document.querySelector(`a[rel="${rel}"]`);
  if (!there) return false;
  const url = new URL(there.href);
  if (speed !== 1) url.searchParams.set("speed", speed);
  location.assign(url);
  return true;
}

const ACTIONS = {
  " ": () => play(!playing),
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  "Shift+ArrowLeft": () => stepTrick(-1),
  "Shift+ArrowRight": () => stepTrick(1),
  PageUp: () => otherHand("prev"),
  PageDown: () => otherHand("next"),
  Home: () => show(0),
  End: toEnd,
  "<": () => faster(-1),
  ">": () => faster(1),
  n: () => stepNotable(1),
  p: () => stepNotable(-1),
  g: () => parts.event.focus(),
  f: turn,
  "?": () => {
    parts.help.open = !parts.help.open;
    parts.help.firstElementChild.focus();
  },
};

function action({ key, shiftKey }) {
  const arrow = shiftKey && key.startsWith("Arrow");
  if (SAID[key]) return () => shout(...SAID[key](here().board));
  if (/^[1-9]$/.test(key)) return () => sayCard(+key);
  return ACTIONS[arrow ? `Shift+${key}` : key];
}

function onKey(event) {
  const { target, key } = event;
  if (!parts.keys.checked || event.ctrlKey || event.altKey || event.metaKey) return;
  if (target.closest("input:not([type=range]), textarea, select, [contenteditable]")) return;
  if (key === " " && target.closest("button, summary")) return;
  if (target === parts.slider && key.length > 1 && !event.shiftKey) return;
  const act = action(event);
  if (act && act() !== false) event.preventDefault();
}

function onClick(event) {
  const line = event.target.closest(".log li a");
  if (!line || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  keepAddress();
  showEvent(eventOf(line.search), { stay: true });
  if (location.protocol !== "file:") history.pushState(null, "", shared());
}

const opening = () => (document.querySelector("#live") ? last() : hand.moments[0]).at;
const eventOf = (search) => Number(new URLSearchParams(search).get("at") ?? opening());

// "Verify this hand", in a part of its own that is fetched when it is wanted.

function offerCheck() {
  const { verify, record, session, commitment } = root.dataset;
  if (!verify) return;
  const list = element("ul", { "aria-live": "polite" });
  const check = button("Verify this hand", "Verify this hand", async () => {
    check.disabled = true;
    const { verifyHand } = await import(verify);
    const lines = await verifyHand(record, session, commitment);
    list.replaceChildren(...lines.map(({ good, text }) => element("li", { class: good === false ? "bad" : good ? "good" : "open" }, text)));
    check.disabled = false;
  });
  document.querySelector("#check").after(element("p", { class: "tools" }, check), list);
}

function begin(document_) {
  hand = { ...document_, moments: [] };
  document_.moments.forEach(add);
  near = hand.near;
  for (const each of root.querySelectorAll(".log li a")) {
    lines.set(eventOf(each.search), each.parentElement);
  }
  at = eventOf(location.search);
  index = Math.max(0, indexAt(at));
  makeControls();
  parts.speed.value = speed;
  drawControls();
  offerCheck();
  bringIntoView(lines.get(here().at));
  document.addEventListener("keydown", onKey);
  root.addEventListener("click", onClick);
  window.addEventListener("popstate", () => showEvent(eventOf(location.search), { stay: true }));
  unread.splice(0).forEach(append);
  root.dispatchEvent(new CustomEvent("viewer:ready"));
  if (query.get("play") === "1" && !calm()) play(true);
}

async function load() {
  const inside = find('script[type="application/json"]');
  if (inside) return JSON.parse(inside.textContent);
  const response = await fetch(root.dataset.moments);
  if (!response.ok) throw new Error(`${response.status} for ${root.dataset.moments}`);
  return response.json();
}

function complain(error) {
  const text = `The replay could not be loaded (${error.message}); these links work without it.`;
  find('nav[aria-label="Replay"]').append(element("p", { class: "notice" }, text));
}

if (root) {
  root.addEventListener("moments:append", ({ detail }) => (hand ? append(detail) : unread.push(detail)));
  load().then(begin, complain);
}
