"""Plain: the same protocol with nothing but `requests`, to be read before writing a bot elsewhere.

    python sample_bots/plain_requests.py --url http://127.0.0.1:8000 --session spring-cup --name me

What to change first: `choose`. Then keep the token in a file, so that a restart can go on."""

import argparse
import time

import requests


def choose(turn):
    """The weakest legal play, else a pass. Cards are texts: S3, HT (ten of hearts), JK (joker)."""
    step = 1 if turn["order"] == "normal" else -1  # revolution: the 3 is high, the 2 is low
    rank = {card: step * "3456789TJQKA2".find(card[1]) for card in turn["held"]} | {"JK": 99}
    plays = [entry for entry in turn["legal"] if entry.get("cards")]
    return min(plays, key=lambda e: [rank[c] for c in e["cards"]], default=turn["legal"][0])


def send(http, method, url, body=None):
    """One request; again while the arena restarts (no answer, 503) or says slow down (429)."""
    for attempt in range(60):
        try:
            answer = http.request(method, url, json=body, timeout=40)
            if answer.status_code not in (429, 503):
                return answer
            time.sleep(float(answer.headers.get("Retry-After", 1)))
        except requests.ConnectionError:
            time.sleep(min(5, 0.1 * 2**attempt))
    raise SystemExit("no answer")


def main():
    flags = argparse.ArgumentParser(description="A bot in plain requests.")
    for name, default in ("url", "http://127.0.0.1:8000"), ("name", "plain"), ("code", None):
        flags.add_argument(f"--{name}", default=default)
    flags.add_argument("--session", required=True)
    args = flags.parse_args()
    code = {"code": args.code} if args.code else {}
    api, http = args.url.rstrip("/") + "/api/v1", requests.Session()  # one connection for all
    registered = send(http, "POST", f"{api}/bots", {"name": args.name} | code)
    if registered.status_code != 201:
        raise SystemExit(registered.text)  # the name is taken, or a code is needed
    http.headers["Authorization"] = "Bearer " + registered.json()["token"]
    send(http, "PUT", f"{api}/sessions/{args.session}/entry").raise_for_status()
    status = "open"
    while status not in ("finished", "cancelled"):
        turns = send(http, "GET", f"{api}/turns?wait=25").json()["turns"]
        for turn in turns:
            answer = send(http, "POST", f"{api}/turns/{turn['turn']}", choose(turn))
            if answer.status_code != 200:  # refused, or too late
                print(answer.status_code, answer.json()["detail"])
        if not turns:
            status = send(http, "GET", f"{api}/sessions/{args.session}").json()["status"]


if __name__ == "__main__":
    main()
