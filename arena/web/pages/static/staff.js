// The staff view: asks the API with a token that was pasted into the page, and shows what it gets.
//
// The token is kept in the session storage of this tab and sent as a header, nowhere else. What the
// arena says is shown as text only. A panel that fails is asked more and more rarely.

const KEY = "arena.staff";
const API = "/api/v1";
const LONGEST_S = 120;
const MOST_ROWS = 400;
const byId = (id) => document.getElementById(id);

const seconds = (ms) => (ms == null ? "" : `${(ms / 1000).toFixed(1)} s`);
const today = (date) => Date.now() - date < 12 * 3_600_000;
const timeOf = (date) => (today(date) ? date.toLocaleTimeString() : date.toLocaleString());
const time = (instant) => (instant ? timeOf(new Date(instant)) : "never");
const yes = (value, word) => (value ? word : "");
const percent = (value) => (typeof value === "number" ? `${(100 * value).toFixed(2)} %` : "");

const PANELS = [
  {
    title: "Who is there",
    path: (session) => `/sessions/${session}`,
    every: 10,
    heads: ["Bot", "Owner", "Status", "Connected", "Asked last", "Client"],
    says: ({ status, entries, progress: { hands, hands_finished, hands_playing } }) =>
      `${status}: ${entries.filter((each) => each.connected).length} of ${entries.length} ` +
      `connected, ${hands_finished} of ${hands} hands over, ${hands_playing} being played`,
    rows: ({ entries }) =>
      entries.map((each) => [
        each.name, each.owner, each.status, each.connected ? "yes" : "no",
        time(each.last_seen), each.client,
      ]),
  },
  {
    title: "Clocks and faults",
    path: (session) => `/sessions/${session}/clocks`,
    every: 3,
    heads: [
      "Bot", "Table", "Hand", "Waited for", "Left", "Bank left", "Faults in a row", "Failed hands",
      "Notes",
    ],
    says: ({ tables, bank_ms }) =>
      `${tables.length} table${tables.length === 1 ? "" : "s"} in play, a bank of ${seconds(bank_ms)} each`,
    rows: ({ tables }) =>
      tables.flatMap(({ table, number, hands, players }) =>
        players.map((each) => [
          each.name, table, `${number} of ${hands}`, seconds(each.turn?.waits_ms),
          seconds(each.turn?.left_ms), seconds(each.bank_ms), each.faults_in_a_row,
          each.failed_hands,
          [
            yes(each.probation, "on probation"),
            yes(each.turn && !each.turn.seen, "has not asked for its turn"),
            yes(each.turn?.refused, `${each.turn?.refused} answers refused`),
          ].filter(Boolean).join(", "),
        ]),
      ),
  },
  {
    title: "Alerts",
    path: (session) => `/sessions/${session}/alerts`,
    every: 60,
    heads: ["About", "What", "By chance"],
    says: ({ moves_hands_unread: unread }) =>
      "Alerts are no verdicts: only replays tell." +
      (unread ? ` The moves of ${unread} hands are still to be read.` : ""),
    none: "No alert by now.",
    rows: alertRows,
  },
  {
    title: "Audit",
    path: () => "/audit?limit=100",
    every: 15,
    heads: ["When", "Who", "What", "To what"],
    says: () => "The newest first: what concerns this session, and the arena as a whole.",
    rows: ({ entries }, session) =>
      entries
        .filter(({ detail }) => [undefined, session].includes(detail?.session))
        .map(({ at, actor, actor_name: name, action, detail }) => [
          time(at), name ?? actor, action, JSON.stringify(detail),
        ]),
  },
];

function alertRows(all) {
  const name = (bot) => all.names[bot] ?? bot ?? "";
  const kinds = [
    ["helps", (each) => [`${name(each.helper)}, ${name(each.helped)}`, "one helps the other"]],
    ["moves", (each) => [`${name(each.bot)}, ${name(each.towards)}`, `moves: ${each.kind}`]],
    ["seats", (each) => [name(each.bot), "its seats were not shared out evenly"]],
    ["neighbours", (each) => [name(each.bot), "its neighbours were not shared out evenly"]],
    ["seat_effects", (each) => [`seat ${each.seat}`, "it is worth more or less than others"]],
  ];
  return kinds.flatMap(([kind, says]) =>
    (all[kind] ?? [])
      .filter((each) => each.alert)
      .map((each) => [...says(each), percent(each.adjusted)]),
  );
}

class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `The arena answered with ${status}.`);
    this.status = status;
    this.retryS = problem.retry_after_s ?? 0;
  }
}

