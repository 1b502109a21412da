"""The reference of the rules, generated from the catalogue and from the engine itself.

    rules_list, rules_show, rules_data    presets, patches, options; a ruleset and its differences
    reference                             the page of all options with played examples (Markdown)
    ruleset_schema                        JSON Schema of a ruleset document
    coverage_table, coverage_text         statement → options → vectors, tests

It imports the rules, the sitting and the wire values; nothing here changes anything, and only
`coverage` reads files.
"""

from arena.reference.coverage import Covered, coverage_table, coverage_text
from arena.reference.document import reference
from arena.reference.listing import OptionSetting, rules_data, rules_list, rules_show, settings
from arena.reference.schema import ruleset_schema, ruleset_schema_text

__all__ = [
    "Covered",
    "OptionSetting",
    "coverage_table",
    "coverage_text",
    "reference",
    "rules_data",
    "rules_list",
    "rules_show",
    "ruleset_schema",
    "ruleset_schema_text",
    "settings",
]
