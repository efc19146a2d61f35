"""Old lines that stay where nothing reaches them, and blocks closed twice, with the twins that are fine."""

from __future__ import annotations

import pytest

from fastapply.text import from_text
from fastapply.types import FileEdit, Snippet
from fastapply.verify import verify

PYTHON = """\
def measure(console, options):
    if options.width:
        options = options.update()
    found = get(console, options)
    return found
"""
RUBY = """\
def update(path)
  begin
    File.open(path)
  end until changed(path)
end

def other
  1
end
"""


def codes(file: str, edit: str, merged: str, language: str) -> list[str]:
    """Verify a snippet's merge and give the codes alone."""
    part = Snippet(tuple(edit.splitlines()), 1)
    found = verify(from_text(file), FileEdit(None, "update", (part,)), from_text(merged), language=language)
    return [one.code for one in found]


def test_old_lines_behind_a_new_return_are_found():
    """The two old lines should have gone: nothing runs them any more."""
    left = PYTHON.replace("    found = ", "    return get(console, options)\n    found = ")
    edit = right = PYTHON[: PYTHON.index("    found = ")] + "    return get(console, options)\n"
    assert codes(PYTHON, edit, left, "python") == ["unreachable"]
    assert codes(PYTHON, edit, right, "python") == []


@pytest.mark.parametrize(
    ("language", "above", "new", "below"),
    [
        pytest.param("ruby", "  check(a)", "  return 1 if a", "  other(a)", id="a condition behind it"),
        pytest.param("javascript", "  check(a)", "  throw new Error(", "  text(a));", id="it goes on below"),
        pytest.param("c", "  case 1:", "    return 1;", "    default:", id="a label follows"),
        pytest.param("python", "    check(a)", "    return (a", "            or b)", id="a bracket is open"),
        pytest.param("haskell", "  check a", "  return a", "  other a", id="return leaves nothing"),
        pytest.param("python", "    check(a)", "    if a: return 1", "    other(a)", id="on an if's line"),
    ],
)
def test_line_that_only_looks_like_leaving_is_no_reason_to_refuse(language, above, new, below):
    """What stands below is reached, or is part of the statement."""
    file = f"start\n{above}\n{below}\nend\n"
    merged = file.replace(above, f"{above}\n{new}")
    edit = f"...\n{above}\n{new}\n...\n"
    assert "unreachable" not in codes(file, edit, merged, language)


def test_second_closing_line_of_one_block_is_found():
    """Ruby's grammar lets a surplus `end` pass; its indentation does not."""
    edit = "def update(path)\n  File.open(path)\n  File.touch(path)\nend\n"
    right = (
        "def update(path)\n  File.open(path)\n  File.touch(path)\nend\n" + RUBY[RUBY.index("\ndef other") :]
    )
    left = right.replace("touch(path)\nend\n", "touch(path)\nend\nend\n")
    assert "doubled_line" in codes(RUBY, edit, left, "ruby")
    assert codes(RUBY, edit, right, "ruby") == []


def test_file_that_closes_blocks_at_one_depth_may_go_on_to_do_so():
    """Where the file's own style has equal closers below each other they tell nothing."""
    file = "call({\n  a: [{\n    b: 1\n  }\n  }]\n});\nlast({\n  c: 2\n});\n});\n"
    edit = "// ...\nlast({\n  c: 3\n});\n});\n"
    assert "doubled_line" not in codes(file, edit, file.replace("c: 2", "c: 3"), "javascript")


def test_directive_that_lost_its_other_half_is_found():
    """An `#endif` that went with the lines of another edit leaves the `#if` open."""
    file = '#ifdef __cplusplus\nextern "C" {\n#endif\n\n#ifdef _WIN32\nint a;\n#endif\n'
    edit = "/* ... */\n\n#if defined(A)\n#error one\n#endif\n\n#ifdef _WIN32\n/* ... */\n"
    new = "#if defined(A)\n#error one\n#endif\n\n"
    right = file.replace("#ifdef _WIN32", new + "#ifdef _WIN32")
    assert codes(file, edit, right, "c") == []
    assert "parse_error" in codes(file, edit, right.replace("{\n#endif\n", "{\n"), "c")


def test_old_line_behind_the_new_end_of_its_block_is_found():
    """The new line took its place, and the block is closed above it."""
    file = "class A {\n    fun f() {\n        val bar = find()\n        bar.update()\n    }\n}\n"
    edit = "// ...\n        val bar = find()\n        bar?.update(1)\n    }\n// ...\n"
    right = file.replace("bar.update()", "bar?.update(1)")
    left = file.replace("        bar.update()", "        bar?.update(1)\n    }\n        bar.update()")
    assert codes(file, edit, right, "kotlin") == []
    assert "not_removed" in codes(file, edit, left, "kotlin")
