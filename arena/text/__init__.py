"""A turn in words and answers in words, for language models and people who type.

    describing    a turn document as text: what lies, what one holds, what may be answered
    reading       from "3", "S4 S5" or "four and five of spades" to an answer that is legal
    words         the English words that this and the viewer's sentences share

All of it works on documents alone and knows no rule: a text says nothing that its turn document
does not say. The kit brings it along, so it may import nothing but `arena.documents`.
"""
