// Live: what happens in a hand that is being played, sent on to the viewer on the same page; and on
// the page of a table, which hand is being played there.
//
// One stream of server-sent events, open while the page is to be seen. The last number that it
// named is kept, so what comes next follows without a gap or a double, however it broke off. Where
// the arena has no stream to give, the long poll of the events tells when to ask for what is new.

const WAIT_S = 25;
const AGAIN_MS = 60_000;
const PAUSE_MS = 2_000;

const root = document.querySelector("[data-stream]");
const status = document.querySelector("#live");
let known, stream, polling, done;

function anchor(path, text) {
  const made = document.createElement("a");
  made.href = path;
  made.textContent = text;
  return made;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
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

const ACTS = root === status ? OF_TABLE : OF_HAND;

function take(kind, data, id) {
  if (id && root !== status) known = Number(id.split(".").at(-1));
  ACTS[kind](JSON.parse(data));
}

function open() {
  if (done || stream || polling || document.hidden) return;
  stream = new EventSource(address());
  for (const kind of Object.keys(ACTS)) {
    stream.addEventListener(kind, ({ data, lastEventId }) => take(kind, data, lastEventId));
  }
  stream.addEventListener("error", () => {
    if (stream?.readyState !== EventSource.CLOSED) return; // else it comes back by itself
    close();
    if (root !== status) poll();
  });
}

function close() {
  stream?.close();
  stream = undefined;
}

function finish() {
  done = true;
  close();
}

// Without a stream: wait by long polls for a while, then ask for a stream again.
async function poll() {
  polling = true;
  const until = Date.now() + AGAIN_MS;
  while (!done && !document.hidden && Date.now() < until) {
    try {
      await pollOnce();
    } catch {
      await pause(PAUSE_MS);
    }
  }
  polling = false;
  open();
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
  if (root !== status) {
    known = Number(root.dataset.known);
    status.textContent = "This hand is being played; what happens appears here.";
  }
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
}
