#!/usr/bin/env node
// Checks records of Daifugō Arena with nothing of the arena but this file: see `HELP` below. First
// come pure functions that the page of a hand runs in browsers, too, then the program for Node.

const SUITS = "SHDC";
const RANKS = "3456789TJQKA2";
const THROWS = 64;
export const LABELS = ["dealer", "leader", "start", "idle"];

// Bytes.

const encoder = new TextEncoder();
export const utf8 = (text) => encoder.encode(text);
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
export const hex = (data) => data.reduce((text, byte) => text + digits[byte], "");
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (each) => parseInt(each, 16));
export const isHex = (text, size) => typeof text === "string" && text.length === 2 * size && /^[0-9a-f]*$/.test(text);
export const same = (one, other) => canonical(one) === canonical(other);

function joined(parts) {
  const data = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (data.set(part, at), at + part.length), 0);
  return data;
}

// A whole number in `size` bytes, big-endian.
export function number(value, size) {
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(size - 4, value);
  return new Uint8Array(view.buffer);
}

// SHA-256 (FIPS 180-4). Browsers have it too, but asynchronously, for pages by HTTPS only, and too
// slowly for the thousands of short texts of a record. START: the fractions of the square roots of
// the first 8 primes; ROUND: those of the cube roots of the first 64.

const START = new Int32Array(8);
const ROUND = new Int32Array(64);
for (let prime = 2, count = 0; count < 64; prime++) {
  if ([...Array(prime).keys()].slice(2).some((each) => prime % each === 0)) continue;
  START[count] = (Math.sqrt(prime) % 1) * 2 ** 32;
  ROUND[count++] = (Math.cbrt(prime) % 1) * 2 ** 32;
}
const words = new Int32Array(64);
const turned = (word, by) => (word >>> by) | (word << (32 - by));

function compress(state, data, at) {
  for (let i = 0; i < 16; i++, at += 4) {
    words[i] = (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15], y = words[i - 2];
    const low = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
    words[i] = low + words[i - 7] + (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10)) + words[i - 16];
  }
  let a = state[0], b = state[1], c = state[2], d = state[3];
  let e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (g ^ (e & (f ^ g))) + ROUND[i] + words[i];
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) | (c & (a | b)));
    (h = g), (g = f), (f = e), (e = (d + one) | 0);
    (d = c), (c = b), (b = a), (a = (one + two) | 0);
  }
  (state[0] += a), (state[1] += b), (state[2] += c), (state[3] += d);
  (state[4] += e), (state[5] += f), (state[6] += g), (state[7] += h);
}

// The SHA-256 of some bytes, end to end.
export function sha256(...parts) {
  const data = parts.length === 1 ? parts[0] : joined(parts);
  const state = START.slice();
  const whole = data.length - (data.length % 64);
  for (let at = 0; at < whole; at += 64) compress(state, data, at);
  const rest = new Uint8Array(data.length - whole < 56 ? 64 : 128);
  rest.set(data.subarray(whole));
  rest[data.length - whole] = 128;
  const view = new DataView(rest.buffer);
  view.setBigUint64(rest.length - 8, BigInt(data.length) * 8n);
  for (let at = 0; at < rest.length; at += 64) compress(state, rest, at);
  state.forEach((word, i) => view.setInt32(4 * i, word));
  return rest.slice(0, 32);
}

// Canonical JSON (RFC 8785): no spaces, members in the order of their names.
export function canonical(value) {
  if (inOrder(value)) return JSON.stringify(value) ?? "";
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

// Are the members of all objects in order already? Those of a log mostly are.
function inOrder(value) {
  if (value === null || typeof value !== "object") return true;
  if (Array.isArray(value)) return value.every(inOrder);
  let before = "";
  for (const name in value) {
    if (name < before || !inOrder(value[name])) return false;
    before = name;
  }
  return true;
}

// Chance from everybody, and deals.

// The key from a secret, what the participants gave (bytes by index in the roster, or null), and the
// public value, or null.
export function mixedKey(secret, given, value = null) {
  const gifts = given.flatMap((chance, index) => (chance ? [number(index, 4), chance] : []));
  if (value !== null) gifts.push(utf8("public"), sha256(utf8(value)));
  return sha256(utf8("daifugo-arena/chance/1"), secret, ...gifts);
}

// The key of a round, from 1, by the header of a record. Where the schedule does not say how many of
// the roster are mixed into each round, it is the secret.
export function keyOf({ secret, schedule, bots }, round) {
  const { mixed, roster = [], public_chance: value = null } = schedule ?? {};
  if (!mixed) return unhex(secret);
  const gave = new Map(bots.map(({ bot, chance }) => [bot, chance && unhex(chance)]));
  const reach = mixed[Math.min(round, mixed.length) - 1] ?? 0;
  return mixedKey(unhex(secret), roster.slice(0, reach).map((bot) => gave.get(bot)), value);
}

// The random numbers that a label of a hand is drawn from.
export class Stream {
  constructor(key, id, hand, label) {
    const name = utf8(id);
    this.key = sha256(utf8("daifugo-arena/1"), key, number(name.length, 4), name, number(hand, 4), utf8(label));
    this.blocks = 0;
    this.view = new DataView(new ArrayBuffer(0));
    this.at = 0;
  }
  block(index) {
    return sha256(this.key, number(index, 8));
  }
  next() {
    if (this.at === this.view.byteLength) {
      this.view = new DataView(this.block(this.blocks++).buffer);
      this.at = 0;
    }
    return this.view.getUint32((this.at += 4) - 4);
  }
  // A number from 0 to bound - 1, all equally likely.
  below(bound) {
    for (;;) {
      const word = this.next();
      if (word < 2 ** 32 - (2 ** 32 % bound)) return word % bound;
    }
  }
  shuffled(items) {
    const list = [...items];
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [list[j], list[i]];
    }
    return list;
  }
}

// All cards in their order before the shuffle; jokers are in the first pack only.
export function pack({ suits, jokers, decks }) {
  const natural = [...RANKS].flatMap((rank) => [...SUITS].filter((suit) => suits.includes(suit)).map((suit) => suit + rank));
  return [...natural, ...Array(jokers).fill("JK"), ...Array(decks - 1).fill(natural).flat()];
}

