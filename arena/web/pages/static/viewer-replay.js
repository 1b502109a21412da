// A part of the viewer, see `viewer.js`: the moments of a hand, and how one goes through them.

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

async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    shout(`The ${what} is copied.`);
  } catch {
    prompt(`The ${what}:`, text);
  }
}

const copyLink = () => copyText(new URL(shared(), location.href).href, "link to this moment");

async function copyPosition() {
  const response = await fetch(root.dataset.position + here().at);
  if (response.ok) copyText((await response.text()).trim(), "position");
  else shout("The position could not be loaded.");
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
