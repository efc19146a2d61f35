"""The right merge is among the candidates: what a chain of shown lines must be able to say."""

from __future__ import annotations

import pytest

from fastapply.merge.candidates import told
from fastapply.merge.certainty.weights import load_weights
from fastapply.merge.effort import Effort
from fastapply.merge.lines import line_table
from fastapply.merge.listing import Request, list_candidates
from fastapply.text import from_text
from fastapply.types import Snippet


def merges(file: str, edit: str, language: str, said: str = "") -> list[tuple[str, ...]]:
    """The texts of all candidates, without blank lines."""
    source = from_text(file)
    request = Request(
        source, Snippet(tuple(edit.splitlines()), 1), line_table(source.lines, language), language, said
    )
    return [told(one.lines) for one in list_candidates(request, Effort(), load_weights().local)]


REPORT = """\
#!/bin/bash

publish() {
    local tag="$1"
    notes="$current
---

$extra"

    # Send the notes
    gh release edit "$tag" --notes "$notes"
}

main() {
    publish "$1"
}
"""


def test_a_block_ends_behind_hidden_lines_though_its_indentation_lies():
    """A text over several lines at the left edge ends no function."""
    edit = (
        "publish() {\n    # ... existing code ...\n"
        '    # Send the notes\n    gh release edit "$tag" --repo "$REPO" --notes "$notes"\n}\n'
        "\n# ... existing code ...\n"
    )
    wanted = REPORT.replace('edit "$tag"', 'edit "$tag" --repo "$REPO"')
    assert told(from_text(wanted).lines) in merges(REPORT, edit, "bash")


PIPELINE = """\
public static class Pipeline
{
    public static RequestDelegate Build(this IApplicationBuilder app,
        Settings all)
    {
        app.UseExceptionHandler();
        app.UseRequestId();

        // Now it is known where the client is going.
        app.UseAuthentication();

        return app.Build();
    }
}
"""


def test_a_block_with_hidden_lines_is_the_old_one_under_another_header():
    """Its header is written in one line now; what it shows of the body is no new code."""
    edit = (
        "    public static RequestDelegate Build(this IApplicationBuilder app, Settings all)\n"
        "    {\n        // ... existing code ...\n\n"
        "        // Now it is known where the client is going.\n"
        "        app.UseIfNotNull(all.Authentication);\n\n"
        "        return app.Build();\n    }\n"
    )
    wanted = PIPELINE.replace("app,\n        Settings", "app, Settings").replace(
        "app.UseAuthentication()", "app.UseIfNotNull(all.Authentication)"
    )
    assert told(from_text(wanted).lines) in merges(PIPELINE, edit, "csharp")


TABLES = "".join(
    f"""\
    [Fact]
    [Expectation("{name}")]
    public Task Should_Render_{name}()
    {{
        // Given
        var table = new Table();
        table.{name}();

        // When
        console.Write(table);

        // Then
        return Verifier.Verify(console.Output);
    }}
"""
    + ("\n" if name != "Right" else "")
    for name in ("Left", "Centre", "Right")
)
TABLE_TESTS = f"public class TableTests\n{{\n{TABLES}}}\n"
FOLDED = TABLES[TABLES.rindex("    [Fact]") :].replace("Right", "Folded")


def test_a_new_entry_like_all_others_goes_to_the_end_whole():
    """None of its lines is taken for that of another entry; the closing line behind it ends the file."""
    edit = "    // ... existing tests ...\n\n" + FOLDED + "}\n"
    wanted = TABLE_TESTS.removesuffix("}\n") + FOLDED + "}\n"
    assert told(from_text(wanted).lines) in merges(TABLE_TESTS, edit, "csharp")


def test_a_new_entry_before_a_shown_one_goes_there_whole():
    """Its last lines are those of the hidden entry above it as well, and stay at both."""
    shown = '    [Fact]\n    [Expectation("Right")]\n'
    edit = "    // ... existing tests ...\n\n" + FOLDED + "\n" + shown + "    // ... existing code ...\n"
    wanted = TABLE_TESTS.replace(shown, FOLDED + "\n" + shown)
    assert told(from_text(wanted).lines) in merges(TABLE_TESTS, edit, "csharp")


SPAWN = """\
async def spawn(func, name):
    check(func)
    task = await start(func)
    task.name = name or label(func)
    TASKS.add(task)
    log("spawned")
    task.parent = (await current()).id


def stop(task):
    task.cancel()
"""


def test_a_line_that_is_put_in_elsewhere_stays_at_its_old_place():
    """Where a marker keeps it."""
    line = "    task.parent = (await current()).id\n"
    edit = (
        "    task = await start(func)\n"
        + line
        + "    task.name = name or label(func)\n    # ... existing code ...\n"
    )
    put_in = SPAWN.replace("    task.name", line + "    task.name")
    assert told(from_text(put_in).lines) in merges(SPAWN, edit, "python")


DOCUMENTED = """\
extension Builder {
    /// Adds a type to be decoded.
    ///
    /// - parameters:
    ///     - type: New type to decode.
    /// - returns: the builder.
    func also(_ type: Type) -> Builder {
        return also(type, name)
    }

    /// Decodes raw output.
    func raw() -> Builder {
        return change { row in
            return row
        }
    }
}
"""


