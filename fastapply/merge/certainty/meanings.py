"""What each feature means, in plain words: for the file of weights, and for why a merge is not certain.

A feature of one place has a prefix: `beside` is lines put in next to a marker or at an end of the edit,
`within` lines put in between two shown ones. `first.X` in the certainty is feature X of the first candidate,
`asked.R` a question of the rules with reason R.
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
    "kept_covered": "a new line begins with all of a line that stays beside it",
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
    "closed.stays": "lines stay that the line above them no longer opens",
    "closed.goes": "lines go that the line above them no longer opens",
    "behind": "how far it is behind another one by its places alone",
    "habit.skips": "lines stay without a marker, and others have one",
    "habit.omits": "lines go without a word, and those that stay have a marker",
    "habit.mixed": "between lines shown side by side some lines stay and others go",
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
    "repeated.joined": "new lines are taken for the same ones of the file beside them",
    "repeated.apart": "a shown line is taken for one more like the file's beside it",
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
    "out.lost_unsaid": "definitions are gone of which the instructions do not speak",
    "out.lost_said": "definitions are gone, and the instructions speak of all of them",
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
    "fits.file_start": "the file's first line changes",
    "fits.file_end": "the file's last line changes",
    "fits.depth": "new lines are indented otherwise than those that they replace",
    "fits.last_kind": "the last new line is of another kind than the last one that it replaces",
    "fits.paragraphs": "what is replaced has blank lines inside",
    "fits.at_blank": "lines are put in beside a blank line",
    "fits.above_deeper": "lines are put in above deeper ones",
    "fits.puts_in_defined": "what is put in begins with a definition or a test",
    "fits.goes_defined": "definitions or tests go, and nothing comes",
    "fits.mixed": "a new line stands beside a line of a sort that it replaces elsewhere",
    "fits.alike": "several lines of one sort are replaced alike",
    "fits.some_equal_go": "of equal lines some go and others stay",
    "fits.comes_twice": "a line comes that stood once and is still there",
    "fits.comes_again": "a line comes that is still there",
    "terms.overlap": "new lines lack rare words of the lines that they replace",
    "terms.overlap_new": "new lines have rare words that the lines which they replace lack",
    "terms.deleted_unsaid": "lines go without others that have no word of which anybody spoke",
    "terms.unsaid": "removes names the edit never mentions",
    "terms.unsaid_hidden": "removes hidden lines with names the edit never mentions",
    "terms.said_more": "words that were said stand more often than before",
    "terms.said_gone": "names that were said stand nowhere any more",
    "terms.marked": "hidden lines go with words that a marker says stay",
    "terms.hidden": "hidden lines go",
    "terms.lost": "new lines lack the rare names of the lines that they replace",
    "terms.head": "the first new line lacks the rare words of the line that it replaces",
    "terms.sibling": "what goes is built as what comes, and so are other lines of the file",
    "terms.kept_below": "lines put in have the rare names of the lines below them",
    "terms.rare": "rare names go between two shown lines",
    "terms.rare_hidden": "rare names go with hidden lines",
    "told.words": "this wording usually means another kind of change",
    "told.less": "words of the instructions stand in fewer lines than before",
    "told.less_removal": "what the instructions speak of removing or replacing stands in fewer lines",
    "told.more": "words of the instructions stand in more lines than before",
    "told.skipped": "lines that stay without a marker have words of the instructions",
    "told.skipped_removal": "lines that stay without a marker have what the instructions speak of removing",
    "told.omitted": "lines that go without a word have words of the instructions",
    "told.omitted_removal": "lines that go without a word have what the instructions speak of removing",
    "told.omitted_unsaid": "lines go of which neither edit nor instructions speak",
    "told.stays": "what the instructions speak of removing or replacing stands as often as before",
    "told.placed": "it stands where the instructions say",
    "told.place_lost": "what the instructions say it stands beside is gone",
    "told.misplaced": "it does not stand where the instructions say",
    "told.end_file": "the instructions speak of the end, and it is the end of the file",
    "told.end_block": "the instructions speak of the end, and it is the end of a block",
    "told.end_missed": "the instructions speak of the end, and nothing new stands at one",
    "told.top": "the instructions speak of the top, and it is one",
    "told.top_missed": "the instructions speak of the top, and nothing new stands at one",
    "told.stay_lost": "what the instructions say stays is gone",
    "told.stay_kept": "what the instructions say stays is there",
    "told.swapped": "what the instructions say is replaced is gone",
    "told.unswapped": "what the instructions say is replaced is there",
    "inside.unique": "shown lines amid changes stand once in the file",
    "inside.repeated": "shown lines amid changes stand several times in the file",
    "inside.new_thing": "what changes is about another thing, and all shown lines in it stand several times",
    "marker.fits": "what a marker names is hidden there",
    "marker.misses": "what a marker names is not hidden there",
    "marker.named_less": "what a marker names stands in fewer lines than before",
    "marker.named_gone": "what a marker names is gone",
    "version.least": "what comes is a new version of what goes, by what commits replace",
    "version.not": "what comes is no new version of what goes, by what commits replace",
    "version.kept": "what comes is a new version of what stays beside it, by what commits replace",
    "version.kept_sum": "what comes are new versions of what stays beside it, by what commits replace",
    "out.key_twice": "a key stands twice in one mapping",
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

_SHAPES = {
    "goes": "lines that go",
    "comes": "lines that come",
    "grows": "lines that the file has more",
    "shrinks": "lines that the file has less",
    "defines_more": "definitions that the file has more",
    "defines_less": "definitions that the file has less",
    "moves": "lines that go here and come there",
    "hunks.insert": "places where lines only come",
    "hunks.delete": "places where lines only go",
    "hunks.replace": "places where lines come for others",
    "hunks.same_size": "places where as many lines come as go",
    "hunks.shorter": "places where fewer lines come than go",
    "hunks.longer": "places where more lines come than go",
}

_BORDERS = {
    "level": "the old line there stands as deep as the new lines' other end",
    "deeper": "the old line there stands deeper",
    "blank": "a blank line is between",
    "kind": "the old line there is of the kind of the new lines' other end",
    "closer": "the old line there only closes",
    "closes": "the new line there only closes",
    "attached": "the old line there is a comment or decorator",
    "defines": "the old line there defines something",
    "skeleton": "the old line there is built as the new lines' other end",
    "seen": "the file has such neighbours elsewhere",
    "alike": "the old line there resembles the new lines' other end",
    "alike_near": "the old line there resembles the new one beside it",
    "several": "there is more than one new line",
    "as_many": "as many lines come as go",
    "first": "the first new line resembles the first one that goes",
}
_NEIGHBOURS = {
    "odds": "how usual for the file the lines are that become neighbours",
    "least_odds": "the most unusual lines for the file that become neighbours",
    "open_odds": "how usual for the file are neighbours of which the edit shows one",
    "least_open_odds": "the most unusual neighbours of which the edit shows one",
    "parted": "new lines do not stand behind the line that the edit shows above them",
    "from_top": "lines go that stand in no block",
    "from_shown": "lines go from a block whose header the edit shows",
    "from_hidden": "lines go from a block whose header the edit does not show",
    "in_own_block": "lines are put in in the block that the edit shows around them",
    "in_hidden_block": "lines are put in in a block whose header the edit does not show",
}
_WAYS = {
    "put": "places where lines are put in",
    "swap": "places where lines are replaced",
    "deleted": "places where lines only go",
    "deleted_lines": "lines that only go",
    "shrinks": "lines fewer than are replaced",
    "grows": "lines more than are replaced",
}
_SIDES = {"00": "on no side", "01": "below alone", "10": "above alone", "11": "on both sides"}


def _border(rest: str) -> str:
    """What a feature about the borders of new lines means: of ``put.below.level`` or ``swap_10``."""
    if rest in _NEIGHBOURS:
        return _NEIGHBOURS[rest]
    way, _, other = rest.partition(".")
    if other:
        side, _, what = other.partition(".")
        where = "put in" if way == "put" else "put in place of others"
        return f"where the edit shows nothing {side} lines that are {where}: {_BORDERS[what]}"
    way, _, sides = rest.rpartition("_")
    if way in {"shrinks", "grows"}:
        return (
            f"{_WAYS[way]}, where {'no marker is' if sides == '0' else 'a marker or an end is'} beside them"
        )
    shown = "that the edit shows" if way.startswith("deleted") else "with a marker or an end"
    return f"{_WAYS[way]} {shown} {_SIDES[sides]}"


_FOR = {"named_and_gone", "told_to_remove", "mends", "guess", "certain", "told"}
_AGAINST = {
    "breaks", "broken", "defined_again", "dots_left", "doubled", "edit_lines_missing", "lost_used",
    "named_and_lost", "only_adds_loses", "orphaned", "removed_name_stays", "tells_of_removal",
    "told_definition_stays", "told_gone_but_keeps", "told_to_add", "unimported", "unused_import",
}  # fmt: skip


def can_speak(name: str, worth: float) -> bool:
    """Whether what a feature means to a reader can be a reason for (`worth` above 0) or against a merge.

    Weights are fitted together, so that one may have the other sign where features go along with each other.
    """
    place, _, rest = name.partition(".")
    if rest in _FOR and place in {"out", "rules", "spacing"}:
        return worth > 0
    if place == "border":
        return rest == "parted" or rest.endswith((".level", ".skeleton"))
    doubts = place in {"found", "seam", "names"} or (place == "out" and rest in _AGAINST)
    return not doubts or worth < 0


def meaning(name: str) -> str:
    """What a feature means: ``meaning("beside.unbalanced")`` gives ``"brackets no longer pair"``."""
    if name.startswith("first."):
        return "of the first candidate: " + meaning(name.removeprefix("first."))
    place, _, rest = name.partition(".")
    if place in {"beside", "within"}:
        return _PLACES.get(rest, rest.replace("_", " "))
    if place == "shape":
        whole, _, kind = rest.partition(".") if rest not in _SHAPES else (rest, "", "")
        return f"number of {_SHAPES[whole]}" + (f", of the kind {kind}" if kind else "")
    if place == "border":
        return _border(rest)
    if place == "found":
        return _FOUND.get(rest, rest.replace("_", " "))
    if place == "step":
        return f"between two shown lines the rules ask: {rest.replace('_', ' ')}"
    if place == "asked" and name not in _OTHERS:
        return f"the rules ask: {rest.replace('_', ' ')}"
    return _OTHERS.get(name, name.replace("_", " "))
