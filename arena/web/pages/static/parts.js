// The parts of a page that change while it is read: what the server draws of them anew is put into
// their place.
//
// Elements with `data-part` are parts. Only what differs is changed, so what is open stays open, and
// the focus stays on its link: as long as that is not part of what is new, or the pointer is on a
// link or pressed, the part waits. One of the parts is a status, which a screen reader says aloud.
// Where the arena has no stream to give, the page is asked for again now and then.

const AGAIN_MS = 30_000;
const AT_HAND = ":active, a:hover, summary:hover";
const status = document.querySelector("[data-stream]");
const waiting = new Map();
let known = status?.dataset.version;

// One node is made like another.
function change(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName) old.replaceWith(fresh);
  else if (old.nodeType !== Node.ELEMENT_NODE) old.data = fresh.data;
  else {
    changeAttributes(old, fresh);
    changeChildren(old, fresh);
  }
}

function changeAttributes(old, fresh) {
  for (const name of old.getAttributeNames()) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
}

function changeChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
  const there = [...old.childNodes];
  wanted.forEach((node, index) => (there[index] ? change(there[index], node) : old.append(node)));
}

const linkTo = (href) => `a[href="${CSS.escape(href)}"]`;

// The parts that wait are drawn, but those that somebody is about to use.
function draw() {
  for (const [name, fresh] of waiting) {
    const part = document.querySelector(`[data-part="${name}"]`);
    const focus = part.contains(document.activeElement) && document.activeElement.getAttribute("href");
    if (part.querySelector(AT_HAND) || (focus && !fresh.querySelector(linkTo(focus)))) continue;
    waiting.delete(name);
    changeChildren(part, fresh);
    if (focus && document.activeElement.getAttribute("href") !== focus) {
      part.querySelector(linkTo(focus)).focus({ preventScroll: true });
    }
  }
}

function add(part, html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  waiting.set(part, fresh.content);
  draw();
}

function take(kind, data, id) {
  if (id) known = id.split(".").at(-1);
  const { part, html } = JSON.parse(data);
  add(part, html);
}

async function askAgain() {
  await pause(AGAIN_MS);
  if (document.hidden) return;
  const response = await fetch(location.href, { cache: "no-cache" }).catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of page.querySelectorAll("[data-part]")) add(part.dataset.part, part.innerHTML);
}

if (status) {
  for (const kind of ["pointerout", "pointerup", "focusout"]) {
    document.addEventListener(kind, () => setTimeout(draw));
  }
  follow(() => `${status.dataset.stream}&after=${known}`, ["part"], take, askAgain);
}