// What chance gives to a hand: deck, lots and salt (hex) by the key of its round.
export function drawn(key, { shuffles, table, number: hand, ruleset, seating }) {
  const seats = [...seating.keys()];
  const stream = (label) => new Stream(key, shuffles ?? table, hand, label);
  const lots = Object.fromEntries(LABELS.map((label) => [label, stream(label).shuffled(seats)]));
  const throws = stream("throws");
  lots.throws = Array.from({ length: THROWS }, () => seats.map(() => throws.below(3)));
  return { deck: stream("deck").shuffled(pack(ruleset)), lots, salt: hex(stream("salt").block(0).slice(0, 16)) };
}

// The commitment that was published before the hand, from its deck, lots and salt.
export function commitmentOf({ deck, lots: { dealer, leader, start, idle, throws }, salt }) {
  const text = JSON.stringify({ deck, lots: { dealer, leader, start, idle, throws } });
  return hex(sha256(unhex(salt), utf8(text)));
}

// The hash chain of a hand's log.

const placeOf = ({ hand, seating }) => utf8(canonical({ hand, seating }));

// The hash before the first step of a hand, given as its record.
export const chainStart = (hand) => sha256(utf8("daifugo-arena/chain/1"), unhex(hand.salt), unhex(hand.commitment), placeOf(hand));

// The head of a hand that was not played.
export const unplayedHead = (hand) => sha256(utf8("daifugo-arena/unplayed/1"), placeOf(hand));

// What stands in a hashed step for what its bot wrote beside the answer, with its random nonce.
export const remarksHash = (remarks) => hex(sha256(utf8("daifugo-arena/remarks/1"), utf8(canonical(remarks))));

// The text of a step that is hashed.
export function stepText({ hash, ...step }) {
  if (step.remarks && typeof step.remarks === "object") step.remarks = remarksHash(step.remarks);
  return canonical(step);
}

const STEP = utf8("daifugo-arena/step/1");
export const hashAfter = (before, text, salt) => sha256(STEP, salt, before, utf8(text));

// What is wrong with the hashes of a hand that was dealt; nothing, if they are those of its log.
export function chainFault(hand) {
  const salt = unhex(hand.salt);
  let last = chainStart(hand);
  for (const [index, step] of hand.steps.entries()) {
    last = hashAfter(last, stepText(step), salt);
    if (step.hash !== hex(last)) return `the hash of step ${index} does not follow from the log`;
  }
  return hand.head === hex(last) ? "" : "the head is not the hash of the last step";
}

// Merkle trees (RFC 6962).

export const leafHash = (data) => sha256(Uint8Array.of(0), data);
export const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);

// A tree that grows at its end; it keeps the roots of its whole parts only.
export class Tree {
  size = 0;
  peaks = [];
  add(data) {
    let top = leafHash(data);
    for (let whole = ++this.size; whole % 2 === 0; whole /= 2) top = nodeHash(this.peaks.pop(), top);
    this.peaks.push(top);
  }
  get root() {
    return this.size ? this.peaks.reduceRight((right, left) => nodeHash(left, right)) : sha256(utf8(""));
  }
}

// The root that a proof (RFC 9162, 2.1.3.2) leads to from a leaf; null for one that fits no tree.
export function provenRoot(data, index, size, proof) {
  if (!(index >= 0 && index < size)) return null;
  let top = leafHash(data);
  let at = 0;
  for (let last = size - 1; last; last = Math.floor(last / 2), index = Math.floor(index / 2)) {
    if (index % 2 === 0 && index === last) continue;
    if (at === proof.length) return null;
    const beside = proof[at++];
    top = index % 2 ? nodeHash(beside, top) : nodeHash(top, beside);
  }
  return at === proof.length ? top : null;
}

// Signatures (Ed25519).

// Is a signature (hex) that of a public key (hex)? null where this browser knows no Ed25519.
export async function isSigned(message, signature, key) {
  if (!isHex(signature, 64) || !isHex(key, 32)) return false;
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return null;
  try {
    const imported = await subtle.importKey("raw", unhex(key), "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", imported, unhex(signature), message);
  } catch (error) {
    return error.name === "NotSupportedError" ? null : false;
  }
}

// Does the signature of a document fit its own public key?
export function isSignedDocument({ signature, ...document }) {
  return isSigned(utf8(canonical(document)), signature, document.public_key);
}

// ---- The program, which needs Node ----

import { createReadStream, openSync, readFileSync, readSync, realpathSync, closeSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createGunzip } from "node:zlib";

globalThis.crypto ??= webcrypto; // Node.js 18

const HELP = `Usage: node verify_record.mjs [--key HEX] [--digest FILE] [--json] RECORD...

Checks records of sessions of Daifugō Arena, offline and without the arena: the chain of
hashes over each hand's log, the commitments, the deals, that no card comes from nowhere, the order
at the end, that no table and no hand is missing, the digest and the signatures. It knows no rules:
whether a move was legal is checked by "arena verify".

  RECORD         a file of JSON lines, as it is or compressed (.gz)
  --key HEX      the public key of the arena, as you know it from the arena itself
  --digest FILE  a digest of the session that you have kept; the record must fit it
  --json         print the outcome as JSON
  -h, --help     print this

Ends with 0 if nothing is wrong with what was checked, with 1 if anything is, with 2 if it could
not be checked at all.

Example: curl -s http://127.0.0.1:8000/api/v1/sessions/cup/records > cup.jsonl
         node verify_record.mjs cup.jsonl
`;
const SESSION = ["daifugo-arena/session/1", "daifugo-arena/session/2"];
const HAND = ["daifugo-arena/hand/1", "daifugo-arena/hand/2"];
const HEAD = "daifugo-arena/head/2";
const DIGEST = "daifugo-arena/digest/1";
const LONGEST_LINE = 16 * 1024 * 1024;
const MOST_SEATS = 16;
const FAULTY_HANDS = 3; // who fails in this many hands of a table is out there
const NO_ED25519 = "this version of Node knows no Ed25519";
const PROGRESS_LINES = 1000;

