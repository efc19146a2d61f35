"""Fitting what ranks the candidates of a lazy edit and says how certain the first one is.

Cases with a known result (JSON lines: `original`, `edit`, `expected`, `path`, `instructions`, `repository`)
are merged part by part; of each part the candidates with their features are kept, and which of them leads to
the result; none does of a case that must be refused (`expect_failure`). Of that come weights of features, by
regularised logistic regression, listwise (ListNet; Cao et al. 2007): of those of gaps, which make the list,
of those that cost little, which choose whom to verify, and of all. Trees, `sure`, say whether the first one
is right; they are grown on rankings by weights that did not see the case's repository. A case without a
repository was invented, and weighs `EVERYDAY`.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from zlib import crc32

from fastapply.errors import FastapplyError
from fastapply.evaluate.cases import open_lines
from fastapply.merge.candidates import told
from fastapply.merge.certainty.weights import GROUPS, Weights, group_of, load_weights, scaled
from fastapply.merge.effort import Effort
from fastapply.merge.lazy import leaves_undone
from fastapply.merge.lines import line_table
from fastapply.merge.listing import Request, list_candidates
from fastapply.merge.rank import MOST_VERIFIED, judge, lead_features, not_broken
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose, put_in
from fastapply.pipeline.written import around, started
from fastapply.syntax import language_of
from fastapply.text import decode, splice
from fastapply.types import HunkList, Options
from fastapply.values import dataclass, replace
from fastapply_lab.train.forest import SURE, descend, grow, matrix, odds_of, scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fastapply.merge.certainty.weights import Forest
    from fastapply_lab.train.forest import Array

LOCAL = (
    "beside.", "within.", "skip", "chain.", "near", "step.", "kept.", "taken.", "reading.", "verbatim",
    "imports_", "hidden_", "no_anchor", "implied", "unlike_", "unplaced", "dropped", "spacing", "block.",
    "repeated.", "sheds", "head.", "tail.", "moved", "closed.",
)  # fmt: skip
"""How the names of features begin that are known before a candidate is written."""
FOLDS = 5
"""Parts that the repositories are divided into for predictions on cases that were not seen."""
EVERYDAY = 4.0
"""Weight of an edit of a file that was invented for it, beside one of a commit: there are fewer of them.

