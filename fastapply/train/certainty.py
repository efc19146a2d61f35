"""Fitting the weights that rank the candidates of a lazy edit and say how certain the first one is.

Cases with a known result (JSON lines: `original`, `edit`, `expected`, `path`, `instructions`,
`repository`) are merged part by part; of each part the candidates with their facts are kept, and which of
them leads to the result. Two sets of weights come of it by regularised logistic regression, listwise, in
the top-one form of ListNet (Cao et al. 2007): `local` (facts of gaps, which make the list) and `whole` (all
facts, which rank it). Decision trees, `sure`, say whether the first one is right; they are
fitted on rankings by weights that did not see the case's repository.
"""

from __future__ import annotations

import json
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError
from fastapply.merge.candidates import told
from fastapply.merge.certainty.meanings import meaning
from fastapply.merge.certainty.said import count_stems
from fastapply.merge.certainty.shape import hunks_of
from fastapply.merge.certainty.weights import Weights, load_weights, scaled
from fastapply.merge.certainty.wording import fates_of, told_words
from fastapply.merge.effort import Effort
from fastapply.merge.lines import line_table
from fastapply.merge.rank import (
    Request,
    judge,
    lead_facts,
    list_candidates,
    not_broken,
    seen_facts,
    spoken_of,
)
from fastapply.parts import propose, put_in
from fastapply.pipeline import Options, around, read_edit, started
from fastapply.syntax import language_of
from fastapply.text import decode, splice
from fastapply.train.forest import descend, fit_sure, matrix, scale
from fastapply.train.wording import SHAPE, fit_wording
from fastapply.types import HunkList
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fastapply.merge.certainty.wording import Wording
    from fastapply.train.forest import Array, Row

