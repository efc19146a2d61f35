"""`fastapply mcp`: the SDK's own client edits files through the tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import anyio
import pytest
from cart import CART, TOTAL, TOTALLED, UNCLEAR
from test_cases import MUST_REFUSE

from fastapply.edits.prompt_text import LAZY_RULES
from fastapply.server.mcp import tools
from fastapply.server.mcp.serve import make_server
from fastapply.workspace.patches import change_named_files


def edit(target_file, code_edit, **more):
    """The arguments of `edit_file`."""
    return {"target_file": target_file, "instructions": "", "code_edit": code_edit, **more}


def contents(folder):
    """All files of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal")
def test_interrupt_on_a_terminal_ends_the_server(tmp_path):
    """At once, although a thread waits for a line."""
    import pexpect

    child = pexpect.spawn(
        sys.executable, ["-P", "-m", "fastapply", "mcp"], cwd=tmp_path, encoding="utf-8", timeout=60
    )
    try:
        child.expect("waits for a client")
        child.sendline('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
        child.expect('"result"')  # it serves
        child.sendintr()
        child.expect("interrupted")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 130
    finally:
        child.close(force=True)


def test_real_client_runs_a_session_over_standard_input_and_output(project, tmp_path):
    """List the tools, edit, be refused, answer the refusal, edit several, preview."""
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "fastapply", "mcp", "--root", str(project)],
        cwd=tmp_path,
        env={**os.environ, "FASTAPPLY_STATE_DIR": str(tmp_path / "state")},
    )

    async def session():
        async with Client(server) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == ["edit_file", "edit_files", "preview_edit"]
            answers = []
            for name, arguments in [
                ("preview_edit", edit("cart.py", TOTAL)),
                ("edit_file", edit("cart.py", TOTAL)),
                ("edit_file", edit("cart.py", TOTAL)),
                ("edit_file", edit("cart.py", UNCLEAR)),
                ("edit_file", edit("cart.py", UNCLEAR, at_lines="4")),
                (
                    "edit_files",
                    {
                        "edits": [
                            edit("cart.py", UNCLEAR, instructions=""),
                            edit("src/list.txt", "one\ntwo\nthree\nfour\n"),
                        ]
                    },
                ),
            ]:
                result = await client.call_tool(name, arguments)
                (content,) = result.content
                assert content.type == "text"
                answers.append((result.is_error, content.text.splitlines()[0]))
            return answers

    unclear = (
        "refused [ambiguous], nothing was written: cart.py: hunk 1 (edit line 1): 'return self' fits at 2 "
        "places: line 4 (in 'def add(self, line):'); line 9 (in 'def remove(self, line):')"
    )
    assert anyio.run(session) == [
        (False, "nothing is written, this is a preview"),
        (False, "cart.py: applied (+1 -0)"),
        (False, "cart.py: unchanged, already applied"),
        (True, unclear),
        (False, "cart.py: applied (+1 -1)"),
        (False, "cart.py: applied (+1 -1)"),
    ]
    assert (project / "cart.py").read_text() == TOTALLED.replace("return self", "return None")
    assert (project / "src/list.txt").read_text() == "one\ntwo\nthree\nfour\n"


def test_nothing_but_the_protocol_is_on_standard_output(project, tmp_path):
    """Each line is a message, also where an edit is refused and a tool is unknown."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {"jsonrpc": "2.0", "id": 2 + number, "method": "tools/call", "params": params}
            for number, params in enumerate(
                [
                    {"name": "edit_file", "arguments": edit("cart.py", TOTAL)},
                    {"name": "edit_file", "arguments": edit("cart.py", UNCLEAR)},
                    {"name": "edit_file", "arguments": {"target_file": 3}},
                    {"name": "no_such_tool", "arguments": {}},
                ]
            )
        ),
    ]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "fastapply", "mcp"],
        cwd=project,
        env={**os.environ, "FASTAPPLY_STATE_DIR": str(tmp_path / "state")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(5)]
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(20) == 0
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3, 4, 5]
    assert (project / "cart.py").read_text() == TOTALLED


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_client_names_the_roots(project, tmp_path, calls, mode):
    """In both ways of the protocol; a file of none of them is not touched."""
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "out.txt").write_bytes(b"one\n")
    answers = calls(
        make_server(None),
        ("edit_file", edit("cart.py", TOTAL)),
        ("edit_file", edit(str(other / "new.txt"), "made\nhere\n", create_file=True)),
        ("edit_file", edit(str(tmp_path / "out.txt"), "one\ntwo\n")),
        roots=[project, other],
        mode=mode,
    )
    assert [failed for failed, _ in answers] == [False, False, True]
    assert "[outside_root]" in answers[2][1]
    assert (project / "cart.py").read_text() == TOTALLED
    assert (other / "new.txt").read_text() == "made\nhere\n"
    assert (tmp_path / "out.txt").read_bytes() == b"one\n"


def test_name_in_two_roots_is_asked_about(project, tmp_path, calls):
    """The absolute path tells."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "cart.py").write_bytes(CART.encode())
    answers = calls(
        make_server(None),
        ("edit_file", edit("cart.py", TOTAL)),
        ("edit_file", edit(str(other / "cart.py"), TOTAL)),
        roots=[project, other],
    )
    assert [failed for failed, _ in answers] == [True, False]
    assert "is in several roots" in answers[0][1]
    assert (project / "cart.py").read_text() == CART
    assert (other / "cart.py").read_text() == TOTALLED


