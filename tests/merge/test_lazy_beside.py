"""New lines at the end of a run may replace what the marker hides or come beside it: that is asked."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

CHANGES = """\
# Changes

## 1.2.0

### Fixed

- the lock is released

## 1.1.0

### Fixed

- names may be empty
"""
KEYS = """\
static const struct key keys[] = {
\t{ 'a', 0, &select_all },
\t{ 'c', 0, &copy_text },
\t{ 'd', 0, &delete_line },
\t{ 'p', 0, &paste_text },
\t{ 'q', 0, &quit_program },
\t{ 'v', 0, &visual_mode },
};
"""
SOCKET = """\
function connect(port) {
  const socket = open(port);
  const state = { sent: 0 };

  socket.on('data', (chunk) => {
    state.sent += chunk.length;
  });

  socket.on('error', (problem) => {
    report(problem);
  });

  return [socket, state];
}
"""
ROUTES = """\
func Routes(r *Router) {
\tr.Route("/1", func(r *Router) {
\t\tr.Use(count)
\t\tr.Get("/", show)
\t})
\tr.Route("/2", func(r *Router) {
\t\tr.Use(count, count)
\t\tr.Get("/", Wrap(show))
\t})
\tserve(r)
}
"""
NODES = """\
module Nodes
  class Case
    # Gives the branches of the statement.
    #
    # @return [Array<When>] those with a condition
    def conditions
      parts[1...-1]
    end

    # Gives the last branch, if any.
    def other
      parts.last
    end
  end
end
"""
RULES = """\
class Rules
  def build
    rule(:name)  { text }
    rule(:digit) { number }

    rule(Array) do
      map { |part| build(part) }
    end
  end
end
"""
MODULES = """\
mod writer;
mod reader;

use std::io;

fn main() {
    reader::run();
}
"""

BESIDE = [
    pytest.param(
        "CHANGELOG.md",
        CHANGES,
        "# Changes\n\n## 1.2.1\n\n### Fixed\n\n- 91d518a: bounds of the cache come from its size (see #14)\n"
        "- 1ecdea4: rotate logs\n- bfbd002: `close` twice is no error any more\n\n<!-- ... -->\n",
        id="a section above one with nearly its heading",
    ),
    pytest.param(
        "keys.c",
        KEYS,
        "/* ... */\n\t{ 'a', 0, &select_all },\n\t{ 'c', 0, &copy_text },\n\t{ '(', 0, &select_line },\n"
        "\t{ ')', 0, &select_word },\n\t/* ... */\n",
        id="two entries beside others of their kind",
    ),
    pytest.param(
        "socket.js",
        SOCKET,
        "// ...\n  });\n\n  socket.on('error', function (problem) {\n    report(problem);\n  });\n\n"
        "  return [socket, state];\n}\n",
        id="the same listener, written in another way",
    ),
    pytest.param(
        "routes.go",
        ROUTES,
        '// ...\n\t})\n\tr.Route("/", func(r *Router) {\n\t\tr.Use(count, count)\n'
        '\t\tr.Get("/2", Wrap(show))\n\t\tr.Group(func(r *Router) {\n\t\t\tr.Use(count, count)\n'
        '\t\t\tr.Get("/3", show)\n\t\t})\n\t})\n\tserve(r)\n}\n',
        id="a block like the hidden one above it",
    ),
    pytest.param(
        "nodes.rb",
        NODES,
        "# ...\n\n    # Gives the branches of the statement.\n    #\n"
        "    # @return [Array<Node>] their bodies\n"
        "    # and that of the last one\n    def branches\n      bodies = conditions.map(&:body)\n"
        "      bodies.push(other) if other?\n      bodies\n    end\n\n"
        "    # Gives the last branch, if any.\n    # ...\n",
        id="a method under a copy of another one's comment",
    ),
    pytest.param(
        "rules.rb",
        RULES,
        "# ...\n    rule(:name)  { text }\n    rule(:digit) { number }\n"
        "    rule(:union) { text.flat_map { |part| build(part) } }\n\n    # ...\n",
        id="a whole line in place of one that opens a block",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit"), BESIDE)
def test_new_lines_at_the_end_of_a_run_may_stand_beside_the_old_ones(
    path: str, original: str, edit: str
) -> None:
    """Refused, and the file's line that is concerned is named."""
    result = apply_edit(original, edit, path=path)
    assert result.status == "refused"
    assert result.reason in {"uncertain", "unnamed_loss"}
    assert result.text == original


def test_a_section_between_two_shown_lines_is_new() -> None:
    """The heading below is shown, so nothing takes its place."""
    edit = "# Changes\n\n## 1.3.0\n\n### Fixed\n\n- the cache is bounded\n\n## 1.2.0\n\n<!-- ... -->\n"
    result = apply_edit(CHANGES, edit, path="CHANGELOG.md")
    new = "## 1.3.0\n\n### Fixed\n\n- the cache is bounded\n\n## 1.2.0\n"
    assert result.text == changed(CHANGES, ("## 1.2.0\n", new))


def test_a_new_block_of_a_kind_with_a_name_of_its_own_is_no_second_copy() -> None:
    """It is alike, and about something else."""
    new = "  socket.on('close', () => {\n    state.sent = 0;\n  });\n\n"
    edit = f"// ...\n{new}  return [socket, state];\n}}\n"
    result = apply_edit(SOCKET, edit, path="socket.js")
    assert result.text == changed(SOCKET, ("  return [", f"{new}  return ["))