LOCAL = (
    "beside.", "within.", "skip", "chain.", "near", "step.", "kept.", "taken.", "reading.", "verbatim",
    "imports_", "hidden_", "no_anchor", "implied", "unlike_", "unplaced", "dropped", "spacing", "block.",
    "repeated.", "sheds", "head.", "tail.", "moved", "closed.",
)  # fmt: skip
"""How the names of facts begin that are known before a candidate is written."""
FOLDS = 6
"""Parts that the repositories are divided into for predictions on cases that were not seen."""
UNSAID = "#"
"""Ends the name of an edit that is taken without its instructions."""
AGAIN = "="
"""Ends the name of an edit that is taken for the file that it has changed already."""
TOLD = "told.words"
"""The fact about what was said that `wording` gives."""
SPREAD_WHOLE = 0.003
"""Weight of the squared weights in the loss of the ranking, per case."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an edit: the facts of its candidates, which one is right (-1: none), what the rules ask.

    `words` are those that were said along with it, `fates` what becomes of them by each candidate.
    """

    facts: tuple[dict[str, float], ...]
    right: int
    seen: dict[str, float]
    words: tuple[str, ...] = ()
    fates: tuple[dict[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One case: whether some sequence of candidates gives its result, and its parts."""

    name: str
    repository: str
    reached: bool
    parts: tuple[Part, ...]


def collect(case: Mapping[str, Any], weights: Weights) -> Sample | None:
    """Candidates of all lazy parts of a case; None where the edit cannot be read, or has no such part.

    Of a case that must be refused (`expect_failure`) no candidate is right.
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
    parts: list[Part] = []
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
        kept = seen_facts(request)
        spoken = spoken_of(request)
        held = count_stems(request.file.lines)
        fates = tuple(fates_of(spoken.mentions, held, hunks_of(source.lines, one.splices)) for one in judged)
        parts.append(Part(tuple(one.facts for one in judged), right, kept, spoken.words, fates))
        source = splice(source, judged[right].splices)
    if not parts:
        return None
    reached = not refused and told(source.lines) == wanted
    if not reached:  # which of the parts went wrong is not known
        parts = [replace(one, right=-1) for one in parts]
    return Sample(str(case.get("id", "")), str(case.get("repository", "")), reached, tuple(parts))


def _distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Lines in which two texts differ."""
    codes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for tag, a, b, c, d in codes if tag != "equal")


def read_cases(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Cases of JSON Lines files, plain or gzipped, or of folders as in ``tests/cases``.

    Those without a known result are left out, and those that cannot hold a lazy part.
    """
    import gzip

    found: list[dict[str, Any]] = []
    for path in paths:
        if path.is_dir():
            found += [case for file in sorted(path.glob("*/case.json")) if (case := _of_folder(file))]
            continue
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
        found += [
            case for line in text.splitlines() if (case := json.loads(line)).get("expected") is not None
        ]
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


def fit_ranking(samples: Sequence[Sample], names: Sequence[str]) -> dict[str, float]:
    """Listwise logistic regression over the parts whose right candidate is known."""
    import numpy as np

    groups = [(part.facts, part.right) for one in samples for part in one.parts if part.right >= 0]
    rows = [matrix(facts, names) for facts, _ in groups]
    scale = np.concatenate(rows).std(0) + 1e-6
    table = np.concatenate([(row - row[right]) / scale for row, (_, right) in zip(rows, groups, strict=True)])
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    which: Any = np.repeat(np.arange(len(rows)), np.diff(starts))

    def loss(weights: Array) -> tuple[float, Array]:
        scores = table @ weights
        most = np.maximum.reduceat(scores, starts[:-1])
        odds = np.exp(scores - most[which])
        total = np.add.reduceat(odds, starts[:-1])
        slope = (table * (odds / total[which])[:, None]).sum(0) / len(rows)
        value = (most + np.log(total)).sum() / len(rows) + SPREAD_WHOLE * (weights @ weights)
        return float(value), slope + 2 * SPREAD_WHOLE * weights

    found = descend(loss, len(names)) / scale
    return {
        name: round(float(value), 4) for name, value in zip(names, found, strict=True) if abs(value) > 5e-5
    }


def folds_of(samples: Sequence[Sample], count: int = FOLDS) -> list[frozenset[str]]:
    """The repositories in `count` parts, the same ones each time."""
    repositories = sorted({one.repository for one in samples})
    return [frozenset(repositories[at::count]) for at in range(count)]


def unseen_rows(samples: Sequence[Sample], names: Sequence[str]) -> list[tuple[Sample, list[Row]]]:
    """For each sample the certainty facts of its parts' first candidates, ranked without its repository."""
    found = []
    for fold in folds_of(samples):
        ranking = fit_ranking([one for one in samples if one.repository not in fold], names)
        for one in samples:
            if one.repository in fold:
                rows = [first_row(part, ranking) for part in one.parts]
                found.append((one, rows))
    return found


def first_row(part: Part, ranking: Mapping[str, float]) -> tuple[dict[str, float], bool]:
    """Certainty facts of the first candidate under some weights, and whether it is the right one."""
    scores = [sum(ranking.get(name, 0.0) * value for name, value in facts.items()) for facts in part.facts]
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    facts = lead_facts([scores[at] for at in order], part.facts[order[0]]) | part.seen
    return facts, order[0] == part.right


def fact_names(samples: Sequence[Sample]) -> list[str]:
    """The facts that rank candidates: all but the shapes of changes, which words are paired with."""
    names = {name for one in samples for part in one.parts for facts in part.facts for name in facts}
    return sorted(name for name in names if not name.startswith(SHAPE))


def word_fit(samples: Sequence[Sample]) -> Wording:
    """Vectors of words and features, fitted on these samples; those that came a second time teach nothing."""
    first = [one for one in samples if not one.name.endswith(AGAIN)]
    ranking = fit_ranking(first, [name for name in fact_names(first) if name != TOLD])
    return fit_wording([part for one in first for part in one.parts], ranking)


def read_words(sample: Sample, wording: Wording) -> Sample:
    """A sample with the fact about what was said as these vectors have it."""
    parts = []
    for part in sample.parts:
        reader = wording.reader(part.words)
        read = [
            facts | {TOLD: told_words(reader, facts) + wording.of_fates(fates)}
            for facts, fates in zip(part.facts, part.fates or [{}] * len(part.facts), strict=True)
        ]
        parts.append(replace(part, facts=tuple(read)))
    return replace(sample, parts=tuple(parts))


def unseen_words(samples: Sequence[Sample]) -> list[Sample]:
    """The samples with what was said read by vectors that did not see their repositories."""
    found: list[Sample] = []
    for fold in folds_of(samples):
        wording = word_fit([one for one in samples if one.repository not in fold])
        found += [read_words(one, wording) for one in samples if one.repository in fold]
    return sorted(found, key=lambda one: (one.repository, one.name))


def fit(
    samples: Sequence[Sample], *, most_wrong: float = 0.02, most_wrong_unsaid: float | None = None
) -> tuple[Weights, Wording, list[tuple[float, bool, str]]]:
    """All weights, and of each sample certainty and rightness by weights that did not see its repository.

    At most a share of `most_wrong` may be wrong of what is written; `most_wrong_unsaid` is that of edits
    without a word, the same where it is None. Of these never more is written at the same certainty.
    """
    wording, samples = word_fit(samples), unseen_words(samples)
    names = fact_names(samples)
    local = [name for name in names if name.startswith(LOCAL) and name != "spacing.told"]
    unseen = unseen_rows(samples, names)
    predicted: list[tuple[float, bool, str]] = []
    for fold in folds_of(samples):
        sure = fit_sure([row for one, rows in unseen if one.repository not in fold for row in rows])
        for one, rows in unseen:
            if one.repository in fold:
                odds = min(sure.odds(facts) for facts, _ in rows)
                predicted.append((odds, all(right for _, right in rows), one.name))
    slope, shift = scale([odds for odds, _, _ in predicted], [right for _, right, _ in predicted])
    predicted = sorted(
        ((scaled(odds, slope, shift), right, name) for odds, right, name in predicted),
        key=lambda row: -row[0],
    )
    sure = replace(fit_sure([row for _, rows in unseen for row in rows]), slope=slope, shift=shift)
    said = [row for row in predicted if not row[2].endswith((UNSAID, AGAIN))]
    quiet = [row for row in predicted if row[2].endswith(UNSAID)]
    usual = threshold(said, most_wrong)
    weights = Weights(
        fit_ranking(samples, local),
        fit_ranking(samples, names),
        sure,
        usual,
        max(usual, threshold(quiet, most_wrong_unsaid or most_wrong)) if quiet else usual,
    )
    return weights, wording, predicted


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
    """Write a file of weights: one fact a line, with what it means, and one tree a line.

    A fact of the ranking has two weights (local, whole), one of the trees how many nodes ask for it.
    """
    names = sorted({*weights.local, *weights.whole})
    table = {
        name: [weights.local.get(name, 0.0), weights.whole.get(name, 0.0), meaning(name)] for name in names
    }
    asked = Counter(fact for tree in weights.sure.trees for fact in tree.facts)
    sure = {name: [asked[number], meaning(name)] for number, name in enumerate(weights.sure.names)}
    lines = [
        "{",
        f' "threshold": {weights.threshold},',
        f' "quiet": {weights.quiet},',
        f' "slope": {weights.sure.slope},',
        f' "shift": {weights.sure.shift},',
        ' "facts": {',
        ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items()),
        " },",
        ' "sure": {',
        ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sure.items()),
        " },",
        ' "trees": [',
        ",\n".join(
            "  " + json.dumps([tree.facts, tree.values, tree.rights], separators=(",", ":"))
            for tree in weights.sure.trees
        ),
        " ]",
        "}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def shares(
    samples: Sequence[Sample], predicted: Sequence[tuple[float, bool, str]], least: float
) -> list[str]:
    """How often the right merge is a candidate, comes first, and is written, by weights that never saw it.

    Those that came a second time are left out: they are easy.
    """
    samples = [one for one in samples if not one.name.endswith(AGAIN)]
    predicted = [row for row in predicted if not row[2].endswith(AGAIN)]
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