One that is taken for another file weighs as one of a commit: it may well be right there.
"""
UNSAID = "#"
"""Ends the name of an edit that is taken without its instructions."""
AGAIN = "="
"""Ends the name of an edit that is taken for the file that it has changed already."""
ASTRAY = "!"
"""Ends the name of an edit that is taken for another file of its language."""
MARKS = UNSAID + AGAIN + ASTRAY
COSTLY = ("out.", "found.")
"""How the names of features begin that parser and verifier give, for a few candidates alone."""
UNNAMED = "first.lost.unnamed"
"""Feature of a merge that loses what nobody names."""
WAYS = {"lead": 1, "margin": 1, "first.plain.sure": 1} | dict.fromkeys(
    (
        UNNAMED,
        "first.odd.twice",
        "first.odd.adopted",
        "first.odd.untouched",
        "first.odd.unused",
        "first.odd.dangling",
        "first.odd.place_gone",
        "first.odd.copied",
        "first.odd.noted_stays",
        "first.odd.other_gone",
        "first.odd.bared",
        "first.heed.stays",
        "first.heed.replaced",
        "first.heed.taken_over",
        "first.heed.import_below",
        "first.heed.import_again",
        "first.out.told_definition_stays",
        "first.odd.bodiless",
        "first.seen.cut",
        "first.out.edit_lines_missing",
        "first.found.lost_lines",
    ),
    -1,
)
"""Features that can only speak for a merge, or only against it."""
SAID = "seen.said"
"""Feature of an edit with words."""
ENOUGH = 100
"""Edits without a word from which on they have a threshold of their own."""
SPREAD = 0.003
"""Weight of the squared weights in the loss of the ranking, per part."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an edit: the features of its candidates, and which one is right (-1: none)."""

    facts: tuple[dict[str, float], ...]
    right: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One case: whether some sequence of candidates gives its result, and its parts."""

    name: str
    repository: str
    reached: bool
    parts: tuple[Part, ...]


def collect(case: Mapping[str, Any], weights: Weights) -> Sample | None:
    """Candidates of all lazy parts of a case; None where the edit cannot be read, or has no such part.

    Of a case that must be refused (`expect_failure`) no candidate is right. None as well where nothing shows
    that an edit is for another file.
    """
    original = decode(case["original"].encode())
    options = Options(instructions=case.get("instructions", ""))
    path = case.get("path")
    try:
        edit = read_edit(case["edit"], path=path, original=original, options=options)
        if len(edit.files) != 1:
            return None
        source, todo = started(original, edit.files[0], path, options)
    except FastapplyError:
        return None
    language = language_of(path, source.lines[0] if source.lines else "")
    refused = bool(case.get("expect_failure"))
    wanted = () if refused else told(decode(case["expected"].encode()).lines)
    said = f"{options.instructions}\n{around(edit)}"
    parts, leads = list[Part](), list[bool]()
    for part in todo:
        if isinstance(part, HunkList):
            source = put_in(source, propose(source, part, language=language, options=options))
            continue
        request = Request(source, part, line_table(source.lines, language), language, said)
        try:
            judged = not_broken(judge(request, list_candidates(request, Effort(), weights.local)))
        except FastapplyError:
            return None
        if not judged:
            return None
        away = [_distance(told(one.lines), wanted) for one in judged]
        right = min(range(len(judged)), key=lambda n: (away[n], n))
        before, changed = told(source.lines), told(judged[right].lines)
        leads.append(
            changed != before and _distance(before, wanted) == away[right] + _distance(before, changed)
        )
        parts.append(Part(tuple(one.features for one in judged), right))
        source = splice(source, judged[right].splices)
    if not parts:
        return None
    if case.get("id", "").endswith(ASTRAY) and any(f.get("plain.sure") for part in parts for f in part.facts):
        return None  # the other file has what the words name as well: nothing shows that it is another one
    reached = not refused and told(source.lines) == wanted
    if not reached:  # but a part that changes only what is to change is right
        parts = [
            one if well and len(parts) > 1 and not refused else replace(one, right=-1)
            for one, well in zip(parts, leads, strict=True)
        ]
    return Sample(str(case.get("id", "")), str(case.get("repository", "")), reached, tuple(parts))


def _distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Lines in which two texts differ."""
    codes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for tag, a, b, c, d in codes if tag != "equal")


