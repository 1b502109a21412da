// A part of scripts that follow something: a stream of server-sent events, open while the page is to
// be seen.
//
// address(): where it is, with what is known by now. take(kind, data, id): for each event of these
// kinds. without(): what goes on for about a minute where there is no stream to be had; a stream is
// asked for again when the promise that it returns is kept. Returns what ends all that.

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function follow(address, kinds, take, without) {
  let stream, ended, waiting;

  function open() {
    if (ended || waiting || stream || document.hidden) return;
    stream = new EventSource(address());
    for (const kind of kinds) {
      stream.addEventListener(kind, ({ data, lastEventId }) => take(kind, data, lastEventId));
    }
    stream.addEventListener("error", refused);
  }

  async function refused() {
    if (stream?.readyState !== EventSource.CLOSED) return; // else it comes back by itself
    close();
    waiting = true;
    await without();
    waiting = false;
    open();
  }

  function close() {
    stream?.close();
    stream = undefined;
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
  return () => {
    ended = true;
    close();
  };
}
