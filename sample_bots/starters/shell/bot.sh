#!/bin/sh
# A bot for Daifugō Arena in a shell, with curl and jq.
#
#     sh bot.sh --url http://127.0.0.1:8000 --session spring-cup --name me
#
# What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
# Write your own strategy into `choose`; the rest keeps to the protocol.

set -u

# The number of an answer in .legal: choose < TURN. This is the place for your own ideas.
# Here: low cards, many at once; sets are not broken, jokers are kept.
choose() {
    jq '. as $turn
        | def strength: if . == "JK" then 50 else
            .[1:2] as $rank | ("3456789TJQKA2" | index($rank)) as $low
            | if $turn.order == "normal" then $low else 12 - $low end end;
        def cost: [.[] | strength] as $own
            | ([$turn.held[] | strength | select(. as $one | $own | index($one))] | length) as $all
            | ($own | add / length - length + 4 * ($all - length));
        [.legal // [] | to_entries[] | select(.value.cards // [] | length > 0)]
        | min_by(.value.cards | cost) | .key // 0'
}

url=${ARENA_URL:-http://127.0.0.1:8000} session=${ARENA_SESSION:-} name=${ARENA_NAME:-shell-starter}
code=${ARENA_CODE:-} token=${ARENA_TOKEN:-}
while [ $# -gt 1 ]; do
    case $1 in
        --url) url=$2 ;;
        --session) session=$2 ;;
        --name) name=$2 ;;
        --code) code=$2 ;;
        --token) token=$2 ;;
    esac
    shift 2
done
url=${url%/}

tell() { echo "bot: $*" >&2; }
stop() {
    tell "$*"
    exit 1
}
[ -n "$session" ] || {
    tell "usage: bot.sh --url URL --session SESSION --name NAME [--code CODE]"
    exit 2
}

folder=$(mktemp -d)
curl=
trap 'rm -rf "$folder"' EXIT
trap '[ -z "$curl" ] || kill "$curl" 2>/dev/null; exit 0' INT TERM

# One member of the last document, or nothing: got '.member'
got() { jq -r "$1 // empty" "$folder/got"; }

# One request -> $status, and the document in $folder/got: ask METHOD PATH [BODY]. The same again,
# after a while, if there is no answer or the arena asks for patience; no answer counts twice,
# however often it is sent. curl runs beside the shell, so that Ctrl-C need not wait for it; it
# reads the token from a file, since command lines are seen by others.
ask() {
    attempt=1
    while [ $attempt -lt 16 ]; do # two minutes in all
        printf 'header = "Authorization: Bearer %s"\n' "$token" >"$folder/token"
        [ -n "$token" ] || : >"$folder/token"
        curl -sS -K "$folder/token" --max-time 60 -X "$1" ${3:+-d "$3"} \
            -H "Content-Type: application/json" -D "$folder/head" -o "$folder/got" \
            -w '%{http_code}' "$url/api/v1$2" >"$folder/status" 2>"$folder/error" &
        curl=$!
        if wait $curl && jq -e . "$folder/got" >"$folder/checked" 2>"$folder/error"; then
            status=$(cat "$folder/status")
            case $status in
                401) stop "the token is refused: $(got .detail)" ;;
                429 | 500 | 502 | 503 | 504) ;;
                *) return ;;
            esac
            pause=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9.]*\).*/\1/p' "$folder/head")
            tell "$1 $2: $status $(got .detail)"
        else
            pause=
            tell "$1 $2: $(head -n 1 "$folder/error")"
        fi
        sleep "${pause:-$attempt}" &
        wait $!
        attempt=$((attempt + 1))
    done
    stop "no answer from $url"
}

# Use the token that is given or was kept; else register, and keep the new one.
kept=$(echo "$name@${url#*//}" | sed 's/[^A-Za-z0-9.-]/_/g').token
[ -n "$token" ] || [ ! -f "$kept" ] || token=$(cat "$kept")
if [ -z "$token" ]; then
    ask POST /bots "$(jq -nc --arg name "$name" --arg code "$code" \
        '{$name} + if $code == "" then {} else {$code} end')"
    [ "$status" = 201 ] || stop "not registered: $(got .detail)"
    token=$(got .token)
    (umask 077 && echo "$token" >"$kept")
fi

# Answer turns until the session is over.
ask PUT "/sessions/$session/entry"
case $status in
    200 | 201 | 409) ;; # 409: it runs already, and may have this bot
    *) stop "not entered: $(got .detail)" ;;
esac
cursor= turns='[]'
while :; do
    if [ "$turns" != '[]' ]; then
        turn=$(echo "$turns" | jq -c '.[0]')
        turns=$(echo "$turns" | jq -c '.[1:]')
        path=/turns/$(echo "$turn" | jq -r .turn)
        # The last answer waits for the next turns, which saves a request for each move.
        [ "$turns" != '[]' ] || path="$path?wait=25${cursor:+&after=$cursor}"
        ask POST "$path" "{\"choice\": $(echo "$turn" | choose)}"
        example=$(jq -c '.example // empty' "$folder/got")
        if [ -n "$example" ]; then
            tell "refused: $(got .detail)"
            ask POST "$path" "$example"
        fi
        [ "$status" = 200 ] || tell "$path: $(got .detail)" # too late, for one
        turns=$(jq -c --argjson rest "$turns" '$rest + (.next // [])' "$folder/got")
    else
        ask GET "/turns?wait=25${cursor:+&after=$cursor}"
        turns=$(jq -c '.turns // []' "$folder/got")
    fi
    cursor=$(got ".cursor // \"$cursor\"")
    if [ "$turns" = '[]' ]; then
        pause=$(jq '(.poll_after_ms // 1000) / 1000' "$folder/got")
        ask GET "/sessions/$session"
        case $(got .status) in finished | cancelled) exit 0 ;; esac
        sleep "$pause"
    fi
done
