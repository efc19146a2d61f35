"""The page as text: the template with style, scripts and data in it, and nothing from elsewhere.

For a report the details of each case are packed into the page (deflated, base64), so that a browser unpacks
the one that is looked at; a served page asks for them.
"""

from __future__ import annotations

import base64
import json
import zlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fastapply_lab.evaluate.page.detail import case_detail
from fastapply_lab.evaluate.page.overview import cases_of, overview, sections

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fastapply.evaluate.cases import Case
    from fastapply_lab.evaluate.page.overview import ShownRun

_SCRIPTS = ("state.js", "list.js", "diff.js", "case.js", "notes.js", "keys.js")


def write_report(runs: Sequence[ShownRun], out: Path, told: Callable[[int, int], None] | None = None) -> int:
    """Write the report of some runs as one HTML file; returns how many cases it has."""
    cases = cases_of(runs)
    packed = []
    for number, case in enumerate(cases, 1):
        packed.append(pack(detail_of(case, runs)))
        if told is not None:
            told(number, len(cases))
    part = out.with_name(f"{out.name}.part")
    part.write_text(render_page(runs, cases, packed=packed), encoding="utf-8")
    part.replace(out)
    return len(cases)


def detail_of(case: Case, runs: Sequence[ShownRun]) -> dict[str, Any]:
    """The object of one case, with the merges of all runs."""
    records = [run.records.get(case.id) for run in runs]
    return case_detail(case, [record.attempt.merged if record else None for record in records])


def render_page(
    runs: Sequence[ShownRun], cases: Sequence[Case], *, packed: Sequence[str] = (), who: str = ""
) -> str:
    """The HTML of the page; `packed` are the details of the cases, `who` is set where it may annotate."""
    from jinja2 import Environment
    from markupsafe import Markup

    static = files("fastapply_lab.evaluate.page") / "static"

    def read(name: str) -> str:
        return (static / name).read_text(encoding="utf-8")

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    data = overview(runs, cases) | {"serves": bool(who), "who": who}
    title = " · ".join(run.name for run in runs)
    return environment.from_string(read("page.html")).render(
        title=f"fastapply evaluate: {title}",
        style=Markup(read("page.css")),  # noqa: S704 - files of the package
        script=Markup("\n".join(map(read, _SCRIPTS))),  # noqa: S704
        data=Markup(in_script(data)),  # noqa: S704 - cannot end the element
        packed=[Markup(text) for text in packed],  # noqa: S704 - base64
        sections=[
            {**section, "plots": [Markup(plot) for plot in section["plots"]]}  # noqa: S704 - escaped there
            for section in sections(runs)
        ],
        serves=bool(who),
    )


def in_script(value: object) -> str:
    """JSON that may stand in a script element: no character of it can end that."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def pack(value: object) -> str:
    """An object as deflated JSON in base64."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(data) + packer.flush()).decode("ascii")
