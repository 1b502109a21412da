"""Plain: the same protocol with nothing but `requests`, to be read before writing a bot elsewhere.

    python sample_bots/plain_requests.py --url http://127.0.0.1:8000 --session spring-cup --name me

What to change first: `choose`. Then keep the token in a file, so that a restart can go on."""

import argparse
import os
import time

import requests


def choose(turn):
    """The weakest legal play, else a pass. Cards are texts: S3, HT (ten of hearts), JK (joker)."""
    step = 1 if turn["order"] == "normal" else -1  # revolution: the 3 is high, the 2 is low
    rank = {card: step * "3456789TJQKA2".find(card[1]) for card in turn["held"]} | {"JK": 99}
    plays = [entry for entry in turn["legal"] if entry.get("cards")]
    return min(plays, key=lambda e: [rank[c] for c in e["cards"]], default=turn["legal"][0])


def send(http, method, url, body=None):
    """One request; again while the arena restarts (no answer, 5xx) or says slow down (429)."""
    for attempt in range(60):
        try:
            answer = http.request(method, url, json=body, timeout=40)
            if answer.status_code not in (429, 500, 502, 503, 504):
                return answer
            time.sleep(float(answer.headers.get("Retry-After", 1)))
        except requests.ConnectionError:
            time.sleep(min(5, 0.1 * 2**attempt))
    raise SystemExit("no answer")


def main():
    flags = argparse.ArgumentParser(description="A bot in plain requests.")
    for name in ("url", "session", "name", "owner", "owner-token", "code", "token"):
        known = os.environ.get(f"ARENA_{name.replace('-', '_').upper()}")
        flags.add_argument(f"--{name}", default=known)
    args = flags.parse_args()
    api, http = f"{args.url or 'http://127.0.0.1:8000'}/api/v1", requests.Session()
    if not args.token:
        if args.owner_token:  # of another bot of this owner: one more of the same
            http.headers["Authorization"] = f"Bearer {args.owner_token}"
        wanted = {"name": args.name or "plain", "owner": args.owner, "code": args.code}
        answer = send(http, "POST", f"{api}/bots", {k: v for k, v in wanted.items() if v})
        args.token = answer.json().get("token") or exit(answer.text)  # name taken, code needed
    http.headers["Authorization"] = f"Bearer {args.token}"
    session, status = f"{api}/sessions/{args.session}", "open"
    send(http, "PUT", f"{session}/entry").raise_for_status()
    while status not in ("finished", "cancelled"):
        turns = send(http, "GET", f"{api}/turns?wait=25").json()["turns"]
        for turn in turns:
            answer = send(http, "POST", f"{api}/turns/{turn['turn']}", choose(turn))
            if answer.status_code != 200:  # refused, or too late
                print(answer.status_code, answer.json()["detail"])
        if not turns:
            status = send(http, "GET", session).json()["status"]


if __name__ == "__main__":
    main()