// Something that makes a line, or the whole call, impossible to check.
class Unusable extends Error {}

// Lines of a file.

// The bytes of a file, unpacked if it is compressed.
function bytesOf(path) {
  const start = Buffer.alloc(2);
  const file = openSync(path);
  readSync(file, start);
  closeSync(file);
  const stream = createReadStream(path, { highWaterMark: 2 ** 18 });
  if (start.readUInt16BE() !== 0x1f8b) return stream;
  const unpacked = createGunzip();
  stream.on("error", (error) => unpacked.destroy(error));
  return stream.pipe(unpacked);
}

// The lines of a file as bytes, one at a time; of one that is far too long only the beginning.
async function* linesOf(path) {
  let parts = [];
  let size = 0;
  const keep = (part) => {
    if (size <= LONGEST_LINE) parts.push(part);
    size += part.length;
  };
  for await (const chunk of bytesOf(path)) {
    let at = 0;
    for (let end; (end = chunk.indexOf(10, at)) >= 0; at = end + 1) {
      keep(chunk.subarray(at, end));
      yield Buffer.concat(parts);
      [parts, size] = [[], 0];
    }
    keep(chunk.subarray(at));
  }
  if (size) yield Buffer.concat(parts);
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// A line as text and as the document that it is; every name is in an object only once.
function read(line) {
  if (line.length > LONGEST_LINE) throw new Unusable("the line is far too long");
  let text, document;
  try {
    text = strict.decode(line);
    document = JSON.parse(text);
  } catch (error) {
    throw new Unusable(`no line of JSON in UTF-8; is it cut off? (${error.message})`);
  }
  if (!isObject(document)) throw new Unusable("no JSON object");
  const plain = JSON.stringify(document) === text; // as the arena writes it
  if (!plain) checkNames(text);
  return { text, document, plain };
}

function checkNames(text) {
  const open = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token.endsWith(":")) {
      const name = JSON.parse(token.slice(0, -1));
      if (open.at(-1).has(name)) throw new Unusable(`the member ${short(name)} is there twice`);
      open.at(-1).add(name);
    }
  }
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;
const short = (value) => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};
const sorted = (list) => [...list].sort();
const plural = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

// What a line has to be before anything is computed from it.

function demand(holds, what) {
  if (!holds) throw new Unusable(what);
}

function checkShape(hand) {
  const lists = ["steps", "seating", "bots", "players"];
  for (const name of lists) demand(Array.isArray(hand[name]), `${name} is no list`);
  for (const name of ["session", "table", "hand"]) demand(typeof hand[name] === "string", `${name} is no text`);
  for (const name of ["number", "round"]) demand(isWhole(hand[name]) && hand[name] > 0, `${name} is no whole number from 1`);
  const players = [...hand.seating.keys()];
  demand(hand.number < 2 ** 32, "number is too large");
  demand(players.length >= 2 && players.length <= MOST_SEATS, `seating has ${players.length} seats`);
  demand(typeof hand.shuffles === "string" || (hand.shuffles === undefined && hand.format === HAND[0]), "shuffles is no text");
  demand(isObject(hand.result), "there is no result");
  demand(same([...hand.seating].sort((one, other) => one - other), players), "seating does not have every player once");
  demand(hand.bots.length === players.length && hand.players.length === players.length, "bots and players are not as many as seats");
  demand(isObject(hand.ruleset), "ruleset is no object");
  const { suits, jokers, decks } = hand.ruleset;
  demand(Array.isArray(suits) && isWhole(jokers) && jokers < 9 && isWhole(decks) && decks > 0 && decks < 9, "ruleset has no pack of cards");
  for (const step of hand.steps) {
    demand(isObject(step) && Array.isArray(step.events) && step.events.every(isObject), "a step has no list of events");
    demand(isObject(step.command) && isObject(step.meta) && typeof step.turn === "string", "a step has no command, meta and turn");
  }
  if (!hand.steps.length) return;
  demand(Array.isArray(hand.deck) && isObject(hand.lots) && isHex(hand.salt, 16), "there is no deck with lots and a salt of 32 hex digits");
  demand(isObject(hand.sitting), "there is no sitting");
}

// One hand.

// What is wrong with a hand's line, as far as it tells without the others. key: of its round, if the
// secret is known.
function* handFaults(hand, key) {
  const chained = hand.format === HAND[1];
  if (hand.status === "forfeited") return yield* unplayedFaults(hand, chained);
  if (hand.status !== "finished") yield `status is ${short(hand.status)}; expected finished or forfeited`;
  demand(hand.steps.length, "there is no log");
  yield* dealFaults(hand, key);
  const places = follow(hand).map((seat) => hand.seating[seat]);
  if (!same(places, hand.result.game)) yield "the result is not the one that the log ends with";
  yield* resultFaults(hand);
  const fault = chained && chainFault(hand);
  if (fault) yield fault;
}

function* unplayedFaults(hand, chained) {
  const dealt = [hand.commitment === "" ? null : hand.commitment, hand.sitting, hand.salt, hand.deck, hand.lots];
  if (hand.steps.length || dealt.some((each) => each !== null)) yield "a forfeited hand has a deal";
  if (chained && hand.head !== hex(unplayedHead(hand))) yield "the head is not that of a hand that was not played";
}

function* dealFaults(hand, key) {
  const { command, turn, meta } = hand.steps[0];
  demand(command.type === "deal" && turn === "" && Array.isArray(command.deck) && Array.isArray(command.places), "the log does not begin with the deal");
  if (commitmentOf(hand) !== hand.commitment) yield "deck, lots and salt do not fit the commitment";
  if (meta.commitment !== hand.commitment) yield "the commitment is not the one in the log";
  if (!same(sorted(hand.deck), sorted(pack(hand.ruleset)))) yield "the deck does not have the cards of the ruleset";
  const alone = (hand.shuffles ?? hand.table) === hand.table;
  const [drawnDeck, dealtDeck] = alone ? [hand.deck, command.deck] : [sorted(hand.deck), sorted(command.deck)];
  if (!same(drawnDeck, dealtDeck)) yield "the deck is not the one that was dealt";
  if (!same(command.lots, hand.lots)) yield "the lots are not the ones that were used";
  const sitting = { dealer: hand.seating[command.dealer], places: command.places.map((seat) => hand.seating[seat]) };
  if (!same(sitting, hand.sitting)) yield "the sitting is not that of the deal";
  const { deck, lots, salt } = hand;
  if (key && !same(drawn(key, hand), { deck, lots, salt })) yield "deck, lots or salt are not what follows from the secret";
}

