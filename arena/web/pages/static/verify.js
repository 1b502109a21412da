// "Verify this hand": the deal is checked in this browser, with nothing but SHA-256, by the lines
// that stand in the manual under `fairness`. What is checked, and what is not, is said in words.

const RANKS = "3456789TJQKA2";
const SUITS = "SHDC";
const THROWS = 64;
const LABELS = ["dealer", "leader", "start", "idle"];
const bytes = (text) => new TextEncoder().encode(text);
const hex = (data) => [...data].map((each) => each.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (each) => parseInt(each, 16));
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const good = (text) => ({ good: true, text });
const bad = (text) => ({ good: false, text });
const unknown = (text) => ({ good: null, text });

async function sha256(...parts) {
  const data = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}

function number(value, size) {
  const data = new DataView(new ArrayBuffer(size));
  data.setUint32(size - 4, value);
  return new Uint8Array(data.buffer);
}

// A stream of random numbers, as `arena/session/deals.py` describes it.
async function stream(secret, name, hand, label) {
  const id = bytes(name);
  const domain = bytes("daifugo-arena/1");
  const key = await sha256(domain, secret, number(id.length, 4), id, number(hand, 4), bytes(label));
  let block = 0;
  let left = [];
  const next = async () => {
    if (!left.length) {
      const data = new DataView((await sha256(key, number(block++, 8))).buffer);
      left = [0, 4, 8, 12, 16, 20, 24, 28].map((at) => data.getUint32(at));
    }
    return left.shift();
  };
  const below = async (bound) => {
    const limit = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = await next();
      if (word < limit) return word % bound;
    }
  };
  const shuffled = async (items) => {
    const list = [...items];
    for (let i = list.length - 1; i > 0; i--) {
      const j = await below(i + 1);
      [list[i], list[j]] = [list[j], list[i]];
    }
    return list;
  };
  return { below, shuffled, first: async () => sha256(key, number(0, 8)) };
}

// The deck in its order before the shuffle: what is in it, one pack after the other.
function unshuffled(deck) {
  const ordered = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => suit + rank));
  const natural = ordered.filter((name) => deck.includes(name));
  const jokers = deck.filter((name) => name === "JK");
  const twice = natural.length * 2 + jokers.length === deck.length;
  return [...natural, ...jokers, ...(twice ? natural : [])];
}

async function drawn(secret, { shuffles, number: hand, deck, seating }) {
  const seats = seating.map((_, seat) => seat);
  const open = (label) => stream(secret, shuffles, hand, label);
  const lots = {};
  for (const label of LABELS) lots[label] = await (await open(label)).shuffled(seats);
  const throws = await open("throws");
  lots.throws = [];
  for (let round = 0; round < THROWS; round++) {
    const shapes = [];
    for (const _ of seats) shapes.push(await throws.below(3));
    lots.throws.push(shapes);
  }
  const salt = (await (await open("salt")).first()).slice(0, 16);
  return { deck: await (await open("deck")).shuffled(unshuffled(deck)), lots, salt: hex(salt) };
}

async function checkCommitment({ deck, lots, salt, commitment }, published) {
  const { dealer, leader, start, idle, throws } = lots;
  const text = JSON.stringify({ deck, lots: { dealer, leader, start, idle, throws } });
  const digest = hex(await sha256(unhex(salt), bytes(text)));
  if (digest !== commitment || digest !== published) {
    return bad(`The deck, the lots and the salt of the record have the SHA-256 ${digest}, but the commitment is ${published}.`);
  }
  return good(`The deck, the lots and the salt of the record have the SHA-256 that was published before the first move: ${digest}.`);
}

function checkDeal({ deck, steps }) {
  const { hands, blind } = steps[0].events[0];
  const dealt = [...hands.flat(), ...blind].sort();
  if (!same(dealt, [...deck].sort())) return bad("The cards that were dealt are not those of the deck.");
  return good(`Each of the ${deck.length} cards of the deck was dealt, or left out, exactly once.`);
}

async function checkSecret(record, session) {
  if (session.secret === null) {
    return [unknown("The secret of the session is not public yet: once it is, this page also checks that the deck follows from it.")];
  }
  const secret = unhex(session.secret);
  if (hex(await sha256(secret)) !== session.secret_commitment) {
    return [bad("The secret of the session is not the one that it committed to when it was created.")];
  }
  const { deck, lots, salt } = await drawn(secret, record);
  if (!same(deck, record.deck) || salt !== record.salt || LABELS.concat("throws").some((each) => !same(lots[each], record.lots[each]))) {
    return [bad("The deck, the lots or the salt do not follow from the secret of the session.")];
  }
  return [good("The deck, the lots and the salt follow from the secret of the session, which it committed to when it was created.")];
}

async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return response.json();
}

// What was checked, a line each: {good, text}, good being null for what could not be checked.
// record, session: the addresses of the two documents; published: the commitment on the page.
export async function verifyHand(record, session, published) {
  if (!globalThis.crypto?.subtle) {
    return [unknown("This browser computes no SHA-256 here: it does so only on pages that come by HTTPS, or from this machine. Nothing was checked.")];
  }
  try {
    const [hand, event] = await Promise.all([get(record), get(session)]);
    const lines = [await checkCommitment(hand, published), checkDeal(hand), ...(await checkSecret(hand, event))];
    lines.push(unknown("Not checked here: that each move keeps to the rules, and that each seat got its cards in the order of the deck. “arena verify” checks both, offline."));
    return lines;
  } catch (error) {
    return [bad(`The record cannot be checked: ${error.message}.`)];
  }
}