async function ask(path, signal) {
  const response = await fetch(API + path, {
    headers: { Authorization: `Bearer ${sessionStorage.getItem(KEY)}` },
    cache: "no-store",
    credentials: "omit",
    signal,
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, body);
  return body;
}

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function say(text) {
  byId("said").textContent = text;
  byId("said").hidden = !text;
}

// A panel: a heading, a sentence, a table. Its cells are text whatever the arena sends.

function panelOf(panel, number) {
  const id = `panel-${number}`;
  const words = element("p", { class: "notes" });
  const head = element("tr", {}, ...panel.heads.map((each) =>
    element("th", { scope: "col", class: "text" }, each)));
  const body = element("tbody", {});
  const table = element("table", {}, element("thead", {}, head), body);
  const region = element("div", {
    class: "wide", role: "region", "aria-labelledby": id, tabindex: "0",
  }, table);
  const section = element("section", {}, element("h2", { id }, panel.title), words, region);
  return { ...panel, section, words, body, region, delayS: panel.every, dueMs: 0 };
}

function draw(panel, document_, session) {
  const rows = panel.rows(document_, session);
  panel.words.textContent = panel.says(document_) + (rows.length ? "" : ` ${panel.none ?? ""}`) +
    (rows.length > MOST_ROWS ? ` The first ${MOST_ROWS} of ${rows.length} are shown.` : "");
  panel.region.hidden = !rows.length;
  const drawn = rows.slice(0, MOST_ROWS).map(([first, ...others]) => {
    const cells = others.map((each) =>
      element("td", { class: "text" }, element("bdi", {}, String(each ?? ""))));
    const head = element("th", { scope: "row", class: "text" },
      element("bdi", {}, String(first ?? "")));
    return element("tr", {}, head, ...cells);
  });
  panel.body.replaceChildren(...drawn);
}

let panels = [];
let going, timer;

async function look(panel, session, signal) {
  try {
    draw(panel, await ask(panel.path(encodeURIComponent(session)), signal), session);
    panel.delayS = panel.every;
    say("");
  } catch (error) {
    if (signal.aborted) return;
    if (error.status === 401) return forget("This token is not known here, or no longer.");
    panel.delayS = Math.min(LONGEST_S, Math.max(2 * panel.delayS, error.retryS ?? 0));
    panel.words.textContent = `${error.message} The next try is in ${panel.delayS} s.`;
  }
  panel.dueMs = Date.now() + 1000 * panel.delayS;
}

async function round() {
  const { signal } = going;
  const held = byId("stop").getAttribute("aria-pressed") === "true" || document.hidden;
  const session = byId("session").value;
  if (session && !held) {
    const due = panels.filter((each) => each.dueMs <= Date.now());
    for (const panel of due) if (!signal.aborted) await look(panel, session, signal);
    if (due.length && !signal.aborted) {
      byId("when").textContent = `as of ${new Date().toLocaleTimeString()}`;
    }
  }
  if (!signal.aborted) timer = setTimeout(round, 500);
}

function begin() {
  going?.abort();
  clearTimeout(timer);
  going = new AbortController();
  const session = byId("session").value;
  if (session) history.replaceState(null, "", `?session=${encodeURIComponent(session)}`);
  panels = PANELS.map(panelOf);
  byId("panels").replaceChildren(...panels.map((each) => each.section));
  round();
}

function forget(why = "The token is forgotten.") {
  going?.abort();
  clearTimeout(timer);
  sessionStorage.removeItem(KEY);
  for (const id of ["panels", "session", "who", "when"]) byId(id).replaceChildren();
  byId("view").hidden = true;
  byId("enter").hidden = false;
  say(why);
  byId("token").focus();
}

async function sessionsOf() {
  const found = [];
  let after = "";
  do {
    const page = await ask(`/sessions?limit=500${after && `&after=${encodeURIComponent(after)}`}`);
    found.push(...page.sessions);
    after = page.next;
  } while (after && found.length < 2000);
  return found;
}

async function enter() {
  try {
    const { name, role, scopes } = await ask("/whoami");
    if (!scopes.includes("view")) {
      return forget(`This is the token of a ${role}. Staff have other ones.`);
    }
    const options = (await sessionsOf()).map((each) =>
      element("option", { value: each.session }, `${each.name} (${each.status})`));
    byId("session").replaceChildren(...options);
    byId("session").value = new URLSearchParams(location.search).get("session") ??
      options[0]?.value ?? "";
    byId("who").textContent = `${name}, ${role}`;
    byId("enter").hidden = true;
    byId("view").hidden = false;
    say(options.length ? "" : "There is no session yet.");
    begin();
  } catch (error) {
    if (error.status === 401) return forget("This token is not known here, or no longer.");
    say(`${error.message} Try again in a moment.`);
  }
}

function use() {
  const token = byId("token").value.trim();
  byId("token").value = "";
  if (!/^[\x21-\x7e]{1,200}$/.test(token)) return say("That is no token: paste it whole.");
  sessionStorage.setItem(KEY, token);
  enter();
}

byId("use").addEventListener("click", use);
byId("token").addEventListener("keydown", ({ key }) => key === "Enter" && use());
byId("forget").addEventListener("click", () => forget());
byId("session").addEventListener("change", begin);
byId("stop").addEventListener("click", ({ target }) => {
  target.setAttribute("aria-pressed", String(target.getAttribute("aria-pressed") !== "true"));
});
byId("without").remove();
byId("staff").hidden = false;
if (sessionStorage.getItem(KEY)) enter();
