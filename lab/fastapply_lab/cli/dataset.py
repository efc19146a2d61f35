"""`fastapply dataset`: training data for apply models.

write-edits --out DIR      edits of real commits as a model writes them, with known answers: windows and cases
windows CASES --out DIR    cases with known answers as a model would be asked about them in use
distill EDITS --out FILE   the merges that a teacher gives, as far as the verifier accepts them

`write-edits` needs the extra ``fastapply[train]``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.engine import ApplyModel

Repo = Annotated[
    list[str] | None, typer.Option("--repo", metavar="PATH|URL", help="A git repository. Repeatable.")
]
Repos = Annotated[
    Path | None,
    typer.Option(
        "--repos",
        metavar="LIST",
        help="A list of repositories, one `[train|valid|test] PATH|URL` per line.",
    ),
]
Root = Annotated[
    Path | None, typer.Option("--root", metavar="DIR", help="Base folder for relative paths in the list.")
]
Licence = Annotated[
    list[str] | None,
    typer.Option("--licence", metavar="SPDX", help="Also accept this license. Repeatable."),
]
Seed = Annotated[int, typer.Option("--seed", help="Random seed.")]


def distill(  # noqa: PLR0917 - one parameter an option
    edits: Annotated[
        str, typer.Argument(metavar="EDITS", help='JSON lines with "id", "path", "original" and "edit".')
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The output file. A stopped run resumes.")
    ],
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="The teacher's server.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The teacher's model name.")
    ] = None,
    samples: Annotated[
        int,
        typer.Option("--samples", metavar="N", min=1, help="Maximum answers per edit. The first is greedy."),
    ] = 1,
    temperature: Annotated[
        float, typer.Option("--temperature", min=0, help="Sampling temperature of the other answers.")
    ] = 0.7,
    agree: Annotated[int, typer.Option("--agree", metavar="N", min=1, help="Answers that must agree.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Parallel requests.")] = 8,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Ask a teacher model for merges and keep those that pass the verifier.

    The teacher can be any server with an OpenAI API.
    """
    from fastapply.terminal.output import say, show_json
    from fastapply_lab.data.distill import distill_file

    if agree > samples:
        raise UsageError(f"--agree {agree} needs --samples {agree} or more")
    teachers = _teachers(endpoint, model, samples, temperature)
    counts = distill_file(Path(edits), Path(out), teachers, agree=agree, jobs=jobs)
    kept, known = counts.pop("kept", 0), counts.pop("known", 0)
    teacher = teachers[0].name
    if json:
        told = {"teacher": teacher, "kept": kept, "known": known, "rejected": dict(counts.most_common())}
        show_json({"schema": 1, **told})
        return 0
    say(f"{out}: {kept} windows by {teacher}, {counts.total()} edits rejected, {known} known already")
    for reason, count in counts.most_common():
        say(f"{count:>7} {reason}")
    return 0


