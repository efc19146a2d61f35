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
    "kept_alike_over": "a new line resembles one that stays more than that one's neighbours do",
    "kept_head": "a new line begins as one that stays beside it and no other line does",
    "gone_head": "a new line begins as one that goes and no other line does",
    "kept_first_alike": "the first new line resembles the nearest line that stays",
    "cut_deeper": "the replaced stretch ends inside a block",
    "cut_tight": "the replaced stretch ends in the middle of a paragraph",
    "marker_depth": "the marker is indented otherwise than what it would stand for",
    "comment_only": "nothing but a new comment is put in",
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
    "moved": "lines that are put in at another place go from their old one",
    "moved.lines": "number of lines that do",
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
    "reading.loose": "a comment is taken for a marker or a removal note that need not be one",
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
    "out.unsaid": "nobody said what the edit is for",
    "out.told_to_remove": "lines go, and the instructions speak of removing",
    "out.told_to_add": "lines go, and the instructions speak of adding",
    "out.told_neither": "lines go, and the instructions speak of neither",
    "out.told_gone_but_keeps": "nothing goes, and the instructions speak of removing",
    "out.named_and_gone": "what the instructions name is gone, as they say",
    "out.named_and_lost": "what the instructions name is gone",
    "out.unimported": "a name is used whose import goes",
    "out.orphaned": "something is defined or imported and no longer used",
    "out.removed_name_stays": "what the instructions want removed stays",
    "out.unused_import": "an import stays whose last use goes",
    "out.told_definition_stays": "a definition stays that the instructions say is removed",
    "out.only_adds_loses": "lines go, and the instructions speak of nothing but adding",
    "out.dots_left": "a new line has dots that stand for a part of it",
    "out.edit_lines_missing": "lines of the edit are not in the result",
    "told.less": "words of the instructions stand in fewer lines than before",
    "told.less_removal": "what the instructions speak of removing or replacing stands in fewer lines",
    "told.more": "words of the instructions stand in more lines than before",
    "told.skipped": "lines that stay without a marker have words of the instructions",
    "told.skipped_removal": "lines that stay without a marker have what the instructions speak of removing",
    "told.omitted": "lines that go without a word have words of the instructions",
    "told.omitted_removal": "lines that go without a word have what the instructions speak of removing",
    "told.omitted_unsaid": "lines go of which neither edit nor instructions speak",
    "told.stays": "what the instructions speak of removing or replacing stands as often as before",
    "seam.count": "lines become neighbours that were none in file or edit",
    "seam.deeper": "a line stands deeper than one above it that opens nothing",
    "seam.not_deeper": "an opening bracket is followed by nothing deeper",
    "seam.unreachable": "a line follows a return at the same depth",
    "seam.cut_chain": "a chained call follows the end of a statement",
    "seam.no_comma": "an entry of a list lacks its comma",
    "seam.comma": "a list ends with a comma as no other one does",
    "names.orphaned": "something is defined or imported, and its last use goes",
    "names.alone": "a name stands once that stood more often",
    "names.needed": "a name is used whose definition goes",
    "out.tells_of_removal": "a new comment says that something was removed",
    "names.twice": "a new line gives a value to a name, and so does an old one beside it",
    "names.missing": "a new line uses a name whose definition goes",
    "rules.guess": "the rules' own merge",
    "rules.certain": "the rules are sure of it",
    "lead": "log odds of the first candidate among all",
    "margin": "lead in score over the second candidate",
    "suspicious": "number of facts of the first candidate that are rare and speak against it",
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

_FOR = {"named_and_gone", "told_to_remove", "mends", "guess", "certain", "told"}
_AGAINST = {
    "breaks", "broken", "defined_again", "dots_left", "doubled", "edit_lines_missing", "lost_used",
    "named_and_lost", "only_adds_loses", "orphaned", "removed_name_stays", "tells_of_removal",
    "told_definition_stays", "told_gone_but_keeps", "told_to_add", "unimported", "unused_import",
}  # fmt: skip


def can_speak(name: str, worth: float) -> bool:
    """Whether what a fact means to a reader can be a reason for (`worth` above 0) or against a merge.

    Weights are fitted together, so that one may have the other sign where facts go along with each other.
    """
    place, _, rest = name.partition(".")
    if rest in _FOR and place in {"out", "rules", "spacing"}:
        return worth > 0
    doubts = place in {"found", "seam", "names"} or (place == "out" and rest in _AGAINST)
    return not doubts or worth < 0


def meaning(name: str) -> str:
    """What a fact means: ``meaning("beside.unbalanced")`` gives ``"brackets no longer pair"``."""
    if name.startswith("first."):
        return "of the first candidate: " + meaning(name.removeprefix("first."))
    place, _, rest = name.partition(".")
    if place in {"beside", "within"}:
        return _PLACES.get(rest, rest.replace("_", " "))
    if place == "found":
        return _FOUND.get(rest, rest.replace("_", " "))
    if place == "step":
        return f"between two shown lines the rules ask: {rest.replace('_', ' ')}"
    if place == "asked" and name not in _OTHERS:
        return f"the rules ask: {rest.replace('_', ' ')}"
    return _OTHERS.get(name, name.replace("_", " "))