// Follows the cards through the log; the seats from best to last.
function follow(hand) {
  const seats = hand.seating.length;
  let held = [];
  let table = [];
  let places = [];
  let count = 0;
  const move = (from, cards) => {
    for (const card of cards) {
      const at = from.indexOf(card);
      demand(at >= 0, `the log cannot be followed: event ${count}: ${short(card)} comes from nowhere`);
      from.splice(at, 1);
    }
    return cards;
  };
  for (const [index, step] of hand.steps.entries()) {
    demand(step.seq === count, `step ${index}: seq is ${short(step.seq)}, there are ${count} events before it`);
    if (index) checkTurn(hand, step, index);
    for (const event of step.events) {
      const { type, seat, to, cards } = event;
      if (type === "dealt") {
        held = event.hands.map((each) => [...each]);
        demand(held.length === seats, "the cards were dealt to another number of seats");
        demand(same(sorted([...held.flat(), ...event.blind]), sorted(hand.deck)), "the cards that were dealt are not the deck");
      } else if (type === "played") table.push(...move(held[seat], cards));
      else if (type === "gave") held[to].push(...move(held[seat], cards));
      else if (type === "discarded") move(held[seat], cards);
      else if (type === "took") held[seat].push(...move(table, cards));
      else if (type === "swapped") [held[seat], held[to]] = [held[to], held[seat]];
      else if (type === "cleared") table = [];
      else if (type === "ended") places = event.places;
      count++;
    }
  }
  demand(places.length === seats, "the log ends before the hand is over: cut off?");
  return places;
}

// Does a step answer a turn of this hand, and by the seat whose turn it was?
function checkTurn(hand, step, index) {
  const [, seat] = step.turn.startsWith(`${hand.hand}.`) ? /^\d+\.(\d+)$/.exec(step.turn.slice(hand.hand.length + 1)) ?? [] : [];
  const fits = Number(seat) < hand.seating.length && step.command.seat === Number(seat) && step.meta.seat === Number(seat);
  demand(fits, `step ${index}: the command is not that of a turn of its seat`);
}

// What a result says that follows from the log without the rules: all but the points.
function* resultFaults({ format, steps, seating, result }) {
  const faults = steps
    .filter(({ command }) => command.type === "expire" && command.cause !== "server")
    .map(({ seq, command: { seat, cause } }) => ({ player: seating[seat], seat, seq, cause }));
  const failed = [...new Set(faults.map(({ player }) => player))];
  const places = [...result.game.filter((player) => !failed.includes(player)), ...failed.reverse()];
  const moves = seating.map(() => 0);
  const charged = seating.map(() => 0);
  for (const { turn, meta } of steps) {
    if (!turn || meta.cause !== null) continue;
    moves[seating[meta.seat]]++;
    charged[seating[meta.seat]] += meta.charged_ms;
  }
  const finish = places.map((_, index) => index + 1);
  const expected = { places, finish, faults, forfeits: [], moves, charged_ms: charged };
  const names = [...Object.keys(expected), "game", "points"];
  if (format === HAND[1] && !same(sorted(Object.keys(result)), sorted(names))) yield "the result does not have the members of a result";
  if (result.points?.length !== seating.length) yield "the result does not have points for each player";
  for (const [name, value] of Object.entries(expected)) {
    if (!same(result[name] ?? null, value)) yield `the result's ${name} do not follow from the log`;
  }
}

// Is a hand that was not played one that had to be forfeited, and is its result the one that follows?
// failed: in how many hands of the table each player has failed; it goes on with this hand.
function* forfeitFaults({ status, seating, result }, failed) {
  const out = [...failed].filter(([, count]) => count >= FAULTY_HANDS).map(([player]) => player);
  if (status === "forfeited") {
    const others = [...seating.keys()].filter((player) => !out.includes(player));
    const zeros = seating.map(() => 0);
    const places = [...others, ...[...out].reverse()];
    const finish = places.map((_, index) => (index < others.length ? 1 : index + 1));
    const expected = { places, finish, game: [], faults: [], forfeits: out, points: zeros, moves: zeros, charged_ms: zeros };
    if (!out.length) yield "the hand was forfeited, but nobody has failed often enough";
    else if (!same(result, expected)) yield "the result does not follow from the faults at the table";
  }
  for (const player of new Set((result.faults ?? []).map((fault) => fault.player))) {
    const count = (failed.get(player) ?? 0) + 1;
    if (count === FAULTY_HANDS) failed.delete(player); // who is out stands in the order of going out
    failed.set(player, count);
  }
}

// The tables of a session.

// Round and number of a table of a session, by its id. replay: it is played in the place of that
// table, which is void.
function placeOfTable(session, table) {
  const ending = table.startsWith(session) ? table.slice(session.length) : "";
  const [, round, number_, letter] = /^-r(\d{2,6})-t(\d{2,6})([b-z]?)$/.exec(ending) ?? [];
  const place = { round: Number(round), number: Number(number_), replay: Boolean(letter) };
  return tableId(session, place.round, place.number) + letter === table ? place : null;
}

const two = (value) => String(value).padStart(2, "0");
const tableId = (session, round, number_) => `${session}-r${two(round)}-t${two(number_)}`;

// The tables of a round in order: who plays, in which block, and from which shuffles.
function planned({ session, document, schedule }, round) {
  const lineUps = schedule?.rounds[round - 1] ?? [];
  const tables = [];
  for (const [index, lineUp] of lineUps.entries()) {
    const id = tableId(session, round, tables.length + 1);
    const block = `${session}-r${two(round)}-b${two(index + 1)}`;
    if (document.deals === "rotate") tables.push(...lineUp.map(() => ({ lineUp, block, shuffles: block })));
    else tables.push({ lineUp, block: id, shuffles: document.deals === "common" ? `${session}-r${two(round)}` : id });
  }
  return tables;
}

