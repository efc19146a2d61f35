"""Features of lines that become neighbours and names that lose their partner."""

from __future__ import annotations

import pytest

from fastapply.merge.align import align
from fastapply.merge.candidates import find_candidates
from fastapply.merge.certainty.seams import fit_of
from fastapply.merge.certainty.weights import load_weights
from fastapply.merge.effort import Effort
from fastapply.merge.elements import MergeContext, read_lazy
from fastapply.merge.lines import line_table
from fastapply.text import from_text


def features_by_text(file: str, edit: str) -> dict[str, dict[str, float]]:
    """For the text of each candidate, the features of its seams and names."""
    source = from_text(file)
    table = line_table(source.lines)
    lazy = read_lazy(edit.splitlines(), table)
    context = MergeContext(lazy, table)
    aligner, best = align(lazy, table, Effort())
    found = find_candidates(source, context, aligner, best, load_weights().local)
    return {"\n".join(one.lines) + "\n": fit_of(context, one.ops, one.lines) for one in found}


CASES = [
    (
        "seam.deeper",
        "def join: Monad[A] =\n  Monad.instance(join)\nval b = 2\n",
        "def join: Monad[A] = combine(_, _)\n\n// ... rest\n",
        "def join: Monad[A] = combine(_, _)\n  Monad.instance(join)\nval b = 2\n",
        "def join: Monad[A] = combine(_, _)\nval b = 2\n",
    ),
    (
        "seam.unreachable",
        "def f(x):\n    y = x\n    return y\n",
        "def f(x):\n    return x + 1\n    # ...\n",
        "def f(x):\n    return x + 1\n    y = x\n    return y\n",
        "def f(x):\n    return x + 1\n",
    ),
    (
        "names.orphaned",
        "pattern = make('a')\nfiles = [1]\n\n\ndef run():\n    return pattern(files)\n",
        "# ...\nfiles = [1]\n\n\ndef run():\n    return other(files)\n",
        "pattern = make('a')\nfiles = [1]\n\n\ndef run():\n    return other(files)\n",
        None,
    ),
    (
        "names.needed",
        "table = {}\ncols = []\nfor col in cols:\n    table.update(col)\n",
        "cols = list()\n# ...\n    table.update(col)\n",
        "cols = list()\nfor col in cols:\n    table.update(col)\n",
        "table = {}\ncols = list()\nfor col in cols:\n    table.update(col)\n",
    ),
]


@pytest.mark.parametrize(("feature", "file", "edit", "bad", "good"), CASES, ids=[case[0] for case in CASES])
def test_a_merge_that_does_not_fit_has_the_feature_and_its_twin_has_not(feature, file, edit, bad, good):
    """Both are candidates; what stands against the one does not stand against the other."""
    found = features_by_text(file, edit)
    assert bad in found, list(found)
    assert found[bad].get(feature, 0.0) > 0
    if good is not None and good in found:
        assert found[good].get(feature, 0.0) == 0
