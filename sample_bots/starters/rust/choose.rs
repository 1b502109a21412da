// The strategy of the bot: this is the place for your own ideas.

use serde_json::Value;

// The number of an answer in `legal` of a turn.
// Here: low cards, many at once; sets are not broken, jokers are kept.
pub fn choose(turn: &Value) -> usize {
    let (mut best, mut lowest) = (0, f64::MAX); // 0: something else is asked, or nothing is listed
    let held = strengths(&turn["held"], turn);
    for (number, entry) in list(&turn["legal"]).iter().enumerate() {
        let own = strengths(&entry["cards"], turn);
        let (count, sum) = (own.len() as f64, own.iter().sum::<usize>() as f64);
        let left = held.iter().filter(|one| own.contains(one)).count() as f64 - count;
        let cost = sum / count - count + 4.0 * left;
        if !own.is_empty() && cost < lowest {
            (best, lowest) = (number, cost);
        }
    }
    best
}

fn strengths(cards: &Value, turn: &Value) -> Vec<usize> {
    let strength = |card: &Value| match text(card) {
        "JK" => 50,
        card => match "3456789TJQKA2".find(&card[1..]).unwrap_or(0) {
            rank if turn["order"] == "reversed" => 12 - rank, // a revolution: the 3 is high
            rank => rank,
        },
    };
    list(cards).iter().map(strength).collect()
}

// What is missing is an empty list, or an empty text.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |found| found)
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}