// The leaves that a digest covers, as they come by.
class Coverage {
  constructor(digest, name) {
    Object.assign(this, { digest, name, tree: new Tree() });
    this.further = new Set(digest.further);
  }
  note(table, round, head) {
    if (round <= this.digest.rounds || this.further.has(table)) this.tree.add(unhex(head));
  }
  fault() {
    const { hands, root } = this.digest;
    const [size, top] = [this.tree.size, hex(this.tree.root)];
    if (size !== hands) return `${this.name} covers ${plural(hands, "hand")}, of those the record has ${size}`;
    return top === root ? "" : `the hands are not those of ${this.name}: it has the root ${short(root)}, they have ${top}`;
  }
}

// A session of the file: its header, and where in its schedule the lines have come to.
class Session {
  constructor(header) {
    this.header = header;
    this.id = header.session;
    this.lines = 0;
    this.keys = [0, null]; // the round whose key was computed last, and the key
    this.bots = new Map(header.bots.map((bot) => [bot.bot, bot]));
    this.voids = new Map(header.tables.void.map((each) => [each.table, each]));
    this.excused = new Set([...this.voids.keys(), ...header.tables.aborted, ...header.tables.playing]);
    this.coverages = [];
    this.rulesets = new Map(); // by the number of seats
    this.replays = new Map(); // tables that are played in the place of others, by their ids; null until they come
    for (const { replay } of this.voids.values()) if (replay) this.replays.set(replay, null);
    this.table = null; // the one whose hands come now: id, round, number, hands, open
    this.tables = [0, []]; // the round whose tables were planned last, and they
  }
  key(round) {
    if (this.header.secret !== null && this.keys[0] !== round) this.keys = [round, keyOf(this.header, round)];
    return this.keys[1];
  }
  tablesOf(round) {
    if (this.tables[0] !== round) this.tables = [round, planned(this.header, round)];
    return this.tables[1];
  }
  // Where a table stands in the order; replays follow the tables of their round as they come.
  placeOf(table) {
    const place = placeOfTable(this.id, table);
    if (!place?.replay) return place;
    if (!this.replays.has(table)) return null;
    const before = this.table?.round === place.round ? this.table.number : 0;
    const known = this.replays.get(table) ?? Math.max(this.tablesOf(place.round).length, before) + 1;
    this.replays.set(table, known);
    return { ...place, number: known };
  }
  get over() {
    return this.header.status === "finished";
  }

  // What is wrong with where a line stands.
  *placeFaults(line) {
    this.lines++;
    if (line.session !== this.id) return yield `session is ${short(line.session)}, the header says ${short(this.id)}: merged files?`;
    const place = this.placeOf(line.table);
    if (!place) return yield `table is ${short(line.table)}, which is none of the session`;
    if (line.round !== place.round) yield `round is ${line.round}, the table is one of round ${place.round}`;
    const before = this.table ?? { round: 1, number: 0 };
    const further = place.round - before.round || place.number - before.number;
    if (further < 0) return yield `table ${line.table} stands after table ${before.id}: not in the order of the schedule, or there twice`;
    if (further > 0) {
      yield* this.tableFaults();
      yield* this.gapFaults(before, place);
      this.table = { id: line.table, ...place, hands: 0, open: false, bots: null, failed: new Map() };
      const known = place.replay || this.tablesOf(place.round)[place.number - 1];
      if (this.header.schedule && !known) yield `table ${line.table} is not in the schedule`;
    }
    const due = ++this.table.hands;
    if (line.number < due) yield `hand ${line.number} of table ${line.table} is there twice, or too late`;
    if (line.number > due) yield `hand ${due} of table ${line.table} is missing`;
    this.table.hands = Math.max(due, line.number);
    if (line.number > this.header.document.hands_per_table) yield `the table has only ${this.header.document.hands_per_table} hands`;
  }

  // What is missing at the table whose hands came last.
  *tableFaults() {
    const { table } = this;
    const due = this.header.document.hands_per_table;
    if (!table || !this.over || this.excused.has(table.id) || table.hands >= due) return;
    if (table.open) yield `table ${table.id} ends with hand ${table.hands} of ${due}`;
    else this.endings = (this.endings ?? 0) + 1;
  }

  // Which tables of the schedule are missing between two places.
  *gapFaults(from, to) {
    const { schedule, rounds_begun: begun = Infinity } = this.header;
    if (!schedule || !this.over) return;
    const last = Math.min(to.round, schedule.rounds.length, begun); // an early end leaves rounds out
    for (let round = from.round; round <= last; round++) {
      const count = this.tablesOf(round).length;
      const first = round === from.round ? from.number + 1 : 1;
      const end = round === to.round ? Math.min(to.number - 1, count) : count;
      for (let each = first; each <= end; each++) {
        const id = tableId(this.id, round, each);
        if (!this.excused.has(id)) yield `table ${id} is missing`;
      }
    }
  }

