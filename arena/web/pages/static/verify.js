// "Verify this hand": what anybody can check of it is checked in this browser, by the lines that
// stand in the manual under `fairness` and `records`. What was checked, and what not, is said in
// words. The functions are those of the program `verify_record.mjs`; `proofs` is where they are.

const good = (text) => ({ good: true, text });
const bad = (text) => ({ good: false, text });
const unknown = (text) => ({ good: null, text });

function checkCommitment(of, hand, published) {
  const digest = of.commitmentOf(hand);
  if (digest !== hand.commitment || digest !== published) {
    return bad(`The deck, the lots and the salt of the record have the SHA-256 ${digest}, but the commitment is ${published}.`);
  }
  return good(`The deck, the lots and the salt of the record have the SHA-256 that was published before the first move: ${digest}.`);
}

function checkDeal(of, { deck, steps }) {
  const { hands, blind } = steps[0].events[0];
  if (!of.same([...hands.flat(), ...blind].sort(), [...deck].sort())) return bad("The cards that were dealt are not those of the deck.");
  return good(`Each of the ${deck.length} cards of the deck was dealt, or left out, exactly once.`);
}

function checkLog(of, hand) {
  if (!hand.head) return unknown("The log has no hashes: an older program wrote this record. That no move was changed afterwards cannot be shown.");
  const fault = of.chainFault(hand);
  if (fault) return bad(`The log is not the one that its hashes are of: ${fault}.`);
  return good(`Each of the ${hand.steps.length} steps of the log has the hash that follows from it and from all before it. The last one is the head of the hand: ${hand.head}.`);
}

// The deal from the secret and what the bots gave to chance, which the header of the record file has.
async function checkSecret(of, hand, address) {
  const session = await get(address);
  if (session.secret === null) {
    return unknown("The secret of the session is not public yet: once it is, this page also checks that the deck follows from it.");
  }
  if (of.hex(of.sha256(of.unhex(session.secret))) !== session.secret_commitment) {
    return bad("The secret of the session is not the one that it committed to when it was created.");
  }
  let header;
  try {
    header = await firstLine(`${address}/records`);
  } catch (error) {
    return unknown(`The deal was not computed from the secret: ${error.message}, and there it says what the bots gave to chance.`);
  }
  const gave = header.bots.filter(({ chance }) => chance).length;
  const { deck, lots, salt } = hand;
  if (!of.same(of.drawn(of.keyOf({ ...header, secret: session.secret }, hand.round), hand), { deck, lots, salt })) {
    return bad("The deck, the lots or the salt do not follow from the secret of the session and what its bots gave to chance.");
  }
  const chance = gave ? ` and from what ${gave} of its ${header.bots.length} bots gave to chance` : "; no bot gave anything to chance";
  return good(`The deck, the lots and the salt follow from the secret of the session, which it committed to when it was created${chance}.`);
}

// Is the hand among those that the arena has signed for?
async function checkDigest(of, hand, address) {
  if (!hand.head) return [];
  const response = await fetch(address);
  if (!response.ok) return [unknown("No digest of the session covers this hand yet: once its table is closed, this page also checks that.")];
  const { head, index, size, proof, digest } = await response.json();
  const root = of.provenRoot(of.unhex(head), index, size, proof.map(of.unhex));
  if (head !== hand.head || digest.session !== hand.session || size !== digest.hands || !root || of.hex(root) !== digest.root) {
    return [bad("The head of the hand is not among those that the digest of the session covers.")];
  }
  const covered = good(`The head is number ${index + 1} of the ${size} hands that the digest of the session covers, which has the root ${digest.root}.`);
  return [covered, await checkSignature(of, digest)];
}

async function checkSignature(of, digest) {
  if (digest.signature === null) return unknown("The digest is not signed: this arena has no key. Whoever kept the digest of that time can still compare it.");
  const signed = await of.isSignedDocument(digest);
  if (signed === null) return unknown("The signature of the digest was not checked here: this browser knows no Ed25519 on this page.");
  if (!signed) return bad("The signature of the digest does not fit it.");
  return good(`The digest is signed with the key ${digest.public_key}. That it is the arena's own is for you to compare with what you know from elsewhere.`);
}

async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return response.json();
}

// The first line of a file of JSON lines; the rest is not fetched.
async function firstLine(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    text += value ?? "";
    if (!done && !text.includes("\n")) continue;
    reader.cancel();
    return JSON.parse(text.split("\n")[0]);
  }
}

// What was checked, a line each: {good, text}, good being null for what could not be checked.
// record, session, proof: the addresses of the documents; commitment: that of the page.
export async function verifyHand({ proofs, record, session, proof, commitment }) {
  try {
    const [of, hand] = await Promise.all([import(proofs), get(record)]);
    const lines = [checkCommitment(of, hand, commitment), checkDeal(of, hand), checkLog(of, hand)];
    lines.push(await checkSecret(of, hand, session), ...(await checkDigest(of, hand, proof)));
    lines.push(unknown("Not checked here: that each move keeps to the rules, and that each seat got its cards in the order of the deck. “arena verify” checks both, offline."));
    return lines;
  } catch (error) {
    return [bad(`The record cannot be checked: ${error.message}.`)];
  }
}
