"""The inventory: every statement of the five source documents, by id, in one sentence.

PG: the Pagat page (two copies), DX: Denexa, FO: the forum post, RU: the Russian page. A statement
is a rule, which some option, vector or test has to claim, or a text (marked with *) without a rule
in it. Ids are names, not a count: some numbers are unused.
"""

from __future__ import annotations

from typing import NamedTuple

TEXT_MARK = "*"

INVENTORY = """\
PG-00* titles, headings, credits, origin (China, 1970s; ancestor of President; many variations),
    spelling of long ō; the basic game comes first, then variants
PG-01 aim: be rid of all one's cards before the others
PG-02 cards are played singly or in combination
PG-03 two names: Daifugō (very rich man), formerly Daihinmin (very poor man)
PG-04 usually 3 to 6 players
PG-05 one standard 52-card pack
PG-06 normally one joker is added: 53 cards
PG-07 rank high→low: Joker 2 A K Q J 10 9 8 7 6 5 4 3
PG-08 the deal goes clockwise
PG-09 play goes clockwise
PG-10 any player may deal the first hand
PG-11 afterwards the loser of the hand before deals
PG-12 all cards are dealt out
PG-13 one at a time
PG-14 as equal as possible; some have one card more, which is accepted
PG-15 first hand of a session: the first player is drawn at random
PG-16 usually by janken: everyone shows rock, paper or scissors at the same moment
PG-17 all three shapes shown, or all alike: a tie, repeat
PG-18 exactly two shapes: holders of the losing one drop out (scissors>paper, rock>scissors,
    paper>rock), the rest repeat
PG-19 the only survivor starts
PG-20 the first player may play any card or valid combination
PG-21 played face up in the middle
PG-22 single card, 3 lowest, joker highest
PG-23 a single is beaten only by a higher single
PG-24 pair: two of a rank; higher beats lower; 3-3 lowest, 2-2 highest
PG-25 triplet, 3-3-3 to 2-2-2
PG-26 four of a kind, ranked like singles in the basic game (revolution only as a variation)
PG-27 sequence: three or more consecutive cards of one suit (S4-5-6; D9-10-J-Q)
PG-28 beaten only by a higher sequence of the same number of cards
PG-29 of three cards: K-A-2 highest, 3-4-5 lowest
PG-30 A-2-3 and 2-3-4 are not sequences: 2 and 3 are not adjacent
PG-31 a joker may stand for any card in a pair, triplet, four or sequence
PG-32 a combination with a joker equals the same one of real cards; 8-8 and 8-joker: neither beats
    the other; H9-10-Joker = C9-10-J
PG-33 then in turn each passes or plays a higher card/combination of the same kind
PG-34 goes round as often as needed until nobody can or will beat the last play
PG-35 all others have passed: the last player puts the played cards away face down
PG-36 and leads any card or combination
PG-37 example with four players (B keeps only the heading row): A 4-4, B pass, C 7-7, D 8-8; A, B
    pass, C K-K, D pass; A pass, B A-Joker, C, D, A pass; B clears and leads
PG-38 a pair of 2s would have been needed to beat A-Joker
PG-39 only pairs could be played; D's first turn could not be three 8s or a single 2
PG-40 B passed twice though holding A-Joker (so: no duty to play, and a pass does not lock; the
    two bullets that say so are lost in A and B but survive in F31, F32)
PG-41 one who runs out leaves; the rest go on until one holds cards
PG-42 the last card(s) of a player may be beaten as usual
PG-43 if not, the lead passes to the next player to the left who still has cards
PG-44 five or more: first = Dai Fugō, second = Fugō, last = Dai Hinmin, last but one = Hinmin
PG-45 three or four: first = Fugō, last = Hinmin, no others
PG-46 usually no scores or payments; the aim is to be rich often
PG-47 if wanted: Dai Fugō +2, Fugō +1
PG-48 from the second hand of a session: exchange after the deal, before play
PG-49 Dai Hinmin gives his two highest cards to the Dai Fugō
PG-50 Hinmin gives his highest card to the Fugō
PG-51 in return Dai Fugō gives any two, Fugō any one unwanted card
PG-52 then the loser of the hand before (Dai Hinmin, or Hinmin with 3–4) leads
PG-53 up to 8 players are possible
PG-54 in Japan still one 53-card deck; some Western groups use a double deck for more players
PG-55 kakumei: any four of a kind (9-9-9-9 or 5-5-5-Joker) causes a revolution
PG-56 ranks reverse from the next time the table is cleared
PG-57 joker stays highest single; otherwise 3 4 5 … K A 2 from high to low
PG-58 a second four of a kind is a counter-revolution, restoring the order
PG-59 5-5-5-5 led, beaten by 7-7-7-7: revolution cancelled, order unchanged
PG-60 all pass on 5-5-5-5: it takes effect; then 6-6 is beaten by 4-4 or 3-3 (highest pair), not
    by 8-8
PG-61 lasts to the end of the hand unless another four of a kind comes
PG-62 every new deal starts in the original order
PG-63 some: also a sequence of five or more
PG-64 sometimes: three 3s
PG-65 sometimes: a four-card sequence
PG-66 some: only a genuine four of a kind, not three and a joker
PG-67 rarely: no jokers
PG-68 rarely: two jokers; a pair of jokers is the highest pair
PG-69 early form (1979): two jokers, no sequences
PG-70 there, if Dai Hinmin or Hinmin is dealt both jokers, the roles turn round (Dai Fugō↔Dai
    Hinmin, Fugō↔Hinmin, and so on)
PG-71 some: no 2 in a sequence (no K-A-2)
PG-72 then an ace-headed sequence is unbeatable
PG-73 miyako-ochi: the old Dai Fugō who does not win again becomes Dai Hinmin (name explained)
PG-74 shibari: two consecutive plays in one suit → only that suit (or the joker) from then on; H3,
    C4, C8 → clubs
PG-75 until the table is cleared
PG-76 likewise a sequence beaten by one of the same suit
PG-77 pair beaten by a pair of the same two suits locks both (S5-D5, S7-D7)
PG-78 triplets: same three suits lock
PG-79 kata-shibari: one suit in common locks that suit (S3-D3, S6-C6 → a spade is needed)
PG-80 if the next is spade+club again, both are locked
PG-81 triplets: partial lock of one or two suits
PG-82 some: lock only after three consecutive plays in the suit
PG-83 some: no going out with a 2 or a set of 2s
PG-84 nor with the highest sequence (K-A-2) or a single joker
PG-85 under revolution: 3, set of 3s, top sequence such as 3-4-5, single joker
PG-86 penalty: one becomes Dai Hinmin (rarely needed)
PG-87 some: penalty only for a single joker
PG-88 some: a single joker is beaten by the spade 3 and nothing else
PG-89 the spade 3 can then be beaten by any higher card
PG-90 spade 3 first: the joker beats it
PG-91 hachi-giri: an 8 or a combination with an 8 clears at once
PG-92 the one who played it leads anything
PG-93 some also: illegal to go out with a play that includes an 8
PG-94 rare: a jack reverses the order immediately
PG-95 only until the clear; 5, 9, J; then not Q K A 2, but 7, 6, 3
PG-96 tens: may discard one further card per ten played
PG-97 face down onto the used cards
PG-98 rare: who passes is out until the clear
PG-99 some: new seats before each deal: Dai Fugō right of the Dai Hinmin, then Fugō and so on;
    Hinmin on the Dai Hinmin's left
PG-100 minority: the reverse (Dai Fugō on the Dai Hinmin's left, then in order); then the Dai Fugō
    begins
PG-101 some: loser and winner always exchange two, even with 3–4; with four, second and third
    exchange one
PG-102 some: a Dai Hinmin holding the joker need not give it
PG-103 a few: winners ask for particular cards, losers must give those instead of their highest if
    they hold them
PG-104 or: Hinmin pays Fugō 1, Dai Hinmin pays Dai Fugō 2
PG-105* pointer: Wikipedia lists further variants
DX-00* headings, comparison with President (climbing play, titles that reward and shame), site
    furniture
DX-01 three or more players, no upper limit given
DX-02 aim: first to be rid of all cards
DX-03 standard 52-card pack (advertisement for the maker's cards); no jokers
DX-04 first dealer drawn at random
DX-05 deal everything as evenly as it goes; some may have more cards
DX-06 2 A K Q J 10 … 3; suits mean nothing
DX-07 first hand: the player to the dealer's left leads
DX-08 a lead is one to four cards of one rank; others the same number, higher (three 5s → three 6s
    or more), or pass
DX-09 who passes may not play again until the round is over
DX-10 the round ends when all but one have passed; that one leads anything
DX-11 titles in order of finishing: Daifugo (grand millionaire), Millionaire, Commoner, Poor (last
    but one), Destitute (last)
DX-12 3 players: Daifugo, Commoner, Destitute; 4: no Commoner; more than 5: several Commoners
DX-13 the Destitute clears up the old deal and shuffles
DX-14 the Destitute deals the next hand
DX-15 many groups: the Destitute does errands (drinks, snacks)
DX-16 from the second hand: the Destitute passes the two highest cards to the Daifugo
DX-17 the Daifugo passes any two back (usually low)
DX-18 nobody else exchanges
DX-19 the Daifugo leads from the second hand on
DX-20 play until an agreed stop: so many deals or a time
DX-21 overall winner: the Daifugo of the final hand
FO-01 wish: the game in QuentinC's Playroom, an online playroom used by blind players
FO-02* names and meanings
FO-03 3–6 players, 52 cards + normally one joker; the rank order is announced and then missing
FO-04 clockwise deal and play, any first dealer, then the loser, one at a time, uneven is fine
FO-05 first player of a session at random
FO-06 janken procedure (the word is dropped, the procedure kept)
FO-07 any card or combination, face up
FO-08 singles 3…joker, beaten by a higher single
FO-09 pairs, 3-3 to 2-2
FO-10 triplets
FO-11 four of a kind, revolution mentioned as a variation
FO-12 sequences; example lists the 6 of spades twice (slip: S4-5-6)
FO-13 same number of cards, higher; K-A-2 and 3-4-5; no A-2-3, 2-3-4
FO-14 joker substitutes; equal rank; both examples
FO-15 pass or higher of the same kind; all pass → clear face down, lead
FO-16 the example with named players Akihiro (A), Chinatsu (B), Akihito (C), Chinami (D); of the
    table only "A and Joker" is left
FO-17 Chinatsu's play is unbeaten; twos would have been needed; only pairs
FO-23 kept here, lost in A and B: nobody has to beat a play just because he can
FO-24 kept here: passing does not stop one from playing at the next turn
FO-25 Chinatsu passed twice and then used A-Joker
FO-26 the "three 8s or a single 2" remark names Akihito, i.e. C, where Pagat has D
FO-27 run out of cards → others continue until one is left
FO-28 last cards may be beaten; unbeaten → next to the left with cards leads
FO-29 titles for 5+ and for 3–4
FO-30 no score usual; +2 / +1
FO-31 exchange 2/1 from the second hand
FO-32 the loser leads
FO-33 up to 8; single deck, or double in the West
FO-34 kakumei with counter-revolution and both examples
FO-35 also by a five-card or longer sequence
RU-00* title, origin and history, headings, date stamp
RU-01 number of decks: 1
RU-02 52 cards and one joker
RU-03 3 to 6 players inclusive
RU-04 low→high: 3 … 10 В(J) Д(Q) К(K) Т(A) 2 Джокер
RU-05 aim: first to be rid of all one's cards
RU-06 the first dealer by lot
RU-08 afterwards the deal goes round clockwise (not: the loser deals)
RU-09 one at a time until the pack is out; hand sizes differ
RU-10 the first move is drawn by lot: a coin or rock-paper-scissors
RU-11 the first player moves: any card, or several meeting a condition
RU-12 one card of any kind
RU-13 pair, triplet, four ("каре") of one value
RU-14 sequence: 3+ consecutive of one suit (S4-5-6)
RU-15 joker substitutes in pair, triplet, four, sequence
RU-16 8-8 and 8-joker are equal, and so on
RU-17 each next player clockwise may skip
RU-18 on one card: "a card of the same value"
RU-19 on several: the same kind, equal or higher; on 7-7 one may lay 7-joker, 9-9, 10-10; lower is
    not allowed
RU-20 each player clockwise makes one move
RU-21 whoever laid the highest card or combination — or his own on equal ones — puts the cards
    away and starts the next round
RU-22 until one player has no cards: he wins
RU-23 winner = "very rich man"; "very poor man" = the one with most cards left
RU-24 next hand after the deal: the very rich man gives any two unwanted cards to the very poor
    man
RU-25 and gets two of his cards in return (which ones is not said)
RU-26 then the very poor man gives his highest card to the very rich man
RU-27 who gives any one card back; then the game starts
RU-28 revolution: a four (7-7-7-7 or 5-5-5-joker) turns the order round after being laid: 2 … 3
    (joker not mentioned)
RU-29 also by other combinations, e.g. sequences (no length)
RU-33 eight players: usually two decks; one deck also works but the game is short and dull
RU-35 a second joker; two jokers are the highest pair
RU-36 no 2s in sequences
RU-37 miyako-ochi: the very rich man who does not win the next game becomes very poor in it
RU-38 shibari: on a pair only a pair with one card of a suit of the previous pair (S3-D3 → S6-C6)
RU-39 no 2 or set of 2s as the last card(s)
RU-43 spade 3 may cover a single joker; it "can then cover any higher card" (garbled); spade 3
    first → the joker covers it
RU-44 8s go to the discards at once, the player leads any card or combination
RU-45 a jack reverses the order "as in the game with revolution" (no end named)
RU-46 tens: when the cards are cleared the player may put any card of his in for the ten(s) and
    send it away with the rest
RU-47 sometimes after the game the very rich and the very poor man change seats
"""


class Statement(NamedTuple):
    """One statement; rule: False for a text that says nothing about play."""

    id: str
    says: str
    rule: bool


def _read(inventory: str) -> dict[str, Statement]:
    """The statements by id; an indented line goes on with the one before."""
    statements: dict[str, Statement] = {}
    for line in inventory.replace("\n    ", " ").splitlines():
        name, _, says = line.partition(" ")
        plain = name.removesuffix(TEXT_MARK)
        statements[plain] = Statement(plain, says, name == plain)
    return statements


STATEMENTS = _read(INVENTORY)
