"""The shells' completion scripts, and the answers that they ask for."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fastapply.cli.commands import SENTENCES
from fastapply.cli.completion import suggestions
from fastapply.verify import CODES

ROOT = Path(__file__).parents[1]
SCRIPTS = {
    "bash": "fastapply.bash",
    "zsh": "_fastapply",
    "fish": "fastapply.fish",
    "powershell": "fastapply.ps1",
}
STYLES = ["kortix", "fastedit", "osmosis", "aixapply", "morph", "nano", "instruct"]


def test_completion_script_of_powershell_is_the_one_that_the_generator_writes(tmp_path):
    """What is in the repository is what the installed program prints."""
    subprocess.run([sys.executable, str(ROOT / "completions" / "generate.py"), str(tmp_path)], check=True)
    (written,) = tmp_path.iterdir()
    assert written.read_bytes() == (ROOT / "completions" / written.name).read_bytes()


@pytest.mark.parametrize("shell", SCRIPTS)
def test_program_prints_its_completion_scripts(shell, capfd):
    """`fastapply completion SHELL`, so that an installed wheel has them."""
    from fastapply.cli import main

    assert main(["completion", shell]) == 0
    assert capfd.readouterr().out.encode() == (ROOT / "completions" / SCRIPTS[shell]).read_bytes()


@pytest.mark.parametrize(
    ("words", "kind", "answers"),
    [
        ([""], "words", list(SENTENCES)),
        (["apply", "--dr"], "words", ["--dry-run"]),
        (["apply", "a.py", "--engine", ""], "words", ["auto", "deterministic", "model"]),
        (["apply", "a.py", "--engine=au"], "words", ["--engine=auto"]),
        (["apply", "a.py", "--engine", "=", "au"], "words", ["auto"]),
        (["apply", "a.py", "--engine", "="], "words", ["auto", "deterministic", "model"]),
        (["apply", "--engine", "x"], "words", []),
        (["apply", "--allow", ""], "words", list(CODES)),
        (["apply", "--allow", "lost_l"], "words", ["lost_lines"]),
        (["batch", "--allow", "marker"], "words", ["marker_left"]),
        (["apply", "--model", "os"], "words", ["osmosis-1.7b"]),
        (["apply", "--color", "a"], "words", ["auto", "always"]),
        (["models", "use", "no"], "words", ["none"]),
        (["models", "use", "x.gguf", "--style", ""], "words", STYLES),
        (["models", "pull", "fastapply-7"], "words", ["fastapply-7b"]),
        (["models", "sh"], "words", ["show"]),
        (["help", "eval"], "words", ["evaluation"]),
        (["completion", "f"], "words", ["fish"]),
        (["patch", "--ro"], "words", ["--root"]),
        (["patch", "--root", ""], "folders", []),
        (["apply", ""], "files", []),
        (["apply", "a.py", "ed"], "files", []),
        (["apply", "a.py", "-o", ""], "files", []),
        (["apply", "--pick", ""], "nothing", []),
        (["apply", "--no-such"], "words", []),
    ],
)
def test_program_says_what_may_come_next(words, kind, answers):
    """Commands, options, the values of an option, or that files are meant."""
    shown, found = suggestions(words)
    assert (shown, [word for word, _ in found]) == (kind, answers)


def test_commands_of_a_group_come_with_whole_sentences():
    """Click would cut them after 45 characters."""
    _, found = suggestions(["models", ""])
    assert dict(found)["use"] == "Use this model for ambiguous edits; `none` disables models."
    assert not [said for _, said in found if said.endswith("...")]


def test_answer_has_a_line_for_its_kind_and_one_a_word(monkeypatch, capfd):
    """With a tab and what the word means."""
    from fastapply.cli import main

    monkeypatch.setenv("_FASTAPPLY_COMPLETE", "words")
    assert main(["apply", "--dr"]) == 0
    assert capfd.readouterr().out == "words\n--dry-run\tShow the diff without writing.\n"


@pytest.fixture
def shell(environment, tmp_path, monkeypatch):
    """Make `fastapply` the program under test, in a folder with one file, with a home of its own."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "cart one.ts").touch()
    monkeypatch.chdir(place)
    return {**environment, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TERM": "dumb"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "answers"),
    [
        (["check-"], ["check-markers"]),
        (["apply", "it's", "--mod"], ["--model", "--model-timeout"]),
        (["apply", "--allow", "lost_l"], ["lost_lines"]),
        (["apply", "ca"], []),  # bash goes on with file names by itself
    ],
)
def test_bash_reads_its_script_and_completes(shell, words, answers):
    """The script defines its function, and that one asks the real program."""
    quoted = " ".join(f'"{word}"' for word in words)
    script = (
        f"source {ROOT}/completions/fastapply.bash; "
        f"COMP_WORDS=(fastapply {quoted}); COMP_CWORD={len(words)}; "
        '_fastapply_completion fastapply; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    run = subprocess.run(["bash", "-c", script], env=shell, capture_output=True, text=True, check=True)
    assert run.stdout.split() == answers


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("fastapply check-", {"check-markers"}),
        ("fastapply apply --allow lost_l", {"lost_lines"}),
        ("fastapply und", {"undo"}),
        ("fastapply apply car", {"cart one.ts"}),
    ],
)
def test_fish_reads_its_script_and_completes(shell, line, answers):
    """As the TAB key would have it."""
    script = f"source {ROOT}/completions/fastapply.fish; complete --do-complete '{line}'"
    run = subprocess.run(
        ["fish", "--no-config", "-c", script], env=shell, capture_output=True, text=True, check=True
    )
    assert {row.partition("\t")[0] for row in run.stdout.splitlines()} == answers


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh here")
def test_zsh_shows_descriptions(shell, tmp_path):
    """TAB in a real zsh: its list has each command's sentence as it is."""
    shown = press_tab(shell, tmp_path, "fastapply con", "config")
    assert "config" in shown
    shown = press_tab(shell, tmp_path, "fastapply ", "config ")
    assert "Show settings and where they come from." in " ".join(shown.split())


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh here")
def test_zsh_completes_values_and_file_names(shell, tmp_path):
    """The one finding that begins so; a file with a space in its name."""
    assert "lost_lines" in press_tab(shell, tmp_path, "fastapply apply --allow lost_l", "lost_lines")
    assert "cart\\ one.ts" in press_tab(shell, tmp_path, "fastapply apply car", "one.ts")


def press_tab(environment, folder, line, awaited):
    """Type a line and TAB into an interactive zsh; all that it shows until what is awaited stands there."""
    import pty

    dump = folder / "zcompdump"
    (folder / ".zshrc").write_text(
        f"PS1='> '; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -d {dump}\n"
        f"source {ROOT}/completions/_fastapply\n",
        encoding="utf-8",
    )
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update({**environment, "ZDOTDIR": str(folder), "COLUMNS": "100", "LINES": "50"})
        os.execvp("zsh", ["zsh", "-i"])  # noqa: S606 - a shell to type into
    try:
        read_until(terminal, "> ")
        os.write(terminal, f"{line}\t".encode())
        return read_until(terminal, awaited)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def read_until(terminal, awaited):
    """What a terminal shows until a text is among it, and what comes right after."""
    import select

    shown = ""
    end = time.monotonic() + 20
    settled = False
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.5)
        if ready:
            shown += os.read(terminal, 65536).decode(errors="replace")
            settled = False
        elif awaited in shown:
            if settled:
                break
            settled = True
    return shown