def write_edits(  # noqa: PLR0917 - one parameter an option
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The output folder. A stopped run resumes.")
    ],
    repo: Repo = None,
    repos: Repos = None,
    root: Root = None,
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="The teacher's server.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The teacher's model name.")
    ] = None,
    per_repo: Annotated[int, typer.Option("--per-repo", min=1, help="Maximum changes per repository.")] = 50,
    per_path: Annotated[int, typer.Option("--per-path", min=1, help="Maximum changes per file.")] = 2,
    most: Annotated[
        int | None, typer.Option("--most", metavar="N", min=1, help="Maximum changes in this run.")
    ] = None,
    longest: Annotated[
        int, typer.Option("--longest", metavar="LINES", min=20, help="Skip files longer than this.")
    ] = 600,
    seed: Seed = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Parallel requests.")] = 4,
    licence: Licence = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Let a model write edits for real commits and check each one blind.

    A second call applies the edit without seeing the commit. The edit is kept if the result equals the
    commit, apart from blank lines. edits.jsonl has cases for "evaluate run"; train.jsonl, valid.jsonl and
    test.jsonl have windows for "train"; STATISTICS.md lists sources and licenses.
    """
    from fastapply_lab.train import demand

    demand("identify", "ukkonen")
    from fastapply.models.remote.endpoint import find_endpoint
    from fastapply.terminal.output import say, show_json
    from fastapply_lab.chat import Chat
    from fastapply_lab.data.recipe import Recipe
    from fastapply_lab.data.sources import read_sources
    from fastapply_lab.data.written.collect import Wanted, collect, finish

    found = find_endpoint(endpoint, model)
    if found is None:
        raise UsageError("no teacher is set", hint="use --endpoint URL or set FASTAPPLY_ENDPOINT")
    sources = read_sources(repo or [], repos, root)
    if not sources.paths:
        raise UsageError("no repositories given", hint="use --repo or --repos")
    recipe = Recipe(
        seed=seed,
        per_repo=per_repo,
        per_path=per_path,
        train=sources.train,
        valid=sources.valid,
        test=sources.test,
        licences=frozenset(licence or ()),
    )
    wanted, chat = Wanted(recipe, longest, most), Chat(found)
    asked = 0
    try:
        for _ in collect(sources.paths, out, chat, wanted, jobs=jobs):
            asked += 1
        counts = finish(out, wanted, chat.model)
    finally:
        chat.close()
    if json:
        said = {"asked": asked, "kept": counts.kept, "dropped": dict(counts.dropped.most_common())}
        show_json({"schema": 1, "teacher": found.model, **said})
        return 0
    total = counts.kept + counts.dropped.total()
    say(f"{out}: {counts.kept} of {total} edits kept, {asked} asked about now")
    for reason, count in counts.dropped.most_common():
        say(f"{count:>7} {reason}")
    return 0


def windows(  # noqa: PLR0917 - one parameter an option
    cases: Annotated[
        list[Path], typer.Argument(metavar="CASES...", help="Case files, or folders of case folders.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Output folder for train.jsonl and valid.jsonl.")
    ],
    hold_out: Annotated[
        list[str] | None,
        typer.Option("--hold-out", metavar="REPO", help="A repository for valid.jsonl. Repeatable."),
    ] = None,
    clear: Annotated[
        float,
        typer.Option("--clear", min=0, help="Decided edits to keep per refused edit."),
    ] = 0.5,
    refusals: Annotated[
        float, typer.Option("--refusals", min=0, max=1, help="Share of edits also tried on another file.")
    ] = 0.04,
    without_instructions: Annotated[
        float,
        typer.Option("--without-instructions", min=0, max=1, help="Share of windows without instructions."),
    ] = 0.25,
    seed: Seed = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Parallel cases.")] = 2,
) -> int:
    """Build training windows from cases, as a model sees them in use.

    All edits that the deterministic engine refuses are kept, and some that it decides.
    """
    from collections import Counter

    from fastapply.evaluate.cases import read_cases
    from fastapply.terminal.output import say
    from fastapply_lab.data.asked import Asked, Mixture, ask_all, mix
    from fastapply_lab.data.windows import to_json

    held, left_out = set(hold_out or ()), Counter[str]()
    asked = list[Asked]()
    for one in ask_all(read_cases(cases), jobs=jobs):
        if isinstance(one, Asked):
            asked.append(one)
        else:
            left_out[one] += 1
    missing = sorted(held - {one.case.repository for one in asked})
    if missing:
        raise UsageError(
            f"no case is from {', '.join(missing)}", hint="--hold-out takes repository names as in the cases"
        )
    out.mkdir(parents=True, exist_ok=True)
    for name in ("train", "valid"):
        mixture = Mixture(clear, refusals, without_instructions if name == "train" else 0.0, seed)
        mine = [one for one in asked if (one.case.repository in held) == (name == "valid")]
        made = Counter[str]()
        with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for window in mix(mine, mixture, left_out):
                file.write(to_json(window) + "\n")
                made[window.style] += 1
        say(
            f"{name}: {made.total()} windows, "
            + ", ".join(f"{count} {style}" for style, count in made.items())
        )
    for reason, count in left_out.most_common():
        say(f"{count:>7} {reason}")
    return 0


COMMANDS: dict[str, Callable[..., int]] = {
    "write-edits": write_edits,
    "windows": windows,
    "distill": distill,
}


def _teachers(url: str | None, name: str | None, samples: int, temperature: float) -> list[ApplyModel]:
    """The model of a server, greedy, and then as often as is asked with another seed each."""
    import json

    from fastapply.models.remote.endpoint import find_endpoint
    from fastapply.models.remote.model import open_remote
    from fastapply.values import replace

    endpoint = find_endpoint(url, name)
    if endpoint is None:
        raise UsageError("no teacher is set", hint="use --endpoint URL or set FASTAPPLY_ENDPOINT")
    warm = [
        replace(endpoint, body=json.dumps({**endpoint.options, "temperature": temperature, "seed": seed}))
        for seed in range(1, samples)
    ]
    return [open_remote(one) for one in (endpoint, *warm)]