  // What is wrong with what a hand says again of its session.
  *handFaults(hand) {
    const place = placeOfTable(this.id, hand.table);
    if (hand.hand !== `${hand.table}-h${String(hand.number).padStart(3, "0")}`) yield `hand is ${short(hand.hand)}, not hand ${hand.number} of its table`;
    const { table, header } = this;
    if (table?.id === hand.table) {
      table.open = hand.ruleset.session_end === "open";
      if (table.failed) yield* forfeitFaults(hand, table.failed);
      if (table.bots && !same(table.bots, hand.bots)) yield "the line-up is not that of the hands before";
      table.bots = hand.bots;
    }
    const plan = place && this.tablesOf(place.round)[place.number - 1];
    const { block, shuffles } = (!place?.replay && plan) || { block: hand.table, shuffles: hand.table };
    if (hand.block !== block || (hand.shuffles ?? hand.table) !== shuffles) yield `block and shuffles are not ${block} and ${shuffles}`;
    if (plan && !this.fits(plan.lineUp, hand)) yield "the line-up is not the one in the schedule";
    for (const [index, bot] of hand.bots.entries()) {
      const name = this.bots.get(bot)?.name;
      const house = name === undefined && String(hand.players[index]).startsWith("house-");
      if (name !== hand.players[index] && !house) yield `bot ${short(bot)} is called ${short(hand.players[index])}, the header says ${short(name)}`;
    }
    const rules = canonical([hand.ruleset, hand.fingerprint ?? null]);
    if ((this.rulesets.get(hand.bots.length) ?? rules) !== rules) yield "the ruleset or its fingerprint is not that of the hands before";
    this.rulesets.set(hand.bots.length, rules);
    const clocks = hand.bots.map((bot) => this.bots.get(bot)?.person?.clock ?? null);
    if (!same(hand.clocks ?? clocks.map(() => null), clocks)) yield `clocks are ${short(hand.clocks)}, the header says ${short(clocks)}`;
    const reason = this.voids.get(hand.table)?.reason ?? null;
    if (hand.void !== reason) yield `void is ${short(hand.void)}, the header says ${short(reason)}`;
    if ((hand.rated ?? true) !== (header.document.rated ?? true)) yield `rated is ${short(hand.rated)}, the header says otherwise`;
  }

  // Is it the line-up of the schedule, with house bots for those that have left?
  fits(lineUp, { bots, players }) {
    return bots.length === lineUp.length && lineUp.every((index, at) => {
      const due = this.header.schedule.roster[index];
      const left = this.bots.has(due) && this.bots.get(due).status !== "entered";
      return bots[at] === due || (left && String(players[at]).startsWith("house-"));
    });
  }

  // Which table of a digest has hands without a line, since their deals are still played elsewhere.
  untold({ further }) {
    return this.over ? undefined : this.header.tables.playing.find((table) => further.has(table));
  }

  // What is wrong now that all its lines have been read.
  *endFaults() {
    if (this.lines !== this.header.hands) yield `the header says that ${plural(this.header.hands, "line")} follow, there are ${this.lines}: cut off?`;
    yield* this.tableFaults();
    yield* this.gapFaults(this.table ?? { round: 1, number: 0 }, { round: Infinity });
    for (const [table, came] of this.replays) if (this.over && !came && !this.excused.has(table)) yield `table ${table} is missing`;
    for (const coverage of this.coverages) {
      const fault = this.untold(coverage) ? "" : coverage.fault();
      if (fault) yield fault;
    }
  }
}

// The file.

class Check {
  // key: the arena's, or undefined; kept: the digest that somebody has kept, or undefined.
  constructor({ key, kept, report }) {
    Object.assign(this, { key, kept, report });
    this.counts = { lines: 0, hands: 0, heads: 0, findings: 0, chained: 0, steps: 0, unchained: 0, recomputed: 0, secret: 0, alone: 0, sessions: 0 };
    this.proofs = [];
    this.gaps = [];
    this.session = null;
    this.used = false; // was there a session that the kept digest is of?
  }

  find(what) {
    this.counts.findings++;
    this.report(this.counts.lines, what);
  }

  // One more line. What cannot be read at all is wrong with the line; the others go on.
  async line(bytes) {
    this.counts.lines++;
    try {
      const { text, document, plain } = read(bytes);
      if (SESSION.includes(document.format)) await this.header(document, text);
      else if (HAND.includes(document.format)) this.hand(document, text, plain);
      else if (document.format === HEAD) this.head(document);
      else throw new Unusable(`format is ${short(document.format)}; expected one of ${[...SESSION, ...HAND, HEAD].join(", ")}`);
    } catch (error) {
      if (![Unusable, TypeError, RangeError].some((kind) => error instanceof kind)) throw error;
      this.find(error instanceof Unusable ? error.message : `not of the form that a line has: ${error.message}`);
    }
  }

  // No more lines of this session.
  end() {
    for (const what of this.session?.endFaults() ?? []) this.find(what);
    if (this.session) this.tell();
    this.session = null;
  }

  // No more lines at all.
  close() {
    this.end();
    const { lines, alone, sessions } = this.counts;
    if (!lines) this.find("the file is empty");
    else if (this.key && (alone || !sessions)) this.find("there are hands without a header, which nobody has signed");
    if (this.kept && !this.used) this.find(`the file has no session ${short(this.kept.session)}, which the digest that was kept is of`);
  }

  async header(header, text) {
    this.end();
    checkHeader(header);
    this.session = new Session(header);
    this.counts.sessions++;
    const { secret, secret_commitment: commitment, schedule } = header;
    if (secret !== null && hex(sha256(unhex(secret))) !== commitment) this.find("the secret is not the one that was committed to");
    const fault = schedule && publicFault(header);
    if (fault) this.find(fault);
    if (schedule?.mixed && !mixes(schedule)) this.find("schedule.mixed is not how many of the roster were there in each round");
    if (this.kept?.session === header.session) this.used = true;
    if (header.format === SESSION[0]) {
      if (this.key || this.used) this.find("this is format 1: it has no signature and nothing that a digest covers");
      return;
    }
    await this.signature(header, text);
    if (header.digest) await this.digest(header.digest, "the digest in the header");
    if (header.digest && header.digest.public_key !== header.public_key) this.find("header and digest have different keys");
    if (this.kept?.session === header.session) await this.digest(this.kept, "the digest that was kept");
  }

  async signature({ public_key: key, signature }, text) {
    const id = this.session.id;
    if (signature === null && key === null) {
      if (this.key) this.find("the header is not signed");
      return void this.gaps.push(`${id}: the header is not signed: whoever had the file may have changed it`);
    }
    const signed = utf8(`${text.slice(0, text.lastIndexOf(',"signature"'))}}`);
    const good = await isSigned(signed, signature, key);
    if (good === null) this.gaps.push(`${id}: the signature of the header: ${NO_ED25519}`);
    if (good === false) this.find("the signature of the header does not fit it");
    if (this.key && key !== this.key) this.find(`the header is signed with the key ${short(key)}, which is not the one that you have named`);
    if (good) this.proofs.push(`${id}: the header is signed with the key ${key}${this.key ? ", which you have named" : ""}`);
    if (good && !this.key) this.gaps.push(`${id}: whether this key is the arena's: compare it with the one that the arena shows, or name that with --key`);
  }