def read_cases(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Cases of JSON Lines files, plain or compressed, or of folders as in ``tests/cases``.

    Those without a known result are left out, and those that cannot hold a lazy part; those that must be
    refused (`expect_failure`) are not.
    """
    found: list[dict[str, Any]] = []
    for path in paths:
        if path.is_dir():
            found += [case for file in sorted(path.glob("*/case.json")) if (case := _of_folder(file))]
            continue
        with open_lines(path) as lines:
            read = map(json.loads, lines)
            found += [case for case in read if case.get("expected") is not None or case.get("expect_failure")]
    return [case for case in found if case.get("format") not in {"search", "udiff", "v4a"}]


def _of_folder(about: Path) -> dict[str, Any] | None:
    """A case that is a folder; None where it has no result, or is no UTF-8."""
    folder = about.parent
    wanted = sorted(folder.glob("expected*"))
    said = json.loads(about.read_text(encoding="utf-8"))
    if not wanted or said.get("must_refuse"):
        return None
    original = next(folder.glob("original*"))
    try:
        texts = {
            key: file.read_bytes().decode("utf-8")
            for key, file in (("original", original), ("edit", folder / "edit.txt"), ("expected", wanted[0]))
        }
    except UnicodeDecodeError:
        return None
    name = said.get("filename") or f"file{original.suffix}"
    return texts | {
        "id": folder.name,
        "repository": folder.parent.name,
        "path": name,
        "instructions": said.get("instructions") or "",
    }


# --- fitting ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """The candidates of all parts as one table, a row each, and which rows belong together."""

    names: tuple[str, ...]
    rows: Array
    parts: tuple[tuple[int, ...], ...]  # rows of each part
    rights: tuple[int, ...]  # the right one's place among them, -1 where none is
    weights: tuple[float, ...]
    folds: tuple[int, ...]

    def outside(self, fold: int) -> list[int]:
        """Parts of other repositories than those of a fold."""
        return [n for n, one in enumerate(self.folds) if one != fold]

    def inside(self, fold: int) -> list[int]:
        """Parts of the repositories of a fold."""
        return [n for n, one in enumerate(self.folds) if one == fold]


def tabulate(samples: Sequence[Sample]) -> Table:
    """All parts of all samples, in their order."""
    names = feature_names(samples)
    parts = [(one, part) for one in samples for part in one.parts]
    ends = list(accumulate(len(part.facts) for _, part in parts))
    return Table(
        names,
        matrix([features for _, part in parts for features in part.facts], names),
        tuple(tuple(range(end - len(part.facts), end)) for end, (_, part) in zip(ends, parts, strict=True)),
        tuple(part.right for _, part in parts),
        tuple(1.0 if one.repository or one.name.endswith(ASTRAY) else EVERYDAY for one, _ in parts),
        tuple(crc32((one.repository or one.name.rstrip(MARKS)).encode()) % FOLDS for one, _ in parts),
    )


def rank_table(table: Table, parts: Sequence[int], names: Sequence[str]) -> dict[str, float]:
    """Weights of some features, by listwise logistic regression over parts that have a right candidate."""
    import numpy as np

    known = [n for n in parts if table.rights[n] >= 0 and len(table.parts[n]) > 1]
    columns = [table.names.index(name) for name in names]
    rows = table.rows[[row for n in known for row in table.parts[n]]][:, columns]
    spread = rows.std(0) + 1e-6
    starts = np.concatenate([[0], np.cumsum([len(table.parts[n]) for n in known])])
    which: Any = np.repeat(np.arange(len(known)), np.diff(starts))
    right = starts[:-1] + np.array([table.rights[n] for n in known])
    rows = (rows - rows[right][which]) / spread
    each = np.array([table.weights[n] for n in known])
    each = each / each.sum()

    def loss(weights: Array) -> tuple[float, Array]:
        scores = rows @ weights.astype(np.float32)
        most = np.maximum.reduceat(scores, starts[:-1])
        odds = np.exp(scores - most[which])
        total = np.add.reduceat(odds, starts[:-1])
        slope = rows.T @ (odds / total[which] * each[which])
        value = each @ (most + np.log(total)) + SPREAD * (weights @ weights)
        return float(value), slope.astype(float) + 2 * SPREAD * weights

    found = descend(loss, len(names)) / spread
    return {
        name: round(float(value), 4) for name, value in zip(names, found, strict=True) if abs(value) > 5e-5
    }


def shortened(table: Table, cheap: Sequence[str]) -> Table:
    """Of each part the candidates that are verified, chosen by trees that did not see its repository."""
    parts, rights = list(table.parts), list(table.rights)
    for fold in range(FOLDS):
        weights = rank_table(table, table.outside(fold), cheap)
        for n, scores in _scores(weights, table, table.inside(fold)):
            order = sorted(range(len(scores)), key=lambda at: -scores[at])[:MOST_VERIFIED]
            parts[n] = tuple(table.parts[n][at] for at in order)
            rights[n] = order.index(table.rights[n]) if table.rights[n] in order else -1
    return replace(table, parts=tuple(parts), rights=tuple(rights))


def fit(
    samples: Sequence[Sample], *, most_wrong: float = 0.02, most_wrong_unsaid: float | None = None
) -> tuple[Weights, list[tuple[float, bool, str]]]:
    """All weights, and of each sample certainty and rightness by weights that did not see its repository.

    At most a share of `most_wrong` may be wrong of what is written; `most_wrong_unsaid` is that of edits
    without a word, the same where it is None: of those written so, since many others are unclear
    when their words are taken away. Of these never more is written at the same certainty.
    """
    full = tabulate(samples)
    names, every = full.names, range(len(full.parts))
    cheap = [name for name in names if not name.startswith(COSTLY)]
    table = shortened(full, cheap)
    parts = [part for one in samples for part in one.parts]
    firsts: list[tuple[dict[str, float], bool]] = [({}, False)] * len(parts)
    for fold in range(FOLDS):
        ranking = rank_table(table, table.outside(fold), names)
        for n, scores in _scores(ranking, table, table.inside(fold)):
            order = sorted(range(len(scores)), key=lambda at: -scores[at])
            best = parts[n].facts[table.parts[n][order[0]] - full.parts[n][0]]
            firsts[n] = lead_features([scores[at] for at in order], best), order[0] == table.rights[n]
    odds, right = _odds(table, firsts), [is_right for _, is_right in firsts]
    groups = [group_of(features) for features, _ in firsts]
    scales = tuple(
        _scale(odds, right, table.weights, [n for n in every if groups[n] == g]) for g in range(GROUPS)
    )
    predicted: list[tuple[float, bool, str]] = []
    at = 0
    for one in samples:
        here = range(at, at + len(one.parts))
        at += len(one.parts)
        never = any(_is_never_written(firsts[n][0]) for n in here)  # however certain it is
        certainty = 0.0 if never else min(scaled(odds[n], *scales[groups[n]]) for n in here)
        predicted.append((certainty, all(right[n] for n in here), one.name))
    predicted.sort(key=lambda row: -row[0])
    sure, _ = _grow_sure(firsts, every, table)
    shown = [row for row in predicted if not row[2].endswith((UNSAID, AGAIN, ASTRAY))]
    silent = {
        one.name
        for one in samples
        if not any(features.get(SAID) for part in one.parts for features in part.facts)
    }
    quiet = [row for row in shown if row[2] in silent]
    usual = threshold(shown, most_wrong)
    weights = Weights(
        rank_table(full, every, [name for name in names if name.startswith(LOCAL)]),
        rank_table(full, every, cheap),
        rank_table(table, every, names),
        sure,
        scales,
        usual,
        max(usual, threshold(quiet, most_wrong_unsaid or most_wrong)) if len(quiet) > ENOUGH else usual,
    )
    return weights, predicted


def _is_never_written(first: Mapping[str, float]) -> bool:
    """Whether a first candidate with such features is a question whatever the certainty."""
    own = {name.removeprefix("first."): value for name, value in first.items()}
    return UNNAMED in first or leaves_undone(own)


def _scores(
    weights: Mapping[str, float], table: Table, parts: Sequence[int]
) -> Iterator[tuple[int, list[float]]]:
    """Of each of some parts the scores of its candidates."""
    import numpy as np

    scores = table.rows @ np.array([weights.get(name, 0.0) for name in table.names], dtype=np.float32)
    for n in parts:
        yield n, [float(scores[row]) for row in table.parts[n]]


def _grow_sure(
    firsts: Sequence[tuple[dict[str, float], bool]], parts: Sequence[int], table: Table
) -> tuple[Forest, list[str]]:
    names = sorted({name for n in parts for name in firsts[n][0]})
    rows = matrix([firsts[n][0] for n in parts], names)
    right = [firsts[n][1] for n in parts]
    return grow(rows, right, names, SURE, weights=[table.weights[n] for n in parts], ways=WAYS), names


def _scale(
    odds: Sequence[float], right: Sequence[bool], weights: Sequence[float], group: Sequence[int]
) -> tuple[float, float]:
    if not group:
        return 1.0, 0.0
    return scale([odds[n] for n in group], [right[n] for n in group], [weights[n] for n in group])


def _odds(table: Table, firsts: Sequence[tuple[dict[str, float], bool]]) -> list[float]:
    """For each part the log odds of its first candidate, by trees that did not see its repository."""
    odds = [0.0] * len(firsts)
    for fold in range(FOLDS):
        sure, names = _grow_sure(firsts, table.outside(fold), table)
        left = table.inside(fold)
        if left:
            found = odds_of(sure, matrix([firsts[n][0] for n in left], names), names)
            for n, value in zip(left, found, strict=True):
                odds[n] = float(value)
    return odds


def feature_names(samples: Sequence[Sample]) -> tuple[str, ...]:
    """The names of all features that candidates have."""
    return tuple(
        sorted(
            {name for one in samples for part in one.parts for features in part.facts for name in features}
        )
    )


def threshold(predicted: Sequence[tuple[float, bool, str]], most_wrong: float) -> float:
    """The lowest certainty from which on at most a share of `most_wrong` is wrong; rows come sorted."""
    wrong, found = 0, 1.0
    for count, (certainty, right, _) in enumerate(predicted, 1):
        wrong += not right
        if wrong <= most_wrong * count:
            found = certainty
    return round(found, 5)


def without_instructions(cases: Sequence[Mapping[str, Any]], share: float) -> list[dict[str, Any]]:
    """Some of the cases as somebody would send them who says nothing: the same ones for the same share."""
    chosen = [case for number, case in enumerate(cases) if int((number + 1) * share) > int(number * share)]
    return [{**case, "id": f"{case.get('id', '')}{UNSAID}", "instructions": ""} for case in chosen]


def put_in_already(cases: Sequence[Mapping[str, Any]], share: float) -> list[dict[str, Any]]:
    """Some of the cases as they come a second time, for a file that has the change: nothing is to change."""
    chosen = [case for number, case in enumerate(cases) if int((number + 1) * share) > int(number * share)]
    return [
        {**case, "id": f"{case.get('id', '')}{AGAIN}", "original": case["expected"]}
        for case in chosen
        if case.get("expected")
    ]


def for_other_files(cases: Sequence[Mapping[str, Any]], share: float) -> list[dict[str, Any]]:
    """Some of the cases of invented files, for the file of another one of their language: to be refused."""
    by_suffix: dict[str, list[Mapping[str, Any]]] = {}
    for case in cases:
        if not case.get("repository"):
            by_suffix.setdefault(str(case.get("path", "")).rpartition(".")[2], []).append(case)
    found: list[dict[str, Any]] = []
    for group in by_suffix.values():
        for number, case in enumerate(group):
            other = group[(number + 1 + len(group) // 2) % len(group)]
            chosen = int((number + 1) * share) > int(number * share)
            if chosen and other["original"] != case["original"]:
                found.append(
                    {
                        **case,
                        "id": f"{case.get('id', '')}{ASTRAY}",
                        "original": other["original"],
                        "expected": None,
                        "expect_failure": True,
                    }
                )
    return found


def collect_all(cases: Sequence[Mapping[str, Any]], *, jobs: int = 1) -> list[Sample]:
    """Samples of all cases that have one, in the order of their names."""
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial

    read = partial(collect, weights=load_weights())
    if jobs == 1:
        found = [read(case) for case in cases]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            found = list(pool.map(read, cases, chunksize=8))
    return sorted((one for one in found if one is not None), key=lambda one: (one.repository, one.name))


def write_weights(weights: Weights, path: Path) -> None:
    """Write a file of weights, one tree a line."""
    lines = [
        "{",
        f' "threshold": {weights.threshold},',
        f' "threshold_without_instructions": {weights.threshold_without_instructions},',
        f' "local": {json.dumps(weights.local)},',
        f' "cheap": {json.dumps(weights.cheap)},',
        f' "ranking": {json.dumps(weights.ranking)},',
        f' "scales": {json.dumps(weights.scales)},',
        f' "sure": {_forest(weights.sure)}',
        "}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _forest(forest: Forest) -> str:
    trees = ",\n".join(
        "  " + json.dumps([tree.features, tree.values, tree.rights], separators=(",", ":"))
        for tree in forest.trees
    )
    head = f'{{"shift": {forest.shift}, "features": {json.dumps(forest.names)}'
    return f'{head}, "trees": [\n{trees}\n ]}}'


def shares(
    samples: Sequence[Sample], predicted: Sequence[tuple[float, bool, str]], least: float
) -> list[str]:
    """How often the right merge is a candidate, comes first, and is written, by weights that never saw it.

    Those that came a second time, or for another file, are left out: they are easy.
    """
    samples = [one for one in samples if not one.name.endswith((AGAIN, ASTRAY))]
    predicted = [row for row in predicted if not row[2].endswith((AGAIN, ASTRAY))]
    count = max(1, len(samples))
    written = [right for certainty, right, _ in predicted if certainty >= least]
    wrong = written.count(False)
    share = f"{wrong / max(1, len(written)):.2%} of what is written"
    return [
        f"{len(samples)} edits of {len({one.repository for one in samples})} repositories",
        f"right merge among the candidates: {sum(one.reached for one in samples) / count:.1%}",
        f"first: {sum(right for _, right, _ in predicted) / count:.1%}",
        f"written from {least} on: {(len(written) - wrong) / count:.1%} right, {wrong} wrong ({share})",
    ]
