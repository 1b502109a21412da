"""The reference of the rules, generated from the catalogue and from the engine itself.

    rules_list, rules_list_data           presets, patches and options, in words and as data
    rules_show, rules_data                a ruleset and its differences from another
    name_text, name_data                  one option with its example, or the patches of a name
    find, guesses                         presets, patches and options by name, kanji or words
    find_absent                           variants that are no options, with the reason
    rules_in_words                        the rules of a session for who plays by them
    reference                             the page of all options with played examples (Markdown)
    ruleset_schema                        JSON Schema of a ruleset document
    coverage_table, coverage_text         statements and readings: declared by options, played by
                                          vectors and tests; not_played: what nobody plays

It imports the rules, the sitting and the wire values; nothing here changes anything, and only
`coverage` reads files.
"""

from __future__ import annotations

from arena.reference.coverage import Covered, coverage_table, coverage_text, not_played
from arena.reference.document import reference
from arena.reference.in_words import rules_in_words
from arena.reference.listing import (
    OptionSetting,
    name_data,
    name_text,
    rules_data,
    rules_list,
    rules_list_data,
    rules_show,
    settings,
)
from arena.reference.schema import ruleset_schema, ruleset_schema_text
from arena.reference.searching import find, find_absent, guesses

__all__ = [
    "Covered",
    "OptionSetting",
    "coverage_table",
    "coverage_text",
    "find",
    "find_absent",
    "guesses",
    "name_data",
    "name_text",
    "not_played",
    "reference",
    "rules_data",
    "rules_in_words",
    "rules_list",
    "rules_list_data",
    "rules_show",
    "ruleset_schema",
    "ruleset_schema_text",
    "settings",
]