  async digest(digest, name) {
    const wrong = digestFault(digest, this.session.header);
    if (wrong) return this.find(`${name}: ${wrong}`);
    this.session.coverages.push(new Coverage(digest, name));
    if (digest.signature === null) return void this.gaps.push(`${this.session.id}: ${name} is not signed`);
    const good = await isSignedDocument(digest);
    if (good === null) this.gaps.push(`${this.session.id}: the signature of ${name}: ${NO_ED25519}`);
    if (good === false) this.find(`the signature of ${name} does not fit it`);
    if (this.key && digest.public_key !== this.key) this.find(`${name} is signed with another key than the one that you have named`);
    if (good) this.proofs.push(`${this.session.id}: ${name} is signed with the key ${digest.public_key}`);
  }

  hand(hand, text, plain) {
    this.counts.hands++;
    const { session } = this;
    checkShape(hand);
    if (!plain && !text.includes(`"steps":${JSON.stringify(hand.steps)}`)) this.find("the log is not written as the arena writes it");
    if (hand.format === HAND[1]) demand(isHex(hand.head, 32), "head is not 64 hex digits");
    else if (session?.header.format === SESSION[1]) this.find("the hand is of format 1, the header of format 2");
    for (const what of session?.placeFaults(hand) ?? []) this.find(what);
    if (hand.format === HAND[1]) session?.coverages.forEach((each) => each.note(hand.table, hand.round, hand.head));
    for (const what of session?.handFaults(hand) ?? []) this.find(what);
    const key = session?.key(hand.round);
    for (const what of handFaults(hand, key)) this.find(what);
    this.count(hand, key);
  }

  head(line) {
    this.counts.heads++;
    demand(isHex(line.head, 32), "head is not 64 hex digits");
    demand(typeof line.session === "string" && typeof line.table === "string", "session or table is no text");
    demand(isWhole(line.number) && isWhole(line.round), "number or round is no whole number");
    const { session } = this;
    if (!session) return this.find("there is no header before this line");
    for (const what of session.placeFaults(line)) this.find(what);
    if (session.table?.id === line.table) session.table.failed = null; // nobody knows who failed in it
    if (line.hand !== `${line.table}-h${String(line.number).padStart(3, "0")}`) this.find(`hand is ${short(line.hand)}, not hand ${line.number} of its table`);
    session.coverages.forEach((each) => each.note(line.table, line.round, line.head));
  }

  count(hand, key) {
    const { counts } = this;
    if (hand.format === HAND[1]) counts.chained++;
    else counts.unchained++;
    counts.steps += hand.steps.length;
    if (!this.session) counts.alone++;
    if (key && hand.steps.length) counts.recomputed++;
    if (!key && hand.steps.length) counts.secret++;
  }

  // What was proved of a session, and what was not.
  tell() {
    const { header, id, coverages, endings } = this.session;
    const gaps = (text) => this.gaps.push(`${id}: ${text}`);
    for (const coverage of coverages) {
      const untold = this.session.untold(coverage);
      if (untold) gaps(`${coverage.name} covers hands that are not in the file yet, as those of table ${untold}`);
      else this.proofs.push(`${id}: the ${plural(coverage.tree.size, "hand")} that ${coverage.name} covers, against its root`);
    }
    if (header.format === SESSION[0]) gaps("this is format 1: it has no digest and no signature");
    else if (!coverages.length) gaps("there is no digest: hands may have been left out or replaced where nothing else tells it");
    this.proofs.push(`${id}: the order of its tables and hands${header.status === "finished" && header.schedule ? ", and that none of the schedule is missing" : ""}`);
    if (header.status !== "finished") gaps(`which hands are missing: the session is ${header.status}`);
    if (endings) gaps(`${plural(endings, "table")} ended early: whether the ruleset ended them there`);
    const gave = header.bots.filter(({ chance }) => chance).length;
    const value = header.schedule?.mixed ? (header.schedule.public_chance ?? null) : null;
    if (value !== null && header.secret !== null) {
      this.proofs.push(`${id}: the public value ${JSON.stringify(value)} is mixed into all deals; compare it with ${JSON.stringify(header.document.public_chance)}`);
    }
    if (header.secret === null) gaps("the secret is not public yet: the deals were not computed from it");
    else if (!header.schedule?.mixed) gaps("the deals follow from the secret of the arena alone: this session was started by an older program");
    else if (!gave) gaps(`no bot gave chance of its own: the deals follow from the secret of the arena ${value === null ? "alone" : "and the public value"}`);
    else this.proofs.push(`${id}: the deals follow from the secret and the chance of ${plural(gave, "bot")}`);
  }

  // The closing lists.
  outcome() {
    const { hands, heads, chained, unchained, steps, recomputed, secret, alone } = this.counts;
    const checked = [];
    const open = [];
    if (hands) checked.push(`${plural(hands, "hand")}: commitments, cards from the deal to the end, and results but for points`);
    if (chained) checked.push(`${plural(chained, "hand")}: the hash chain of the log and its head (${plural(steps, "step")})`);
    if (recomputed) checked.push(`${plural(recomputed, "deal")}: deck, lots and salt follow from the secret`);
    if (unchained) open.push(`${plural(unchained, "hand")} of format 1: moves have no hash chain, so another legal game may stand in their place`);
    if (secret) open.push(`${plural(secret, "deal")}: whether they follow from the secret`);
    if (alone) open.push(`${plural(alone, "hand")} without a header: whether all are there, and from which session`);
    if (heads) open.push(`${plural(heads, "hand")} of which the file has the hash only`);
    open.push("whether moves keep to the rules, and the ruleset, points, seats, who meets whom and times: “arena verify” checks these");
    open.push("whether the commitments are those that were published before the hands");
    return { checked: [...checked, ...this.proofs], not_checked: [...this.gaps, ...open] };
  }
}

