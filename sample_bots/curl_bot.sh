#!/bin/sh
# curl_bot: a bot in a shell loop, with curl and nothing else.
#
#     sh sample_bots/curl_bot.sh http://127.0.0.1:8000 spring-cup my-name [enrolment code]
#
# What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE, ARENA_TOKEN.
# ARENA_OWNER is the person or team behind the bot; for one more bot of that owner ARENA_OWNER_TOKEN
# is the token of one that is there already.
#
# It answers {"choice": n}: 1 if the list of legal answers begins with a pass and goes on, else 0.
# That is the lowest single card of the first suit, or whatever comes first.
# What to change first: another choice; grep "order" or "pile" out of the turn to decide.

set -eu
api="${1:-${ARENA_URL:-}}/api/v1" session="${2:-${ARENA_SESSION:-}}" name="${3:-${ARENA_NAME:-}}"
code="${4:-${ARENA_CODE:-}}" token="${ARENA_TOKEN:-}"
owner="${ARENA_OWNER:-}" owner_token="${ARENA_OWNER_TOKEN:-}"
[ -n "$session" ] || { echo "usage: $0 URL SESSION NAME [CODE]" >&2; exit 2; }

# The first member of a name that holds a string: member NAME < JSON
member() {
    grep -o "\"$1\" *: *\"[^\"]*\"" | head -n 1 | sed 's/.*: *"//; s/"$//'
}

# One request; curl itself tries again while the arena restarts (5xx, no connection) or says 429.
ask() {
    curl -sS --retry 20 --retry-connrefused --retry-max-time 60 --max-time 60 \
        -H "Content-Type: application/json" ${token:+-H "Authorization: Bearer $token"} "$@"
}

if [ -z "$token" ]; then
    token="$owner_token"
    [ -z "$token" ] || code=""
    body="{\"name\": \"$name\"${owner:+, \"owner\": \"$owner\"}${code:+, \"code\": \"$code\"}}"
    answer=$(ask -d "$body" "$api/bots")
    token=$(echo "$answer" | member token)
    [ -n "$token" ] || { echo "not registered: $answer" >&2; exit 1; }
fi
ask -f -X PUT -o /dev/null "$api/sessions/$session/entry"

failures=0
while :; do
    if ! poll=$(ask "$api/turns?wait=25&max=1"); then
        failures=$((failures + 1))
        [ $failures -lt 5 ] || exit 1
        sleep 1
        continue
    fi
    failures=0
    turn=$(echo "$poll" | member turn)
    if [ -n "$turn" ]; then
        choice=0
        if echo "$poll" | grep -q '"legal" *: *\[ *{ *"pass" *: *true *} *,'; then choice=1; fi
        ask -o /dev/null -d "{\"choice\": $choice}" "$api/turns/$turn" || sleep 1
    else
        case $(ask "$api/sessions/$session" | member status) in
            finished | cancelled) exit 0 ;;
        esac
    fi
done
