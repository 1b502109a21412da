// A person's seat: the same page without looking again. Whatever this script does, a form without
// it does too; it draws nothing of its own, but puts the page that the server sends into the place
// of the one before.
//
// It waits for news, narrows the cards to what can still become an answer, counts the clock down,
// says aloud what happens (in the sentences of the list), and takes keys.

const SAY_MS = 140;
const LOG_LINES = 60;
const WAIT_S = 20;
const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30000;
const SILENT = "arena-seat-keys-off";
const KEYS = [
  ["Arrow up, arrow down", "the answers of the list; Enter takes one"],
  ["1 to 9", "choose a card, or put it back"],
  ["Space", "play the chosen cards"],
  ["p", "pass"],
  ["l c h e", "say what happened last, the table, your cards, how many the others hold"],
  ["r t m", "say what is in force, your time, what you may answer"],
  ["?", "this list"],
];

const query = (selector) => seat.querySelector(selector);
const all = (selector) => [...seat.querySelectorAll(selector)];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const turn = () => query("[name=turn]")?.value;
const lines = () =>
  all("[data-at]")
    .map((line) => [Number(line.dataset.at), line.textContent])
    .sort((one, other) => one[0] - other[0]);

let seat = document.querySelector("#seat");
let announced = { hand: "", at: -1, turn: "", state: "", results: 0 };
let saying = false;
let sending = false;
const queue = [];
const log = element("div", { role: "log", "aria-live": "polite", class: "hidden", id: "said" });
const alarm = element("div", { "aria-live": "assertive", class: "hidden", id: "alarm" });

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// What is said aloud: one thing after the other, so that none is swallowed.

function say(text) {
  if (!text || queue.at(-1) === text) return;
  queue.push(text);
  if (!saying) sayNext();
}

function sayNext() {
  saying = queue.length > 0;
  if (!saying) return;
  log.append(element("p", {}, queue.shift()));
  while (log.childElementCount > LOG_LINES) log.firstElementChild.remove();
  setTimeout(sayNext, SAY_MS);
}

function tell() {
  const { hand = "", since, state } = seat.dataset;
  if (hand !== announced.hand) announced = { ...announced, hand, at: announced.hand ? -1 : Number(since ?? -1) };
  for (const [at, text] of lines()) {
    if (at > announced.at) say(text);
    announced.at = Math.max(announced.at, at);
  }
  const results = all(".results li").map((each) => each.textContent);
  for (const text of results.slice(announced.results)) say(text);
  if (state === "over" && announced.state !== "over") say(query("h1").textContent);
  const notice = query("[role=alert]");
  notice?.removeAttribute("role"); // or it would be said twice
  const urgent = [plain(notice), turn() ? `Your turn. ${prompt()}` : ""];
  alarm.replaceChildren(...urgent.filter(Boolean).map((text) => element("p", {}, text)));
  announced = { ...announced, results: results.length, state, turn: turn() ?? "" };
}

const plain = (part) => part?.textContent.trim().replace(/\s+/g, " ") ?? "";
const prompt = () => plain(query(".answer p"));

// The page of the server in the place of this one.

function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.querySelector("#seat");
  if (!fresh) {
    location.assign("/seat");
    return;
  }
  const focused = seat.contains(document.activeElement) ? document.activeElement : null;
  const before = turn();
  const chosen = all("[name=card]:checked").map((box) => all("[name=card]").indexOf(box));
  seat.replaceWith(fresh);
  seat = fresh;
  document.title = page.title;
  if (before && before === turn() && !query(".notice")) {
    const boxes = all("[name=card]");
    for (const at of chosen) if (boxes[at]) boxes[at].checked = true;
  }
  narrow();
  if (focused) refocus(focused, before === turn());
  tell();
}

// Never to what has the same place in another turn: it is another answer.
function refocus({ name, value }, isSameTurn) {
  const same = all("input, button").find((each) => each.name === name && each.value === value);
  const stays = isSameTurn && name && same && !same.disabled;
  (stays ? same : query("h1")).focus({ preventScroll: true });
}

async function send(form, submitter) {
  if (sending) return;
  sending = true;
  try {
    const fields = new FormData(form, submitter);
    const request = { method: "POST", body: new URLSearchParams(fields), headers: { Accept: "text/html" } };
    let reply = await fetch(form.action, request);
    while (reply.status === 429 || reply.status === 503) {
      await sleep(1000 * (Number(reply.headers.get("Retry-After")) || 1));
      reply = await fetch(form.action, request); // harmless: a turn is answered once
    }
    show(await reply.text());
  } catch {
    say("The arena does not answer. Your answer may not have arrived: send it again.");
  } finally {
    sending = false;
  }
}

