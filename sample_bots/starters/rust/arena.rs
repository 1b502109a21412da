// The arena at an address: one connection that is kept, and opened again when it breaks.

use crate::choose::text;
use crate::stop;
use curl::easy::{Easy, List};
use serde_json::Value;
use std::{thread, time::Duration};

pub struct Arena {
    pub url: String,
    pub token: String,
    pub curl: Easy, // keeps its connection
}

impl Arena {
    // One request -> status, how long the arena asks to wait, and the document.
    fn once(&mut self, method: &str, path: &str, body: &str) -> Result<(u32, f64, Value), String> {
        let (mut reply, mut wait, mut head) = (Vec::new(), 0.0, List::new());
        let send = || -> Result<u32, curl::Error> {
            head.append("Content-Type: application/json")?;
            if !self.token.is_empty() {
                head.append(&format!("Authorization: Bearer {}", self.token))?;
            }
            self.curl.reset();
            self.curl.url(&format!("{}/api/v1{path}", self.url))?;
            if method != "GET" {
                self.curl.post_fields_copy(body.as_bytes())?;
            }
            self.curl.custom_request(method)?;
            self.curl.http_headers(head)?;
            self.curl.timeout(Duration::from_secs(60))?;
            let mut transfer = self.curl.transfer();
            transfer.header_function(|line| {
                let line = String::from_utf8_lossy(line).to_lowercase();
                if let Some(value) = line.strip_prefix("retry-after:") {
                    wait = value.trim().parse().unwrap_or(0.0);
                }
                true
            })?;
            transfer.write_function(|data| {
                reply.extend_from_slice(data);
                Ok(data.len())
            })?;
            transfer.perform()?;
            drop(transfer);
            self.curl.response_code()
        };
        let status = send().map_err(|error| error.to_string())?;
        let document = serde_json::from_slice(&reply).map_err(|error| error.to_string())?;
        Ok((status, wait, document))
    }

    // The same again, after a while, if there is no answer or the arena asks for patience; no
    // answer counts twice, however often it is sent.
    pub fn ask(&mut self, method: &str, path: &str, body: &str) -> (u32, Value) {
        for attempt in 1..23 {
            // two minutes in all
            let mut pause = attempt as f64 / 2.0;
            match self.once(method, path, body) {
                Ok((401, _, got)) => {
                    stop(&format!("the token is refused: {}", text(&got["detail"])), 1)
                }
                Ok((status @ (429 | 500 | 502 | 503 | 504), wait, got)) => {
                    pause = if wait > 0.0 { wait } else { pause };
                    eprintln!("bot: {method} {path}: {status} {}", text(&got["detail"]));
                }
                Ok((status, _, got)) => return (status, got),
                Err(trouble) => eprintln!("bot: {method} {path}: {trouble}"),
            }
            thread::sleep(Duration::from_secs_f64(pause));
        }
        stop(&format!("no answer from {}", self.url), 1)
    }
}
