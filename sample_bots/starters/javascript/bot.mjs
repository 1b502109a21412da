// A bot for Daifugō Arena in JavaScript: Node.js 18 or newer, no packages.
//
//     node bot.mjs --url http://127.0.0.1:8000 --session spring-cup --name me
//
// What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
// Write your own strategy into `choose`; the rest keeps to the protocol.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

const RANKS = "3456789TJQKA2"; // in the normal order, the weakest first

// The number of an answer in `turn.legal`. This is the place for your own ideas.
// Here: low cards, many at once; sets are not broken, jokers are kept.
function choose(turn) {
  const strength = (card) => {
    if (card === "JK") return 50;
    const rank = RANKS.indexOf(card[1]);
    return turn.order === "normal" ? rank : 12 - rank; // a revolution: the 3 is high
  };
  const cost = (cards) => {
    const own = cards.map(strength);
    const left = turn.held.filter((card) => own.includes(strength(card))).length - own.length;
    return own.reduce((sum, one) => sum + one) / own.length - own.length + 4 * left;
  };
  let [best, lowest] = [0, Infinity]; // 0: something else is asked, or nothing is listed
  (turn.legal ?? []).forEach(({ cards = [] }, number) => {
    const own = cards.length > 0 ? cost(cards) : Infinity;
    if (own < lowest) [best, lowest] = [number, own];
  });
  return best;
}

// `--name VALUE` of the command line, or ARENA_NAME of the environment.
function setting(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  const flag = at < 0 ? undefined : process.argv[at + 1];
  return flag || process.env[`ARENA_${name.toUpperCase()}`] || otherwise;
}

const url = setting("url", "http://127.0.0.1:8000").replace(/\/+$/, "");
const name = setting("name", "javascript-starter");
const session = setting("session");
let token = setting("token");

const tell = (text) => console.error(`bot: ${text}`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function stop(text, code = 1) {
  tell(text);
  process.exit(code);
}

// One request -> its status and document. The same again, after a while, if there is no answer or
// the arena asks for patience; no answer counts twice, however often it is sent.
async function ask(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  for (let attempt = 1; attempt < 23; attempt++) {
    let pause = 500 * attempt; // two minutes in all
    try {
      const signal = AbortSignal.timeout(60000);
      const request = { method, headers, signal, body: body && JSON.stringify(body) };
      const reply = await fetch(`${url}/api/v1${path}`, request);
      const document = await reply.json();
      if (reply.status === 401) stop(`the token is refused: ${document.detail}`);
      if (![429, 500, 502, 503, 504].includes(reply.status)) return [reply.status, document];
      pause = 1000 * Number(reply.headers.get("Retry-After")) || pause;
      tell(`${method} ${path}: ${reply.status} ${document.detail}; again in ${pause} ms`);
    } catch (error) {
      tell(`${method} ${path}: ${error.cause?.message ?? error.message}; again in ${pause} ms`);
    }
    await sleep(pause);
  }
  return stop(`no answer from ${url}`);
}

// Use the token that is given or was kept; else register, and keep the new one.
async function signIn() {
  const kept = `${name}@${url.split("//").pop()}`.replace(/[^A-Za-z0-9.-]/g, "_") + ".token";
  if (!token && existsSync(kept)) token = readFileSync(kept, "utf8").trim();
  if (token) return;
  const [status, document] = await ask("POST", "/bots", { name, code: setting("code") });
  if (status !== 201) stop(`not registered: ${document.detail}`);
  token = document.token;
  writeFileSync(kept, token, { mode: 0o600 });
}

// Answer turns until the session is over.
async function play() {
  const [entered, entry] = await ask("PUT", `/sessions/${session}/entry`);
  // 409: it runs already, and may have this bot.
  if (![200, 201, 409].includes(entered)) stop(`not entered: ${entry.detail}`);
  let turns = [];
  let cursor = null;
  for (;;) {
    const after = cursor === null ? "" : `&after=${cursor}`;
    let status, got;
    if (turns.length > 0) {
      const turn = turns.shift();
      // The last answer waits for the next turns, which saves a request for each move.
      const path = `/turns/${turn.turn}` + (turns.length > 0 ? "" : `?wait=25${after}`);
      [status, got] = await ask("POST", path, { choice: choose(turn) });
      if ((status === 400 || status === 422) && got.example) {
        tell(`refused: ${got.detail}`);
        [status, got] = await ask("POST", path, got.example);
      }
      if (status !== 200) tell(`${turn.turn}: ${got.detail}`); // too late, for one
      turns.push(...(got.next ?? []));
    } else {
      [status, got] = await ask("GET", `/turns?wait=25${after}`);
      turns = got.turns ?? [];
    }
    cursor = got.cursor ?? cursor;
    if (turns.length === 0) {
      const [, view] = await ask("GET", `/sessions/${session}`);
      if (["finished", "cancelled"].includes(view.status)) return;
      await sleep(got.poll_after_ms ?? 1000);
    }
  }
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));
if (!session) stop("usage: bot.mjs --url URL --session SESSION --name NAME [--code CODE]", 2);
await signIn();
await play();
process.exit(0);
