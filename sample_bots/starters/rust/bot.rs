// A bot for Daifugō Arena in Rust, with the crates curl and serde_json.
//
//     cargo run -- --url http://127.0.0.1:8000 --session spring-cup --name me
//
// What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
// Write your own strategy into choose.rs; the rest keeps to the protocol.

use arena::Arena;
use curl::easy::Easy;
use serde_json::{json, Value};
use std::collections::VecDeque;
use std::{env, fs, process, thread, time::Duration};

mod arena;
mod choose;
use choose::{choose, list, text};

// `--name VALUE` of the command line, or ARENA_NAME of the environment.
fn setting(name: &str, otherwise: &str) -> String {
    let mut words = env::args().skip_while(|word| *word != format!("--{name}"));
    let variable = env::var(format!("ARENA_{}", name.to_uppercase()));
    let given = variable.ok().filter(|value| !value.is_empty());
    words.nth(1).or(given).unwrap_or_else(|| otherwise.to_string())
}

fn stop(said: &str, code: i32) -> ! {
    eprintln!("bot: {said}");
    process::exit(code)
}

// Use the token that is given or was kept; else register, and keep the new one.
fn sign_in(arena: &mut Arena, name: &str) {
    let host = arena.url.split("//").last().unwrap_or("");
    let odd = |one: char| !(one.is_ascii_alphanumeric() || one == '.' || one == '-');
    let kept = format!("{name}@{host}").replace(odd, "_") + ".token";
    arena.token = setting("token", fs::read_to_string(&kept).unwrap_or_default().trim());
    if arena.token.is_empty() {
        let code = setting("code", "");
        let asked = if code.is_empty() {
            json!({ "name": name })
        } else {
            json!({ "name": name, "code": code })
        };
        let (status, got) = arena.ask("POST", "/bots", &asked.to_string());
        if status != 201 {
            stop(&format!("not registered: {}", text(&got["detail"])), 1);
        }
        arena.token = text(&got["token"]).to_string();
        if let Err(error) = fs::write(&kept, &arena.token) {
            eprintln!("bot: the token is not kept: {error}");
        }
    }
}

// Answer turns until the session is over.
fn main() {
    let url = setting("url", "http://127.0.0.1:8000").trim_end_matches('/').to_string();
    let session = setting("session", "");
    if session.is_empty() {
        stop("usage: bot --url URL --session SESSION --name NAME [--code CODE]", 2);
    }
    let mut arena = Arena { url, token: String::new(), curl: Easy::new() };
    sign_in(&mut arena, &setting("name", "rust-starter"));
    let (status, got) = arena.ask("PUT", &format!("/sessions/{session}/entry"), "");
    if status >= 400 && status != 409 {
        // 409: it runs already, and may have this bot
        stop(&format!("not entered: {}", text(&got["detail"])), 1);
    }
    let (mut turns, mut cursor) = (VecDeque::<Value>::new(), String::new());
    loop {
        let got = match turns.pop_front() {
            None => arena.ask("GET", &format!("/turns?wait=25{cursor}"), "").1,
            Some(turn) => {
                // The last answer waits for the next turns, which saves a request for each move.
                let wait =
                    if turns.is_empty() { format!("?wait=25{cursor}") } else { String::new() };
                let path = format!("/turns/{}{wait}", text(&turn["turn"]));
                let answer = json!({ "choice": choose(&turn) }).to_string();
                let (mut status, mut got) = arena.ask("POST", &path, &answer);
                if status == 400 || status == 422 {
                    // refused
                    (status, got) = arena.ask("POST", &path, r#"{"choice": 0}"#);
                }
                if status != 200 {
                    // too late, for one
                    eprintln!("bot: {}", text(&got["detail"]));
                }
                got
            }
        };
        turns.extend(list(&got["turns"]).iter().chain(list(&got["next"])).cloned());
        if got["cursor"].is_number() {
            cursor = format!("&after={}", got["cursor"]);
        }
        if turns.is_empty() {
            let (_, view) = arena.ask("GET", &format!("/sessions/{session}"), "");
            if ["finished", "cancelled"].contains(&text(&view["status"])) {
                return;
            }
            thread::sleep(Duration::from_millis(got["poll_after_ms"].as_u64().unwrap_or(1000)));
        }
    }
}