def test_a_module_that_is_there_already_is_not_declared_twice() -> None:
    """The edit shows it in another order."""
    edit = "mod reader;\nmod printer;\nmod writer;\n\nuse std::io;\n\n// ... existing code ...\n"
    result = apply_edit(MODULES, edit, path="main.rs")
    assert result.status == "refused" or (result.text or "").count("mod writer;") == 1


@pytest.mark.parametrize("note", ["Removed report", "report() was removed", "report removed"])
def test_comment_that_tells_of_a_removal_which_does_not_happen_is_asked_about(note: str) -> None:
    """What it names stays, elsewhere: it may be a note or a comment."""
    edit = (
        f"// ...\n  const state = {{ sent: 0 }};\n\n  // {note}\n\n"
        "  socket.on('data', (chunk) => {\n  // ...\n"
    )
    result = apply_edit(SOCKET, edit, path="socket.js")
    assert (result.status, result.reason) == ("refused", "uncertain")
    assert any(note in line for one in result.candidates for line in one.diff)


ARMS = """\
fn describe(token: &Token) -> String {
    match token {
        Token::Number(n) => format!("number {}", n),
        Token::Minus => "minus".to_string(),
        Token::End => "end".to_string(),
    }
}
"""


def test_arm_of_a_match_takes_no_other_ones_place() -> None:
    """Behind it stands a marker, which has to stand for something."""
    edit = (
        "fn describe(token: &Token) -> String {\n    match token {\n        // ... existing arms ...\n"
        '        Token::Minus => "minus".to_string(),\n        Token::Star => "star".to_string(),\n'
        "        // ... existing arms ...\n    }\n}\n"
    )
    minus = '        Token::Minus => "minus".to_string(),\n'
    star = minus.replace("Minus", "Star").replace("minus", "star")
    result = apply_edit(ARMS, edit, path="token.rs")
    assert result.text == changed(ARMS, (minus, minus + star))


def test_marker_that_would_be_left_with_nothing_is_asked_about() -> None:
    """The last line would give way to the new one, and the marker behind it stands for no line then."""
    original = "steps:\n  - wash the fruit\n  - cut the fruit\n  - cook it for an hour\nserve:\n  - warm\n"
    edit = "steps:\n  # ...\n  - cut the fruit\n  - cook it for a minute\n  # ...\nserve:\n  - warm\n"
    result = apply_edit(original, edit, path="jam.yml")
    assert result.status == "refused"


def test_block_by_indentation_that_the_edit_ends_in_is_asked_about() -> None:
    """The old line may be what a forgotten marker stands for, or what the new one replaces."""
    original = 'def main():\n    run(load())\n\n\nif __name__ == "__main__":\n    main()\n'
    edit = 'if __name__ == "__main__":\n    sys.exit(run(load(sys.argv[1])))\n'
    result = apply_edit(original, edit, path="a.py")
    assert (result.status, result.reason) == ("refused", "uncertain")


def test_import_of_the_same_thing_from_elsewhere_does_not_stand_beside_the_old_one() -> None:
    """A page whose script the edit shows to its end."""
    script = "<script setup>\nimport Sponsors from './theme/components/Sponsors.vue'\n</script>\n"
    original = f"# Guide\n\nText.\n\n{script}"
    edit = (
        "<!-- ... -->\n\n<Sponsors />\n\n<script setup>\n"
        "import Sponsors from './.docs/theme/components/Sponsors.vue'\n</script>\n"
    )
    result = apply_edit(original, edit, path="guide.md")
    assert result.status == "refused" or (result.text or "").count("import Sponsors") == 1


HOSTS = """\
var hosts = []host{
\t{"10.0.0.1", true, false, nil, 100},
\t{"10.0.0.2", true, false, nil, 100},
\t{"10.0.0.3", true, true, nil, 100},
}
"""
IMAGES = """\
images:
  - name: alpha
    image: repo/app:1.10
  - name: beta
    image: repo/app:1.11
  - name: gamma
    image: repo/app:1.12
"""


@pytest.mark.parametrize(
    ("path", "original", "edit"),
    [
        ("hosts.go", HOSTS, HOSTS.splitlines(keepends=True)[1] + '\t{"10.0.0.9", true, false, nil, 100},\n'),
        (
            "a.yml",
            IMAGES,
            "".join(IMAGES.splitlines(keepends=True)[1:3]) + "  - name: delta\n    image: repo/app:1.13\n",
        ),
    ],
    ids=["a row of a table", "an item of a list"],
)
def test_one_entry_may_be_new_or_the_next_one_rewritten(path: str, original: str, edit: str) -> None:
    """The entry behind it, which stays, is as much like it."""
    result = apply_edit(
        original, f"// ...\n{edit}// ...\n" if path[-1] == "o" else f"# ...\n{edit}# ...\n", path=path
    )
    assert (result.status, result.reason) == ("refused", "uncertain")


@pytest.mark.parametrize("steps", [2, 8, 20])
@pytest.mark.parametrize("marker", ["", "# ... existing code ...\n\n"])
def test_new_line_below_a_header_at_the_end_of_an_edit_takes_no_longer_body_away(
    steps: int, marker: str
) -> None:
    """The last marker may have been forgotten; a body that ends by leaving is whole."""
    old = "".join(f"    step_{n}(items)\n" for n in range(steps))
    original = f"import log\n\n\ndef process(items):\n{old}    return items\n\n\ndef other():\n    pass\n"
    begun = apply_edit(original, f'{marker}def process(items):\n    log.info("start")\n', path="a.py")
    assert (begun.status, begun.text) == ("refused", original)
    whole = apply_edit(original, f"{marker}def process(items):\n    return list(items)\n", path="a.py")
    assert whole.text == original.replace(f"{old}    return items\n", "    return list(items)\n")
