// The list of rules follows what is typed; without script the form sends it.
const input = document.querySelector("[role=search] input"), count = document.getElementById("count");
const found = document.getElementById("found"), all = document.getElementById("all");
let latest = 0;

async function search() {
  const query = input.value.trim(), mine = (latest += 1);
  const address = query ? `/rules?q=${encodeURIComponent(query)}` : "/rules";
  if (!query && !all) return location.assign(address);
  const answer = query && (await fetch(address, { headers: { Accept: "text/html" } }).catch(() => ({})));
  if (mine !== latest || (query && !answer.ok)) return;
  const page = new DOMParser().parseFromString(query ? await answer.text() : "", "text/html");
  if (mine !== latest) return;
  found.replaceChildren(...(page.getElementById("found")?.childNodes ?? []));
  count.textContent = page.getElementById("count")?.textContent ?? "";
  if (all) all.hidden = Boolean(query);
  history.replaceState(null, "", address);
}

let timer;
input.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, 200);
});
