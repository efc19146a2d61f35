"""What each fact means, in plain words: for the file of weights, and for telling why a merge is not certain.

A fact of one place has a prefix: `beside` is lines put in next to a marker or at an end of the edit, `within`
lines put in between two shown ones. `first.X` in the certainty is fact X of the first candidate, `asked.R` a
question of the rules with reason R.
"""

from __future__ import annotations

_PLACES = {
    "matched": "shown lines inside the replaced stretch are lines of the file",
    "deletes": "file lines go",
    "deleted": "number of file lines that go",
    "deleted_unlike": "lines go that no new line resembles",
    "first_alike": "the first new line resembles the first one that goes",
    "last_alike": "the last new line resembles the last one that goes",
    "deleted_shown": "what goes is shown elsewhere in the edit",
    "renewed": "a new line is about the same thing as one that goes",
    "definitions_lost": "a definition goes that no new line defines",
    "comments_lost": "only comments or decorators go",
    "imports_lost": "an import goes that the edit does not show",
    "inserted_alike": "new lines resemble lines that go",
    "closers_lost": "only closing lines go",
    "inserts": "lines are put in",
    "unbalanced": "brackets no longer pair",
    "kept_alike": "new lines resemble lines that stay beside them",
    "kept_alike_most": "a new line much resembles one that stays beside it",
    "kept_same": "a new line is about the same thing as one that stays beside it",
    "kept_defined": "a definition of the same name stays beside the new one",
    "kept_first_alike": "the first new line resembles the nearest line that stays",
    "cut_deeper": "the replaced stretch ends inside a block",
    "cut_tight": "the replaced stretch ends in the middle of a paragraph",
    "marker_depth": "the marker is indented otherwise than what it would stand for",
    "noted": "a removal note names what goes",
    "note_idle": "a removal note names nothing that goes",
    "omitted": "lines between two shown ones go",
    "omits_attached": "the comment above a shown line goes",
    "omits_named": "a definition between two shown lines goes",
    "omits_inside": "lines between a header and its block's first shown line go",
    "near_end": "one end is a changed line",
}
_OTHERS = {
    "skip": "file lines stay though no marker stands for them",
    "skip.left": "they stay below the shown line above",
    "skip.right": "they stay above the shown line below",
    "skip.above": "they stay above new lines",
    "skip.below": "they stay below new lines",
    "skip.all": "all lines between two shown ones stay",
    "skip.lines": "number of lines that stay without a marker",
    "skip.attached": "comments or decorators stay without a marker",
    "skip.named": "a definition stays without a marker",
    "skip.bare": "the edit has no markers at all",
    "skip.imports": "imports stay without a marker",
    "skip.closers": "closing lines stay without a marker",
    "skip.note": "lines stay where a removal note stands",
    "skip.tight": "the edit shows the lines around them side by side",
    "skip.near_end": "one end of them is a changed line",
    "skip.inside": "they stay between a header and its block's first shown line",
    "hidden_empty": "a marker stands for nothing",
    "no_anchor": "nothing of the edit is found in the file",
    "implied": "lines go at an end of the edit that has no marker",
    "unlike_step": "another end of the hidden stretch than blocks suggest",
    "unplaced": "new lines stand between two markers",
    "unplaced_insert": "they are put in without replacing anything",
    "unplaced_inside": "they are put in amid what is hidden",
    "dropped": "lines of the edit are left out",
    "chain.other": "not the likeliest places for the shown lines",
    "chain.behind": "how far these places are behind the likeliest",
    "near": "shown lines are taken for changed file lines",
    "near.unlike": "how much they changed",
    "near.renamed": "they are about something else than the file's",
    "imports_spared": "imports stay because they are used",
    "kept.dots": "a line cut short by dots stays whole",
    "kept.comment": "a shortened comment stays as it is in the file",
    "kept.trailing": "a comment behind code stays though the edit drops it",
    "kept.prefix": "a line that the edit cuts short stays whole",
    "taken.dots": "a line is cut short by dots",
    "taken.comment": "a comment is shortened",
    "taken.trailing": "a comment behind code goes",
    "taken.prefix": "a line is cut short",
    "spacing": "white space of shown lines changes",
    "spacing.share": "share of shown lines whose white space changes",
    "spacing.alone": "nothing but white space changes",
    "spacing.told": "the instructions speak of formatting",
    "verbatim": "shown lines become just what the edit has",
    "verbatim.share": "share of lines that change by that",
    "verbatim.alone": "nothing else changes",
    "verbatim.wrapped": "they stand in a new block",
    "reading.in_strings": "a line inside a string is taken for a marker",
    "reading.no_notes": "a removal note is taken for a comment",
    "spacing.wrapped": "they stand in a new block",
    "sheds": "comments and decorators above a shown line go without a word",
    "block.adopted": "shown lines move into a new block",
    "block.moved_block": "shown lines move into another block",
    "block.headless": "lines stay whose header goes",
    "head.unmarked": "lines above the edit's first line stay without a marker",
    "head.few": "they are few",
    "head.bare": "lines above an edit without markers stay",
    "tail.unmarked": "lines below the edit's last line stay without a marker",
    "tail.few": "they are few",
    "tail.bare": "lines below an edit without markers stay",
    "whole": "the edit is taken for the whole file",
    "whole.kept": "share of the file that the edit shows",
    "whole.said": "the edit says that it is the whole file",
    "whole.begins": "it begins as the file does",
    "whole.ends": "it ends as the file does",
    "whole.longer": "how much longer than the file it is",
    "out.breaks": "the result does not parse where the file did",
    "out.broken": "number of places that do not parse",
    "out.mends": "the result parses where the file did not",
    "out.doubled": "lines stand twice in a row",
    "out.defined_again": "something is defined twice",
    "out.lost": "definitions are gone",
    "out.lost_used": "a definition is gone that is still used",
    "out.idle": "nothing changes",
    "out.deleted_share": "share of the file that goes",
    "out.told_to_remove": "lines go, and the instructions speak of removing",
    "out.told_to_add": "lines go, and the instructions speak of adding",
    "out.told_neither": "lines go, and the instructions speak of neither",
    "out.told_gone_but_keeps": "nothing goes, and the instructions speak of removing",
    "out.named_and_gone": "what the instructions name is gone, as they say",
    "out.named_and_lost": "what the instructions name is gone",
    "out.unimported": "a name is used whose import goes",
    "out.orphaned": "something is defined or imported and no longer used",
    "out.removed_name_stays": "what the instructions want removed stays",
    "out.edit_lines_missing": "lines of the edit are not in the result",
    "rules.guess": "the rules' own merge",
    "rules.certain": "the rules are sure of it",
    "lead": "log odds of the first candidate among all",
    "margin": "lead in score over the second candidate",
    "alone": "there is no other candidate",
    "score": "score of the first candidate",
    "candidates": "number of candidates",
    "asked.gave_up": "the rules gave up",
}
_FOUND = {
    "lost_definition": "a definition is gone without being removed",
    "lost_lines": "lines are gone that the edit does not replace",
    "size_drop": "most of the file is gone",
    "marker_left": "a marker became text",
    "parse_error": "it no longer parses",
    "missing_line": "a line of the edit is missing",
    "not_removed": "a line stays between lines that the edit shows together",
    "duplicate_definition": "old and new of the same thing stand side by side",
    "doubled_line": "a line stands more often than file and edit say",
    "unreachable": "an old line stays behind a new return",
    "indentation": "a new line is indented otherwise than its neighbours",
    "lost_import": "a name is used and no longer imported",
    "foreign_line": "a line is neither in the file nor in the edit",
}
_DOUBTS = {
    "copies": "a repeated block may be meant elsewhere",
    "misplaced": "a line stands deeper or less deep than its neighbours in the edit",
    "emptied": "a block is left with nothing in it",
    "elided_news": "a new block holds a marker",
    "closed_early": "a block is closed before its hidden end",
    "readings": "a run of lines can be read in two ways",
    "beside": "a new line stands beside its like",
    "twins": "new and kept lines say the same",
    "drops": "lines between shown ones go without a word",
}


def meaning(name: str) -> str:
    """What a fact means: ``meaning("beside.unbalanced")`` gives ``"brackets no longer pair"``."""
    if name.startswith("first."):
        return "of the first candidate: " + meaning(name.removeprefix("first."))
    place, _, rest = name.partition(".")
    if place in {"beside", "within"}:
        return _PLACES.get(rest, rest.replace("_", " "))
    if place == "found":
        return _FOUND.get(rest, rest.replace("_", " "))
    if place == "doubt":
        return _DOUBTS.get(rest, rest.replace("_", " "))
    if place == "step":
        return f"between two shown lines the rules ask: {rest.replace('_', ' ')}"
    if place == "asked" and name not in _OTHERS:
        return f"the rules ask: {rest.replace('_', ' ')}"
    return _OTHERS.get(name, name.replace("_", " "))
