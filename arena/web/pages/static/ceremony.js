// Keys of the ceremony: they follow the links that are on the page.
const keys = { " ": "next", Enter: "next", ArrowRight: "next", PageDown: "next", ArrowLeft: "prev", PageUp: "prev" };
addEventListener("keydown", (event) => {
  const busy = event.altKey || event.ctrlKey || event.metaKey || event.target.closest("a, button, input, summary");
  const link = document.querySelector(`a[rel=${keys[event.key] ?? "none"}]`);
  if (link && !busy) {
    event.preventDefault();
    link.click();
  }
});
