// A bot for Daifugō Arena in Go, with the standard library alone.
//
//	go build && ./bot --url http://127.0.0.1:8000 --session spring-cup --name me
//
// What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
// Write your own strategy into choose.go; this file keeps to the protocol.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

var (
	url     = setting("url", "http://127.0.0.1:8000")
	session = setting("session", "")
	name    = setting("name", "go-starter")
	code    = setting("code", "")
	token   = setting("token", "")
)

// A flag --name VALUE; without it ARENA_NAME of the environment.
func setting(name, otherwise string) *string {
	if value := os.Getenv("ARENA_" + strings.ToUpper(name)); value != "" {
		otherwise = value
	}
	return flag.String(name, otherwise, "else ARENA_"+strings.ToUpper(name))
}

func tell(format string, values ...any) { fmt.Fprintf(os.Stderr, "bot: "+format+"\n", values...) }

func stop(code int, format string, values ...any) {
	tell(format, values...)
	os.Exit(code)
}

// One request -> status and document. The same again, after a while, if there is no answer or the
// arena asks for patience; no answer counts twice, however often it is sent.
func ask(method, path, body string) (int, Reply) {
	for attempt := 1; attempt < 23; attempt++ { // two minutes in all
		pause := float64(attempt) / 2
		request, err := http.NewRequest(method, *url+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			stop(2, "%v", err)
		}
		request.Header.Set("Content-Type", "application/json")
		if *token != "" {
			request.Header.Set("Authorization", "Bearer "+*token)
		}
		reply, err := http.DefaultClient.Do(request)
		if err == nil {
			var got Reply
			err = json.NewDecoder(reply.Body).Decode(&got)
			reply.Body.Close()
			code := reply.StatusCode
			if err == nil && code == 401 {
				stop(1, "the token is refused: %s", got.Detail)
			} else if err == nil && code != 429 && code != 500 && (code < 502 || code > 504) {
				return code, got
			}
			fmt.Sscanf(reply.Header.Get("Retry-After"), "%f", &pause)
			err = fmt.Errorf("%d %s", code, got.Detail)
		}
		tell("%s %s: %v; again in %v s", method, path, err, pause)
		time.Sleep(time.Duration(pause * float64(time.Second)))
	}
	stop(1, "no answer from %s", *url)
	panic("never")
}

// Use the token that is given or was kept; else register, and keep the new one.
func signIn() {
	odd := regexp.MustCompile("[^A-Za-z0-9.-]")
	host := (*url)[strings.Index(*url, "//")+2:]
	kept := odd.ReplaceAllString(*name+"@"+host, "_") + ".token"
	if text, err := os.ReadFile(kept); err == nil && *token == "" {
		*token = strings.TrimSpace(string(text))
	}
	if *token != "" {
		return
	}
	asked := map[string]string{"name": *name, "code": *code}
	if *code == "" {
		delete(asked, "code")
	}
	text, _ := json.Marshal(asked)
	status, got := ask("POST", "/bots", string(text))
	if status != 201 {
		stop(1, "not registered: %s", got.Detail)
	}
	*token = got.Token
	if err := os.WriteFile(kept, []byte(*token), 0o600); err != nil {
		tell("the token is not kept: %v", err)
	}
}

// Answer turns until the session is over.
func play() {
	// 409: it runs already, and may have this bot.
	if status, got := ask("PUT", "/sessions/"+*session+"/entry", ""); status >= 400 && status != 409 {
		stop(1, "not entered: %s", got.Detail)
	}
	turns, cursor := []Turn{}, ""
	for {
		var got Reply
		if len(turns) == 0 {
			_, got = ask("GET", "/turns?wait=25"+cursor, "")
			turns = got.Turns
		} else {
			turn, path := turns[0], "/turns/"+turns[0].Turn
			if turns = turns[1:]; len(turns) == 0 {
				path += "?wait=25" + cursor // the last answer waits, which saves a request
			}
			status, reply := ask("POST", path, fmt.Sprintf(`{"choice": %d}`, Choose(turn)))
			if status == 400 || status == 422 { // refused
				status, reply = ask("POST", path, `{"choice": 0}`)
			}
			if got = reply; status != 200 {
				tell("%s: %s", turn.Turn, got.Detail) // too late, for one
			}
			turns = append(turns, got.Next...)
		}
		if got.Cursor != "" {
			cursor = "&after=" + string(got.Cursor)
		}
		if len(turns) == 0 {
			_, view := ask("GET", "/sessions/"+*session, "")
			if view.Status == "finished" || view.Status == "cancelled" {
				return
			}
			time.Sleep(time.Duration(got.PollAfter) * time.Millisecond)
		}
	}
}

func main() {
	flag.Parse()
	if *url = strings.TrimRight(*url, "/"); *session == "" {
		stop(2, "usage: bot --url URL --session SESSION --name NAME [--code CODE]")
	}
	http.DefaultClient.Timeout = time.Minute
	signIn()
	play()
}
