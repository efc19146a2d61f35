"""The examples of README and help topics, run as they stand; as a script, writes their outputs anew."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
HELP = ROOT / "fastapply" / "help"
TEXTS = (README, *sorted(HELP.glob("*.md")))
CONSOLE = re.compile(r"^(?P<fence>`{3,})console\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OF_OTHERS = {"--recount", "--reject", "--upgrade", "--long", "--llama-server"}
"""Options of git, of pip, and of the benchmark of the lab."""
SECONDS = re.compile(r'("seconds": )[0-9.e-]+')
ENTRY = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [0-9a-f]{8}(?=  )", re.MULTILINE)


def run_command(command, folder, environment):
    """What a person would see of a command."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode()


def render(text, commands, folder, examples=ROOT / "fastapply" / "examples"):
    """Write a text with the outputs of its console examples, run one after the other.

    They run in a copy of the examples in `folder`; `commands` is where `fastapply` is.
    """
    shutil.copytree(examples, folder / "examples")
    environment = {
        **os.environ,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "FASTAPPLY_STATE_DIR": str(folder / "state"),
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }

    def run_block(block):
        shown = [line for line in block["body"].splitlines() if line.startswith("$ ")]
        assert shown, "a console example has a command"
        ran = [f"{line}\n{run_command(line[2:], folder / 'examples', environment)}" for line in shown]
        return f"{block['fence']}console\n{''.join(ran)}{block['fence']}"

    return CONSOLE.sub(run_block, text)


def same(text):
    """The text without what differs from run to run."""
    return ENTRY.sub("WHEN WHICH", SECONDS.sub(r"\g<1>0", text))


def reason_codes():
    """All codes of refusals, troubles and findings that stand in the source."""
    for path in (ROOT / "fastapply").rglob("*.py"):
        if "evaluate" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                named = node.func.id if isinstance(node.func, ast.Name) else ""
                values = [word.value for word in node.keywords if word.arg in {"reason", "code"}]
                values += node.args[:1] if named in {"Question", "Finding"} else []
                yield from (one.value for one in values if isinstance(one, ast.Constant) and one.value)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.stem)
def test_text_shows_what_its_commands_print(file, tmp_path):
    """Every console example of the README and of each topic, with all that it prints."""
    text = file.read_text(encoding="utf-8")
    assert same(render(text, Path(sys.executable).parent, tmp_path)) == same(text)


def test_python_examples_run():
    """The asserts in them hold."""
    examples = [example for file in TEXTS for example in PYTHON.findall(file.read_text(encoding="utf-8"))]
    assert examples
    for example in examples:
        exec(example, {})  # noqa: S102 - our own text


def test_readme_is_short():
    """A first page: everything else is a topic."""
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 180


def test_readme_links_every_topic():
    """Each by its name."""
    text = README.read_text(encoding="utf-8")
    missing = [
        file.stem for file in HELP.glob("*.md") if f"[{file.stem}](fastapply/help/{file.name})" not in text
    ]
    assert missing == []


def test_configuration_is_one_and_its_table_names_every_key(user_config, tmp_path):
    """The example is read without a complaint; what a project may set is what the table says."""
    from fastapply.config import load
    from fastapply.config.keys import KEYS

    text = (HELP / "configuration.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    user_config.write_text(example, encoding="utf-8")
    shown = load(tmp_path)
    assert (shown["backup"], shown["allow"]) == (True, ("parse_error",))
    (table,) = re.findall(
        r"^\| key \| default \| in a project's file \|\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE
    )
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    named = {name: may for names, _, may in rows for name in re.findall(r"`(\w+)`", names)}
    words = {"no": "no", "yes": "yes", "yes, but it can only raise it": "only higher"}
    assert {name: words.get(may, "only true") for name, may in named.items()} == {
        key.name: key.project for key in KEYS.values()
    }


def test_topic_of_refusals_names_every_code():
    """A program that reads the codes finds each of them explained; HTTP's stand beside its addresses."""
    texts = [(HELP / name).read_text(encoding="utf-8") for name in ("refusals.md", "servers.md")]
    named = set(re.findall(r"`([a-z_]+)`", "".join(texts)))
    assert set(reason_codes()) - named == set()


def test_topic_of_refusals_names_the_findings_of_the_verifier():
    """Code for code, with the class of each."""
    from fastapply.verify import CODES

    rows = re.findall(
        r"^\| `([a-z_]+)` \| (?:truncation|functional error|hallucination) \|",
        (HELP / "refusals.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert sorted(rows) == sorted(CODES)


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.stem)
def test_links_lead_somewhere(file):
    """Every relative link names a file or folder beside the text."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", file.read_text(encoding="utf-8"))
    assert [link for link in links if not (file.parent / link).exists()] == []


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.stem)
def test_options_that_a_text_names_exist(file):
    """`--at`, `--no-pager` and the like: of fastapply, or of the program that the line is about."""
    from fastapply.cli.commands import make_group

    def options(command):
        for one in command.params:
            yield from (*one.opts, *one.secondary_opts)
        for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
            yield from options(command.get_command(None, name))

    named = set(re.findall(r"`(--[a-z][a-z-]+)", file.read_text(encoding="utf-8")))
    assert named - {*options(make_group()), "--help", *OF_OTHERS} == set()


if __name__ == "__main__":
    for each in TEXTS:
        with tempfile.TemporaryDirectory() as folder:
            written = render(each.read_text(encoding="utf-8"), Path(sys.executable).parent, Path(folder))
        each.write_text(written, encoding="utf-8", newline="\n")
