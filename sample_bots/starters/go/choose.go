package main

import (
	"encoding/json"
	"strings"
)

// Turn has what Choose reads of a turn; `arena manual protocol` has all members.
type Turn struct {
	Turn, Order string
	Held        []string
	Legal       []Entry
}

type Entry struct{ Cards []string }

// Choose says the number of an answer in turn.Legal. This is the place for your own ideas.
// Here: low cards, many at once; sets are not broken, jokers are kept.
func Choose(turn Turn) (best int) { // 0 if something else is asked, or nothing is listed
	lowest := 1e9
	for number, entry := range turn.Legal {
		own, sum, left := "", 0, 0
		for _, card := range entry.Cards {
			own += card[1:]
			sum += strength(card, turn.Order)
		}
		for _, card := range turn.Held {
			if strings.Contains(own, card[1:]) {
				left++
			}
		}
		count := float64(len(entry.Cards))
		if cost := float64(sum)/count - count + 4*(float64(left)-count); count > 0 && cost < lowest {
			best, lowest = number, cost
		}
	}
	return best
}

func strength(card, order string) int {
	rank := strings.Index("3456789TJQKA2", card[1:])
	if card == "JK" {
		return 50
	} else if order == "reversed" { // a revolution: the 3 is high
		return 12 - rank
	}
	return rank
}

// Reply has what this bot reads of replies.
type Reply struct {
	Detail, Token string
	Turns, Next   []Turn
	Cursor        json.Number
	Status        any // of a session, or of a problem
	PollAfter     int `json:"poll_after_ms"`
}