async function follow() {
  let pause = PAUSE_MS;
  for (;;) {
    const { mark, state } = seat.dataset;
    if (state === "over") {
      await sleep(PAUSE_MS);
      continue;
    }
    try {
      const address = `/seat?after=${encodeURIComponent(mark)}&wait=${WAIT_S}`;
      const reply = await fetch(address, { headers: { Accept: "text/html" } });
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      if (reply.status === 200) {
        const text = await reply.text();
        if (seat.dataset.mark === mark && !sending) show(text);
      }
      pause = PAUSE_MS;
    } catch {
      await sleep(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }
}

// Cards: only those stay open that can still become an answer.

function covers(cards, wanted) {
  const rest = [...cards];
  return wanted.every((name) => {
    const at = rest.indexOf(name);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
}

function narrow() {
  const form = query(".answer");
  if (!form || "more" in form.dataset) return;
  const answers = all("[data-cards]").map((each) => each.dataset.cards.split(" "));
  const boxes = all("[name=card]");
  const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
  for (const box of boxes) {
    if (!box.checked) box.disabled = !answers.some((each) => covers(each, [...chosen, box.value]));
  }
}

// The clock.

function clock() {
  const shown = query(".clock");
  if (!shown || shown.dataset.left > 600) return shown?.textContent ?? "It is not your turn.";
  const { left, bank } = shown.dataset;
  return bank > 0 ? `${left} s, then ${bank} s in reserve.` : `${left} s.`;
}

setInterval(() => {
  const shown = query(".clock");
  if (!shown || shown.dataset.left > 600) return;
  const part = shown.dataset.left > 0 ? "left" : "bank";
  shown.dataset[part] = Math.max(0, shown.dataset[part] - 1);
  shown.textContent = clock();
}, 1000);

// Keys.

const options = () => [...all(".answer .moves [name=choice]"), ...all(".answer button:not(.main, [name=choice])")];

function step(by) {
  const answers = options();
  if (!answers.length) {
    say("There is nothing to answer now.");
    return;
  }
  const at = answers.indexOf(document.activeElement);
  const next = at < 0 && by < 0 ? answers.length - 1 : (at + by + answers.length) % answers.length;
  answers[next].focus();
  say(`${next + 1} of ${answers.length}: ${answers[next].textContent}.`);
}

function choose(number) {
  const box = all("[name=card]")[number - 1];
  if (!box) return;
  const words = box.parentElement.querySelector(".hidden").textContent;
  if (box.disabled) {
    say(`${words}: not now.`);
    return;
  }
  box.checked = !box.checked;
  narrow();
  say(`${words}: ${box.checked ? "chosen" : "put back"}.`);
}

function press(selector, otherwise) {
  const button = query(selector);
  if (button) button.click();
  else say(otherwise);
}

function listed() {
  const words = options().map((each, at) => `${at + 1}: ${each.textContent}`);
  return words.length ? `You may answer ${words.join("; ")}.` : "It is not your turn.";
}

function help() {
  const list = document.querySelector(".keys");
  list.open = true;
  say(KEYS.map(([keys, what]) => `${keys}: ${what}`).join(". "));
}

function hear(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || localStorage.getItem(SILENT)) return;
  if (target.closest("select, input:not([type=checkbox])")) return;
  const onControl = target.closest("a, button, input, summary");
  const acts = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    p: () => press("[name=pass]", "You cannot pass now."),
    l: () => say(lines().at(-1)?.[1] ?? "Nothing has happened yet."),
    t: () => say(clock()),
    m: () => say(listed()),
    "?": help,
    ...(onControl ? {} : { " ": () => press(".answer .main", "There is nothing to play now.") }),
  };
  const said = { c: "sayC", h: "sayH", e: "sayE", r: "sayR" }[key];
  if (said) say(seat.dataset[said] ?? "Nothing yet.");
  else if (/^[1-9]$/.test(key)) choose(Number(key));
  else if (Object.hasOwn(acts, key)) acts[key]();
  else return;
  event.preventDefault();
}

function keyList() {
  const rows = KEYS.flatMap(([keys, what]) => [element("dt", {}, keys), element("dd", {}, what)]);
  const box = element("input", { type: "checkbox" });
  box.checked = !localStorage.getItem(SILENT);
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(SILENT);
    else localStorage.setItem(SILENT, "1");
  });
  const summary = element("summary", {}, "Keys");
  const use = element("p", {}, element("label", {}, box, " use these keys"));
  return element("details", { class: "keys" }, summary, element("dl", { class: "facts" }, ...rows), use);
}

seat.before(log, alarm);
seat.after(keyList());
document.addEventListener("submit", (event) => {
  if (!seat.contains(event.target)) return;
  event.preventDefault();
  send(event.target, event.submitter);
});
document.addEventListener("change", (event) => {
  if (event.target.name === "card") narrow();
});
document.addEventListener("keydown", hear);
narrow();
setTimeout(tell, SAY_MS);
follow();
