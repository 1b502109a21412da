// A bot for Daifugō Arena in TypeScript: Node.js 18 or newer, no packages but the compiler.
//
//     npx tsc && node bot.js --url http://127.0.0.1:8000 --session spring-cup --name me
//
// What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
// Write your own strategy into `choose`; the rest keeps to the protocol.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

// What this bot reads of the documents; `arena manual protocol` has all members.
type Entry = { cards?: string[]; pass?: boolean };
type Turn = { turn: string; kind: string; held: string[]; order: string; legal?: Entry[] };
type Reply = {
  detail?: string; // what is wrong, for people
  example?: object; // an answer that would be accepted, if one was refused
  turns?: Turn[];
  next?: Turn[];
  cursor?: number | null;
  poll_after_ms?: number;
  status?: string; // of a session
  token?: string;
};

const RANKS = "3456789TJQKA2"; // in the normal order, the weakest first

// The number of an answer in `turn.legal`. This is the place for your own ideas.
// Here: low cards, many at once; sets are not broken, jokers are kept.
function choose(turn: Turn): number {
  const strength = (card: string) => {
    if (card === "JK") return 50;
    const rank = RANKS.indexOf(card[1]);
    return turn.order === "normal" ? rank : 12 - rank; // a revolution: the 3 is high
  };
  const cost = (cards: string[]) => {
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
function setting(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  const flag = at < 0 ? undefined : process.argv[at + 1];
  return flag || process.env[`ARENA_${name.toUpperCase()}`] || undefined;
}

const url = (setting("url") ?? "http://127.0.0.1:8000").replace(/\/+$/, "");
const name = setting("name") ?? "typescript-starter";
const session = setting("session");
let token = setting("token");

const tell = (text: string) => console.error(`bot: ${text}`);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function stop(text: string, code = 1): never {
  tell(text);
  process.exit(code);
}

// One request -> its status and document. The same again, after a while, if there is no answer or
// the arena asks for patience; no answer counts twice, however often it is sent.
async function ask(method: string, path: string, body?: object): Promise<[number, Reply]> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  for (let attempt = 1; attempt < 23; attempt++) {
    let pause = 500 * attempt; // two minutes in all
    try {
      const signal = AbortSignal.timeout(60000);
      const request = { method, headers, signal, body: body && JSON.stringify(body) };
      const reply = await fetch(`${url}/api/v1${path}`, request);
      const got = (await reply.json()) as Reply;
      if (reply.status === 401) stop(`the token is refused: ${got.detail}`);
      if (![429, 500, 502, 503, 504].includes(reply.status)) return [reply.status, got];
      pause = 1000 * Number(reply.headers.get("Retry-After")) || pause;
      tell(`${method} ${path}: ${reply.status} ${got.detail}; again in ${pause} ms`);
    } catch (error) {
      tell(`${method} ${path}: ${(error as Error).message}; again in ${pause} ms`);
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
  const [status, got] = await ask("POST", "/bots", { name, code: setting("code") });
  if (status !== 201 || !got.token) return stop(`not registered: ${got.detail}`);
  token = got.token;
  writeFileSync(kept, token, { mode: 0o600 });
}

// Answer turns until the session is over.
async function play() {
  const [entered, entry] = await ask("PUT", `/sessions/${session}/entry`);
  // 409: it runs already, and may have this bot.
  if (![200, 201, 409].includes(entered)) stop(`not entered: ${entry.detail}`);
  let turns: Turn[] = [];
  let cursor: number | undefined;
  for (;;) {
    const after = cursor === undefined ? "" : `&after=${cursor}`;
    const turn = turns.shift();
    let status, got: Reply;
    if (turn) {
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
      if (view.status === "finished" || view.status === "cancelled") return;
      await sleep(got.poll_after_ms ?? 1000);
    }
  }
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));
if (!session) stop("usage: bot.js --url URL --session SESSION --name NAME [--code CODE]", 2);
signIn().then(play).then(() => process.exit(0));
