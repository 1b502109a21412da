"""How options meet: what holds where two rules speak of one play.

One sentence each, for the reference; the engine needs nothing of this. What an option needs to do
anything stands in its declaration (`arena.rules.catalogue.Need`).
"""

from __future__ import annotations

from typing import NamedTuple


class Interaction(NamedTuple):
    """Some options and what is settled about them; rests: ids."""

    options: tuple[str, ...]
    says: str
    rests: tuple[str, ...]


def _meet(options: str, says: str, *rests: str) -> Interaction:
    return Interaction(tuple(options.split()), says, rests)


INTERACTIONS = (
    _meet(
        "hachi_giri kakumei",
        "8-8-8-8 does both: it clears, and the revolution is in force for the very next lead.",
        "AM-18",
    ),
    _meet(
        "hachi_giri jack_back",
        "A sequence with an 8 and a jack clears; a reversal for the trick does not happen then.",
        "AM-21",
        "C-6",
    ),
    _meet(
        "hachi_giri ten_discard",
        "A sequence with an 8 and a ten clears; the discard comes before the new lead.",
        "AM-21",
    ),
    _meet(
        "four_stop eight_answers",
        "On a single 8 all answers of both may be laid; whichever comes first counts.",
        "XV-four_stop",
        "XV-eight_answers",
    ),
    _meet(
        "four_stop jack_back",
        "An 8 that may be answered has not cleared: a jack in the same run reverses the trick.",
        "XV-four_stop",
    ),
    _meet(
        "four_stop pass_lockout",
        "Who has passed and is out of the trick cannot stop an 8.",
        "XV-four_stop",
    ),
    _meet(
        "three_stop pass_lockout",
        "Who is skipped and does not answer has passed, and is out of the trick.",
        "XV-three_stop",
    ),
    _meet(
        "complete_four equal_plays",
        "Equal plays of one rank on top of each other add up to what is completed.",
        "XV-complete_four",
    ),
    _meet(
        "complete_four hachi_giri four_stop",
        "An 8 that waits for answers is not completed to four 8s.",
        "XV-complete_four",
    ),
    _meet(
        "iro_shibari restrict q_toki",
        "A queen lifts a colour, whoever locked it, and no limit of ranks.",
        "XV-iro_shibari",
        "XV-parity",
    ),
    _meet(
        "iro_shibari spade_three",
        "The spade 3 answers a single joker whatever colour is locked.",
        "AM-16",
    ),
    _meet(
        "fu_ochi forbidden_finish",
        "Offenders rank below both who have fallen.",
        "XV-fu_ochi",
        "AM-48",
    ),
    _meet(
        "instant_wins first_lead_show",
        "Who shows a hand with the card that has to be led owes it no more, nor does anybody else.",
        "XV-instant_wins",
    ),
    _meet(
        "dokusen instant_wins",
        "The 2s go away first; then wins at once are looked for.",
        "XV-dokusen",
        "XV-instant_wins",
    ),
    _meet(
        "shimin_byodo kakumei_optional",
        "A revolution that is declined does not count.",
        "XV-shimin_byodo",
    ),
    _meet(
        "kakumei_optional kakumei_clears",
        "A revolution that is declined clears nothing and stays for nobody.",
        "XV-kakumei_choice",
    ),
    _meet("hachi_giri go_tobi", "A 5 in a play that clears skips nobody.", "OR-24"),
    _meet(
        "hachi_giri joker_effects",
        "A joker in the role of an 8 clears; a joker alone is never an 8.",
        "AM-19",
    ),
    _meet(
        "hachi_giri_sequences forbidden_finish",
        "`eight` forbids exactly the last plays that clear by an 8.",
        "AM-80",
    ),
    _meet(
        "jack_back kakumei",
        "Both at once cancel out: a jack under a revolution restores the order for the trick.",
        "AM-25",
        "AM-03",
    ),
    _meet(
        "jack_back forbidden_follow_jack forbidden_finish",
        "A jack reversal changes which last plays are forbidden only with forbidden_follow_jack.",
        "AM-44",
    ),
    _meet(
        "kakumei kakumei_triples kakumei_sequence emperor six_card_clears",
        "A play makes one revolution at most; each of them also reverses where kakumei is off.",
        "AM-06",
        "OR-15",
    ),
    _meet(
        "kakumei_timing kakumei",
        "With next_clear a second revolution in the trick calls the first off; a clear by an "
        "effect puts it in force for the next lead.",
        "AM-01",
        "AM-02",
    ),
    _meet(
        "kakumei sequences",
        "Under a revolution the lower sequence is the higher play; the shapes stay the same.",
        "AM-07",
    ),
    _meet(
        "kakumei forbidden_finish",
        "Forbidden high cards follow the revolution: 3s then, by the order before the play.",
        "PG-85",
        "AM-45",
    ),
    _meet("kakumei max_set", "A four is answered by a four, a set of five by five.", "AM-09"),
    _meet(
        "shibari joker_lock",
        "Real cards must all be in a full lock; under kata a joker may be the missing suit.",
        "C-9",
        "AM-13",
    ),
    _meet(
        "shibari spade_three",
        "The spade 3 answers a single joker whatever is locked; without a clear the lock stays.",
        "AM-16",
    ),
    _meet("shibari sunaarashi", "Three 3s answer whatever is locked.", "XV-sunaarashi"),
    _meet("shibari decks", "In a double deck suits are compared with their number.", "AM-41"),
    _meet(
        "shibari_after shibari",
        "A partial lock looks at all plays that count.",
        "OR-28",
    ),
    _meet("geki_shibari shibari", "Its suit lock is always full, whatever shibari is.", "OR-35"),
    _meet(
        "suu_shibari jack_back kakumei_timing",
        "The step counts in the order before the second play, the next play in the order in force.",
        "OR-56",
    ),
    _meet("suu_shibari down_number", "A number lock forbids the step down.", "OR-36"),
    _meet("down_number kakumei jack_back", "Lower means lower in the order in force.", "OR-36"),
    _meet(
        "spade_three joker_return",
        "Only a single joker is answered; two jokers are a pair.",
        "AM-22",
    ),
    _meet(
        "top_sequence_clears sequence_compare",
        "With disjoint a sequence is unbeatable where none stands wholly above it.",
        "OR-19",
    ),
    _meet(
        "sequence_min max_set",
        "With runs of two or jokers, cards may be a set and a sequence: a set unless declared.",
        "AM-36",
    ),
    _meet(
        "lead_pass forbidden_effect",
        "Under refuse a leader without any legal play passes, also with never.",
        "AM-24",
        "C-3",
    ),
    _meet(
        "lead_pass pass_lockout",
        "A pass on the empty table bars too; if all are barred, nobody is.",
        "OR-01",
    ),
    _meet(
        "out_lead pass_lockout",
        "Not passed means still in the trick with lockout, since the last play without.",
        "OR-05",
    ),
    _meet(
        "out_lead trick",
        "sole_survivor is not asked with one_lap, nor after a clear by an effect.",
        "OR-06",
    ),
    _meet(
        "trick kyu_reverse", "One lap is one turn for each player, whatever the direction.", "OR-51"
    ),
    _meet(
        "go_tobi pass_lockout",
        "A skip counts as a pass but does not bar; it hits those still in.",
        "AM-60",
        "OR-25",
    ),
    _meet(
        "kyu_reverse hachi_giri",
        "The direction turns before a clear gives the lead; with trick, not where the play clears.",
        "C-4",
    ),
    _meet("nana_watashi kyu_reverse", "Cards are given in the direction before the play.", "C-4"),
    _meet(
        "nana_watashi ten_discard q_bomber",
        "In this order, each cut to the cards left; to run out by them is a lawful finish.",
        "AM-29",
    ),
    _meet(
        "ten_discard trick", "With on_clear, plays with tens are asked about oldest first.", "OR-33"
    ),
    _meet("agari_nagashi forbidden_finish", "A forbidden last play clears as well.", "OR-34"),
    _meet("foul_clears out_lead", "The lead goes to the next to the left.", "OR-76"),
    _meet("forbidden_finish hand_end", "first_out means the first lawful finish.", "OR-32"),
    _meet(
        "forbidden_finish miyako_ochi",
        "A forbidden finish brings nobody down; offenders rank below the fallen.",
        "AM-48",
    ),
    _meet(
        "gekokujo miyako_ochi", "The rise of the last beats the fall of the first.", "XV-gekokujo"
    ),
    _meet("gekokujo forbidden_finish", "It takes the first lawful finish.", "OR-50"),
    _meet(
        "loser hand_end",
        "Who still holds cards ranks by their number, so the two values name the same loser.",
        "AM-53",
    ),
    _meet(
        "both_jokers_reversal exchange next_lead miyako_ochi gekokujo",
        "Exchange, lead, fall and rise follow the reversed titles; the seats do not.",
        "AM-57",
        "C-1",
        "OR-55",
    ),
    _meet("both_jokers_reversal jokers", "It takes all jokers of the pack.", "OR-57"),
    _meet(
        "tenpen_chii exchange", "Where hands are swapped no other exchange takes place.", "OR-42"
    ),
    _meet("seats next_dealer", "Seats change first, then the loser deals.", "AM-58"),
    _meet(
        "seats next_lead", "With rich_first the richest usually leads: next_lead winner.", "PG-100"
    ),
    _meet("exchange_order exchange", "The program ru keeps its own order.", "OR-43"),
    _meet(
        "exchange_keep_joker titles", "It is for the lowest of two poor classes.", "AM-64", "OR-58"
    ),
    _meet(
        "exchange_pick exchange_keep_joker",
        "A card that is asked for has to be given if it is held.",
        "AM-65",
    ),
    _meet(
        "exchange_ties exchange_pick",
        "The order of suits is for the highest cards, not for wishes.",
        "AM-61",
    ),
    _meet(
        "blind_cards first_lead next_lead",
        "If nobody holds the card of holder:<card>, or more than one, the lot decides among them.",
        "OR-52",
    ),
    _meet(
        "decks max_set",
        "auto is four for each pack: sets of up to eight in a double deck.",
        "AM-40",
    ),
    _meet(
        "direction kyu_reverse", "Left in all rules is the next in the direction of play.", "OR-60"
    ),
    _meet("scoring titles", "Points go by title, but for a table.", "C-8"),
    _meet("overall_winner scoring", "most_points needs points; equal points share.", "AM-78"),
)