def test_client_without_a_folder_edits_nothing(project, calls, monkeypatch):
    """The working directory counts only for a client that knows no roots."""
    monkeypatch.chdir(project)
    ((failed, text),) = calls(make_server(None), ("edit_file", edit("cart.py", TOTAL)), roots=[])
    assert failed
    assert "--root" in text
    assert (project / "cart.py").read_text() == CART


def test_working_directory_is_the_root_of_a_client_without_roots(project, calls, monkeypatch):
    """Unless it is the home folder, where nobody means all files."""
    monkeypatch.chdir(project)
    assert calls(make_server(None), ("edit_file", edit("cart.py", TOTAL)))[0][0] is False
    monkeypatch.setenv("HOME", str(project))
    monkeypatch.setenv("USERPROFILE", str(project))
    ((failed, text),) = calls(make_server(None), ("edit_file", edit("cart.py", UNCLEAR, at_lines="4")))
    assert failed
    assert "too broad as a root" in text


@pytest.mark.parametrize(
    "name",
    [
        "../out.txt",
        "src/../../out.txt",
        "src\\..\\..\\out.txt",
        "{outside}",
        "~/out.txt",
        "C:\\out.txt",
        "out\0.txt",
        "",
        ".",
        ".git/hooks/pre-commit",
        ".GIT/config",
        "link.txt",
        "folder/out.txt",
        "file:///etc/passwd",
        "/proc/self/environ",
    ],
)
@pytest.mark.parametrize("create", [False, True], ids=["edit", "create"])
def test_no_name_leads_out_of_the_root(name, create, project, tmp_path, calls):
    """Paths that climb, absolute ones, links to a file or a folder outside, git's own files."""
    (tmp_path / "out.txt").write_bytes(b"hidden\ntwo\n")
    (project / ".git/hooks").mkdir(parents=True)
    (project / "link.txt").symlink_to(tmp_path / "out.txt")
    (project / "folder").symlink_to(tmp_path)
    before = contents(tmp_path)
    name = name.format(outside=tmp_path / "out.txt")
    arguments = edit(name, "one\ntwo\nthree\n", create_file=create)
    several = {"edits": [edit("src/list.txt", "one\ntwo\nthree\nfour\n"), arguments]}
    answers = calls(
        make_server(project), ("edit_file", arguments), ("edit_files", several), ("preview_edit", arguments)
    )
    if create and name.startswith("file:"):  # a relative name like any other
        assert contents(tmp_path).keys() - before.keys() == {"project/file:/etc/passwd"}
        return
    assert [failed for failed, _ in answers] == [True, True, True]
    assert not any("hidden" in text for _, text in answers), "no line of a file outside is shown"
    assert contents(tmp_path) == before


def test_link_within_the_root_is_followed(project, calls):
    """The file behind it changes, the link stays."""
    (project / "link.py").symlink_to("cart.py")
    assert calls(make_server(project), ("edit_file", edit("link.py", TOTAL)))[0][0] is False
    assert (project / "link.py").is_symlink()
    assert (project / "cart.py").read_text() == TOTALLED


def test_all_of_edit_files_or_none(project, calls):
    """The refused file is named."""
    edits = [edit("cart.py", TOTAL), edit("src/list.txt", UNCLEAR)]
    ((failed, text),) = calls(make_server(project), ("edit_files", {"edits": edits}))
    assert failed
    assert "src/list.txt: " in text
    assert (project / "cart.py").read_text() == CART


def test_calls_at_the_same_time_lose_nothing(project):
    """Twenty edits of one file, each adds a line behind its own."""
    from mcp import Client

    lines = [f"line {number}" for number in range(20)]
    (project / "many.txt").write_text("".join(f"{line}\n" for line in lines))

    async def session():
        async with Client(make_server(project)) as client, anyio.create_task_group() as tasks:
            for line in lines:
                block = f"<<<<<<< SEARCH\n{line}\n=======\n{line}\nmore of {line}\n>>>>>>> REPLACE\n"
                tasks.start_soon(client.call_tool, "edit_file", edit("many.txt", block))

    anyio.run(session)
    assert (project / "many.txt").read_text() == "".join(f"{line}\nmore of {line}\n" for line in lines)


