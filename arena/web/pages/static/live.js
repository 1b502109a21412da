// Live: what happens in a hand that is being played, sent on to the viewer on the same page; and on
// the page of a table, which hand is being played there.
//
// The last number that the stream named is kept, so what comes next follows without a gap or a
// double, however it broke off. Where the arena has no stream to give, the long poll of the events
// tells when to ask for what is new of a hand, and a table is looked at now and then.

const WAIT_S = 25;
const AGAIN_MS = 60_000;
const PAUSE_MS = 2_000;

const root = document.querySelector("[data-stream]");
const status = document.querySelector("#live");

function anchor(path, text) {
  const made = document.createElement("a");
  made.href = path;
  made.textContent = text;
  return made;
}

const address = () => root.dataset.stream + (known === undefined ? "" : `&after=${known}`);
const append = (moments, over) =>
  root.dispatchEvent(new CustomEvent("moments:append", { detail: { moments, over } }));

const OF_HAND = {
  moments: ({ moments }) => append(moments, false),
  over: ({ hand, status: how }) => {
    append([], true);
    if (how === "void") status.textContent = "This hand was called void.";
    else status.replaceChildren("This hand is over: ", anchor(`/hands/${hand}`, "all cards and its record"));
  },
  next: ({ next }) => {
    finish();
    if (next) status.append(" · ", anchor(`/hands/${next}`, "the next hand"));
    else status.append(" · It was the last one at this table.");
  },
  withheld: () => {
    finish();
    status.textContent = "What happens in this hand is withheld for now.";
  },
};

const OF_TABLE = {
  hand: ({ hand, number }) => {
    const link = anchor(`/hands/${hand}`, `Hand ${number} is being played`);
    link.className = "btn";
    status.replaceChildren(link);
    if (hand !== root.dataset.hand) status.append(" · ", anchor("", "Reload the list below"));
  },
  next: ({ next }) => {
    if (next) return;
    finish();
    status.replaceChildren("The last hand is over. ", anchor("", "Reload the list below"));
  },
  withheld: () => {
    finish();
    status.textContent = "What happens at this table is withheld for now.";
  },
};

const isHand = root !== status;
const ACTS = isHand ? OF_HAND : OF_TABLE;
let done = false;
let known, stop;

function take(kind, data, id) {
  if (id && isHand) known = Number(id.split(".").at(-1));
  ACTS[kind](JSON.parse(data));
}

function finish() {
  done = true;
  stop();
}

// Without a stream: what is new is asked for, for a while.
async function poll() {
  const until = Date.now() + AGAIN_MS;
  while (!done && !document.hidden && Date.now() < until) {
    try {
      await (isHand ? pollOnce() : lookOnce());
    } catch {
      await pause(PAUSE_MS);
    }
  }
}

async function lookOnce() {
  await pause(1000 * WAIT_S);
  await catchUp();
}

async function pollOnce() {
  const response = await fetch(`${root.dataset.events}?after=${known}&wait=${WAIT_S}`);
  if (response.status === 403) return ACTS.withheld();
  if (!response.ok) return pause(1000 * (Number(response.headers.get("Retry-After")) || 2));
  const { events, over } = await response.json();
  if (events.length || over) await catchUp();
  if (over) await pause(PAUSE_MS); // until it is known what follows
}

async function catchUp() {
  const response = await fetch(`${address()}&seconds=0`);
  if (response.status === 204) return finish();
  if (!response.ok) return pause(PAUSE_MS);
  for (const block of (await response.text()).split("\n\n")) {
    const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s)));
    if (fields.event) take(fields.event, fields.data, fields.id);
  }
}

if (root) {
  if (isHand) {
    known = Number(root.dataset.known);
    status.textContent = "This hand is being played; what happens appears here.";
  }
  stop = follow(address, Object.keys(ACTS), take, poll);
}
