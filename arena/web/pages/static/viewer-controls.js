// A part of the viewer, see `viewer.js`: what is said aloud, controls, keys, and how it begins.

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

const times = () => spentMs().map((ms, seat) => `${hand.names[seat]}: ${seconds(ms)}`).join(", ");

const SAID = {
  l: () => [words(here().text)],
  c: ({ pile, owner }) => (pile.length ? [listed(pile), `, by ${owner}`] : ["The table is empty."]),
  h: () => [`${hand.names[near]}: `, seatNear().cards.length ? listed(seatNear().cards) : meta(seatNear())],
  e: (board) => [counts(board).join(", ")],
  r: ({ in_force }) => [in_force.length ? words(in_force.join(", ")) : "the usual order"],
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
  count.textContent = `step ${index + 1} of ${hand.moments.length}`;
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
  const position = root.dataset.position ? [button("Copy position", "Copy position", copyPosition)] : [];
  const table = button("Turn the table", "Turn the table", turn);
  const record = root.dataset.record
    ? [element("a", { href: root.dataset.record, download: `${hand.hand}.json` }, "Download record")]
    : [];
  return element("div", { class: "tools" }, element("label", {}, "Speed ", parts.speed), go, table, copy, ...position, ...record);
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
  if (!root.dataset.verify) return;
  const list = element("ul", { "aria-live": "polite" });
  const check = button("Verify this hand", "Verify this hand", async () => {
    check.disabled = true;
    const { verifyHand } = await import(root.dataset.verify);
    const lines = await verifyHand(root.dataset);
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