@pytest.mark.parametrize("how", ["limit", "cancel"])
def test_call_that_ended_writes_nothing_later(how, project, monkeypatch):
    """A merge that takes too long, and one whose client gives up, are stopped before the write."""
    merged, ended = threading.Event(), threading.Event()

    def slow(root, edits, *, write, keep, before_write):
        merged.wait(10)
        try:
            return change_named_files(root, edits, write=write, keep=keep, before_write=before_write)
        finally:
            ended.set()

    monkeypatch.setattr(tools, "change_named_files", slow)

    async def call():
        request = tools.Request("cart.py", "", TOTAL)
        with anyio.move_on_after(0.05 if how == "cancel" else 10):
            return await tools.run_edits(
                [project], [request], write=True, limit=0.05 if how == "limit" else 10
            )
        return None

    async def run():
        answer = await call()
        merged.set()
        await anyio.to_thread.run_sync(ended.wait, 10)
        return answer

    answer = anyio.run(run)
    assert (answer is None) == (how == "cancel")
    assert answer is None or (answer.failed and "[too_slow]" in answer.text)
    assert (project / "cart.py").read_text() == CART


def test_tools_teach_the_lazy_edit_as_the_prompt_does(project):
    """One text, told twice; Cursor's arguments come first and are all that is needed."""
    server = make_server(project)
    edit_file, *_ = anyio.run(server.list_tools)
    assert LAZY_RULES in (edit_file.description or "")
    assert edit_file.input_schema["required"] == ["target_file", "instructions", "code_edit"]


@pytest.mark.parametrize("case", MUST_REFUSE)
def test_refusals_speak_of_the_tools_and_are_short(case, tmp_path, calls):
    """No option of the command line in them, and no text that fills a model's context."""
    name = case.file_name.rpartition("/")[2]
    (tmp_path / name).write_bytes(case.original.encode())
    arguments = edit(name, case.edit, instructions=case.instructions)
    ((_, text),) = calls(make_server(tmp_path), ("edit_file", arguments))
    assert (tmp_path / name).read_bytes() == case.original.encode()
    words = ["--pick", "--at ", "--allow", "--create", "--root", "--engine", "fastapply patch", "pip install"]
    assert [word for word in words if word in text] == []
    assert len(text) < 4000


def test_long_diff_is_cut(project, calls):
    """The answer says how much is left out."""
    text = "".join(f"line {number}\n" for number in range(300))
    ((_, answer),) = calls(make_server(project), ("edit_file", edit("new.txt", text, create_file=True)))
    assert answer.splitlines()[0] == "new.txt: created (+300 -0)"
    assert answer.splitlines()[-1] == "... 241 more lines of the diff"


def test_refusal_shows_the_nearest_lines(project, calls):
    """As they are in the file, numbered, to be copied."""
    block = "<<<<<<< SEARCH\n        self.lines.remove(lin)\n=======\n        pass\n>>>>>>> REPLACE\n"
    ((_, text),) = calls(make_server(project), ("edit_file", edit("cart.py", block)))
    assert "the nearest lines of the file:\n  7:         self.lines.remove(line)\n" in text


def test_code_goes_where_a_name_says(project, calls):
    """`where` names the side and the thing; a wrong name is refused with one that is near."""
    new = "def clear(self):\n    self.lines = []\n"
    answers = calls(
        make_server(project),
        ("preview_edit", edit("cart.py", new, where="after Cart.ad")),
        ("preview_edit", edit("cart.py", new, where="behind Cart.add")),
        ("preview_edit", edit("cart.py", new, where="after Cart.add", at_lines="3")),
        ("edit_file", edit("cart.py", new, where="after Cart.add")),
    )
    assert [failed for failed, _ in answers] == [True, True, True, False]
    assert answers[0][1].splitlines() == [
        "refused [no_such_name], nothing was written: cart.py: there is no 'Cart.ad' in the file",
        "hint: did you mean Cart.add or Cart?",
    ]
    method = "    def clear(self):\n        self.lines = []\n\n"
    assert (project / "cart.py").read_text() == CART.replace("    def remove", f"{method}    def remove")


def test_refusal_of_what_does_not_parse_says_the_mistake(project, calls):
    """An agent has no `--smooth`: it reads what is wrong with its edit, and where."""
    line = "        self.lines.remove(line"
    broken = f"<<<<<<< SEARCH\n{line})\n=======\n{line}\n>>>>>>> REPLACE\n"
    ((failed, text),) = calls(make_server(project), ("edit_file", edit("cart.py", broken)))
    rows = text.splitlines()
    assert (failed, "`self.lines.remove(line`" in rows[0]) == (True, True)
    assert rows[1:] == ["hint: fix that line", "hint: the edit is missing a closing )"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (edit("cart.py", TOTAL, at_lines="nine"), "is not a line range"),
        (edit("cart.py", "\ud800"), "surrogate"),
        (edit("cart.py", ""), "[empty_edit]"),
        ({"target_file": "cart.py"}, "code_edit"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments, word, project, calls):
    """Each with its reason, as a failed tool call that a model can mend."""
    ((failed, text),) = calls(make_server(project), ("edit_file", arguments))
    assert failed
    assert word in text
    assert (project / "cart.py").read_text() == CART