def test_a_block_like_others_is_put_in_at_the_end_though_its_comments_are_lines_of_the_file():
    """Nothing of it need be old where the edit begins with a marker."""
    new = (
        "\nextension Builder where Result: Model {\n    /// Decodes a type.\n    ///\n    /// - parameters:\n"
        "    ///     - type: New type to decode.\n    /// - returns: the builder.\n"
        "    func decode(_ type: Type) -> Builder {\n        return decode(type, entity)\n    }\n}\n"
    )
    found = merges(DOCUMENTED, "// ... existing code ...\n" + new, "swift")
    assert told(from_text(DOCUMENTED + new).lines) in found


LETTERS = """\
class Letters {
  @Test public void read() throws Exception {
    check("ab");
  }

  @Test public void readLowerCase() throws Exception {
    check("AB");
  }

  @Test public void write() throws Exception {
    check("a");
  }
}
"""


def test_a_block_that_hides_its_lines_may_have_a_new_name_much_like_the_old_one():
    """Then it is the likeliest merge; a name like no other one's says nothing about which block it was."""
    edit = (
        "  // ... more tests\n\n  @Test public void {}() throws Exception {{\n    // ... same body\n  }}\n\n"
        "  @Test public void write() throws Exception {{\n    // ... rest of the file\n"
    )
    wanted, other = (
        told(from_text(LETTERS.replace("readLowerCase", name)).lines) for name in ("readLowercased", "zoom")
    )
    assert merges(LETTERS, edit.format("readLowercased"), "java")[0] == wanted
    assert merges(LETTERS, edit.format("zoom"), "java")[0] != other


OPENED = """\
class Sink:
    def rotate(self, new_path):
        self.path = new_path
        self.file = open(
            new_path,
            mode="a",
        )

    def close(self):
        self.file.close()
"""


def test_lines_that_a_changed_line_no_longer_opens_may_go():
    """Where a marker follows a call that is written in one line now, the rest of the old one is no code."""
    edit = '# ...\n        self.path = new_path\n        self.file = open(new_path, mode="b")\n\n    # ...\n'
    start, end = OPENED.index("open("), OPENED.index("\n    def close")
    wanted = f'{OPENED[:start]}open(new_path, mode="b")\n{OPENED[end:]}'
    assert told(from_text(wanted).lines) in merges(OPENED, edit, "python")


def test_lines_that_a_changed_line_still_opens_stay():
    """The twin: its arguments follow, behind a marker."""
    edit = "# ...\n        self.path = new_path\n        self.file = start(\n            # ...\n"
    wanted = OPENED.replace("open(", "start(")
    assert merges(OPENED, edit, "python")[0] == told(from_text(wanted).lines)


IMPORTS = """\
package pool

import (
	"time"

	"gopkg.in/bufio.v1"
)
"""


def test_a_new_line_goes_as_deep_as_the_lines_beside_it_that_lost_their_indentation():
    """The closing line of the block stands at the left edge in both; what is in the block does not."""
    edit = '"time"\n\n"gopkg.in/bsm/ratelimit.v1"\n"gopkg.in/bufio.v1"\n)\n'
    wanted = IMPORTS.replace('\t"gopkg.in/bufio', '\t"gopkg.in/bsm/ratelimit.v1"\n\t"gopkg.in/bufio')
    assert merges(IMPORTS, edit, "go")[0] == told(from_text(wanted).lines)


def test_a_doc_comment_that_speaks_of_dropping_is_no_note():
    """It comes with the function that it documents."""
    file = "std::string trim(const std::string& s);\n"
    edit = "/// A last empty line is dropped.\nstd::vector<std::string> lines(const std::string& s);\n"
    assert told(from_text(file + "\n" + edit).lines) in merges(file, edit, "cpp", "declare lines after trim")


@pytest.mark.parametrize(
    "line",
    [
        "    ... (docstring unchanged)",
        "    # (the whole block of comments about retries and why they are removed)",
    ],
)
def test_what_stands_for_other_lines_is_never_written(line):
    """Bare words in a text of several lines, and a long note in brackets."""
    file = 'def f(x):\n    """\n    Twice x.\n    """\n    return 2 * x\n'
    edit = f'def f(x):\n    """\n{line}\n    """\n    return x + x\n'
    assert not any(line.strip() in text for merged in merges(file, edit, "python") for text in merged)


def test_an_arrow_says_that_a_line_goes():
    """The line stands in a comment, and an arrow points to it."""
    file = 'resource "bucket" "uploads" {\n  name = "u"\n  acl  = "private"\n  destroy = true\n}\n'
    edit = (
        'resource "bucket" "uploads" {\n  name = "u"\n'
        '  # acl = "private"  <-- delete this line\n  destroy = true\n}\n'
    )
    wanted = file.replace('  acl  = "private"\n', "")
    assert told(from_text(wanted).lines) in merges(file, edit, "hcl")


LOOP = "def run(xs):\n    for x in xs:\n        a(x)\n        b()\n"


def test_a_line_that_leaves_its_block_is_no_line_that_lost_its_indentation():
    """The line beside it, of the same block, is where the file has it; the head of the block is not shown."""
    edit = "# ...\n        a(x)\n    b()\n"
    assert told(from_text(LOOP.replace("        b", "    b")).lines) in merges(LOOP, edit, "python")


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("r", "# df <- drop_na(df)"),
        ("r", "# clean <- remove_empty(raw, which = 'rows')"),
        ("python", "# (the rows deleted last year count twice)"),
    ],
)
def test_what_only_looks_like_a_note_or_a_marker_can_be_written(language, line):
    """Code that is commented out, and a remark in brackets."""
    file = "df = load()\nraw = df\nprint(raw)\n"
    edit = f"df = load()\n{line}\nraw = df\n"
    assert any(line in merged for merged in merges(file, edit, language))