function checkHeader(header) {
  demand(typeof header.session === "string" && isObject(header.document) && Array.isArray(header.bots) && isObject(header.tables), "the header has no session, document, bots and tables");
  demand(isWhole(header.hands) && isWhole(header.document.hands_per_table), "hands or hands_per_table is no whole number");
  demand(header.secret === null || isHex(header.secret, 32), "secret is neither null nor 64 hex digits");
  for (const name of ["void", "aborted", "playing"]) demand(Array.isArray(header.tables[name]), `tables.${name} is no list`);
  for (const bot of header.bots) demand(isObject(bot) && (bot.chance === undefined || bot.chance === null || isHex(bot.chance, 32)), "a bot's chance is neither null nor 64 hex digits");
  if (header.format === SESSION[1]) {
    for (const name of ["digest", "public_key", "signature"]) demand(header[name] !== undefined, `the header has no member ${name}`);
  }
  const { schedule } = header;
  if (schedule === null) return;
  demand(isObject(schedule) && Array.isArray(schedule.roster) && Array.isArray(schedule.rounds) && schedule.rounds.every((round) => Array.isArray(round) && round.every(Array.isArray)), "schedule has no roster and rounds");
  demand((schedule.mixed ?? null) === null || (Array.isArray(schedule.mixed) && schedule.mixed.every(isWhole)), "schedule.mixed is no list of whole numbers");
  demand(isPublic(schedule.public_chance ?? null), "schedule.public_chance is neither null nor 1 to 1,000 characters without control characters");
}

// Is this no public value, or one that a session can have?
function isPublic(value) {
  return value === null || (typeof value === "string" && [...value].length <= 1000 && /^[^\p{Cc}\p{Cs}]+$/u.test(value));
}

// What is wrong with the public value: a document that announces a source of one has one, no other.
function publicFault({ document, schedule }) {
  const announced = (document.public_chance ?? null) !== null;
  const there = (schedule.public_chance ?? null) !== null;
  if (announced && !(there && schedule.mixed)) return "the document announces a source of public chance, and the schedule has no value of it";
  return there && !announced ? "the schedule has a public value, and the document announces no source of one" : "";
}

// Is everybody who had entered by then mixed into each round? Only in a ladder more come later.
function mixes({ kind, mixed, rounds, roster, house }) {
  const entered = roster.length - house;
  const playing = rounds.map((round) => Math.max(0, ...round.flat().filter((index) => index < entered).map((index) => index + 1)));
  return mixed.length === rounds.length && mixed.every((reach, round) => {
    const least = kind === "ladder" ? Math.max(playing[round], mixed[round - 1] ?? 0) : entered;
    return least <= reach && reach <= entered;
  });
}

// What is wrong with a digest before its hands are counted.
function digestFault(digest, header) {
  if (!isObject(digest) || digest.format !== DIGEST) return `format is ${short(digest?.format)}; expected ${DIGEST}`;
  if (digest.session !== header.session) return `it is of session ${short(digest.session)}`;
  if (digest.secret_commitment !== header.secret_commitment) return "it has another commitment to the secret than the header";
  if (![digest.rounds, digest.hands].every(isWhole) || !Array.isArray(digest.further)) return "it does not say which rounds and tables it covers";
  return "";
}

// The call.

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { key: { type: "string" }, digest: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    demand(values.help || positionals.length, "no file; expected a record file");
    demand(values.key === undefined || isHex(values.key.toLowerCase(), 32), `--key: ${short(values.key)}; expected 64 hex digits`);
    return { ...values, paths: positionals, key: values.key?.toLowerCase() };
  } catch (error) {
    throw new Unusable(`${error.message.split(". ")[0]} (--help tells how it is called)`);
  }
}

function keptDigest(path) {
  if (path === undefined) return undefined;
  let digest;
  try {
    digest = JSON.parse(readFileSync(path, "utf-8"));
  } catch (error) {
    throw new Unusable(`--digest: ${path} cannot be read: ${error.message}`);
  }
  demand(isObject(digest) && digest.format === DIGEST, `--digest: ${path} is no digest of a session; expected the format ${DIGEST}`);
  return digest;
}

const CLEAR = "\r\x1b[K";

function progress(counts) {
  if (process.stderr.isTTY && counts.lines % PROGRESS_LINES === 0) process.stderr.write(`${CLEAR}${counts.lines} lines`);
}

function say(text) {
  if (process.stderr.isTTY) process.stderr.write(CLEAR);
  console.log(text);
}

async function readAll(check, path) {
  try {
    for await (const line of linesOf(path)) {
      await check.line(line);
      progress(check.counts);
    }
  } catch (error) {
    if (!String(error.code).startsWith("Z_")) throw error;
    check.find(`the file cannot be unpacked any further: cut off? (${error.message})`);
  }
  check.close();
}

// Checks one file and prints what is found in it; the outcome.
async function checkFile(path, { key, kept, json }) {
  const findings = [];
  const report = (line, what) => (json ? findings.push({ line, what }) : say(`${path}:${line}: ${what}`));
  const check = new Check({ key, kept, report });
  await readAll(check, path);
  const { hands, findings: count } = check.counts;
  const outcome = { ok: !count, hands, findings, ...check.outcome() };
  if (json) return outcome;
  for (const each of outcome.checked) say(`${path}: checked: ${each}`);
  for (const each of outcome.not_checked) say(`${path}: not checked: ${each}`);
  say(`${path}: ${plural(hands, "hand")}: ${count ? plural(count, "finding") : "nothing wrong with what was checked"}`);
  return outcome;
}

function fail(error) {
  if (!(error instanceof Unusable) && error.syscall === undefined) throw error;
  console.error(`verify_record: ${error.message}`);
  process.exitCode = 2;
}

async function main() {
  const { paths, key, digest, json, help } = options();
  if (help) return void process.stdout.write(HELP);
  const kept = keptDigest(digest);
  const outcomes = {};
  for (const path of paths) {
    try {
      outcomes[path] = await checkFile(path, { key, kept, json });
      process.exitCode ||= outcomes[path].ok ? 0 : 1;
    } catch (error) {
      fail(error);
    }
  }
  if (json) say(JSON.stringify(outcomes, null, 2));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch(fail);
}
