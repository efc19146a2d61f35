"""What stands on both sides of new or missing lines decides whether they are sure; the twins are refused."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

TESTS = """\
import app

def test_first():
    client = app.client()
    answer = client.get("/first")
    assert answer.status == 200
    assert answer.text == "first"

def test_second():
    client = app.client()
    answer = client.get("/second")
    assert answer.status == 200
    assert answer.text == "second"

def test_third():
    client = app.client()
    answer = client.get("/third")
    assert answer.status == 200
    assert answer.text == "third"

def test_last():
    assert app.closes()
"""
NEW_TEST = """\
def test_between():
    client = app.client()
    answer = client.get("/between")
    assert answer.status == 200
    assert answer.text == "between"
"""
STEPS = """\
def build(parts):
    log("begin", parts)
    check(parts)
    frame = weld(parts)
    paint(frame, "red")
    dry(frame, hours=2)
    polish(frame)
    log("half")
    check(parts)
    engine = choose(parts)
    log("end", parts)
    return frame, engine


def sell(frame):
    log("sold", frame)
    return price(frame)
"""
BRANCHES = """\
import sys

windll = None
if sys.platform == "win32":
    windll = load_library()
else:
    raise ImportError("only on Windows")

STDOUT = -11
"""
MARKER = "# ... existing code ...\n"


def test_a_sibling_that_is_much_alike_is_put_in_between_two_shown_neighbours() -> None:
    """Nothing is hidden between the two, so no old version of it can stay behind."""
    shown = '    assert answer.text == "first"\n\n' + NEW_TEST + "\ndef test_second():\n"
    result = apply_edit(TESTS, MARKER + shown + MARKER, path="test_app.py")
    assert result.text == changed(TESTS, ("def test_second():\n", NEW_TEST + "\ndef test_second():\n"))


def test_a_sibling_that_is_much_alike_may_be_the_hidden_one_under_a_new_name() -> None:
    """Behind the new test comes a marker, and behind that a test that says the same line by line."""
    edit = MARKER + '    assert answer.text == "first"\n\n' + NEW_TEST.replace("between", "second_page")
    result = apply_edit(TESTS, edit + "\n" + MARKER, path="test_app.py")
    assert (result.status, result.reason) == ("refused", "uncertain")


@pytest.mark.parametrize(
    "frame",
    ["frame = weld(parts)", "frame = weld(parts, strong=True)"],
    ids=["between lines that stand once", "behind a new version of a line"],
)
def test_lines_left_out_between_sure_ends_go(frame: str) -> None:
    """The first line stands once, the last one is the nearest of its kind: all between them is shown anew."""
    edit = f'{MARKER}    log("begin", parts)\n    check(parts)\n    {frame}\n    polish(frame)\n{MARKER}'
    gone = '    paint(frame, "red")\n    dry(frame, hours=2)\n'
    expected = changed(STEPS, (gone, ""), ("frame = weld(parts)", frame))
    assert apply_edit(STEPS, edit, path="build.py").text == expected


def test_lines_left_out_between_ends_that_stand_twice_are_asked_about() -> None:
    """Two functions begin and end alike: neither end says which of them loses its lines."""
    body = "def {0}(path):\n    file = take(path)\n    lines = {0}_lines(file)\n    count({0}, lines)\n"
    body += "    drop(file)\n"
    original = "\n\n".join(body.format(name) for name in ("read", "scan"))
    edit = f"{MARKER}    file = take(path)\n    drop(file)\n{MARKER}"
    result = apply_edit(original, edit, path="files.py")
    assert result.status == "refused"


def test_a_marker_behind_a_branch_stands_for_the_other_branch() -> None:
    """The `if` goes on with an `else`, which is what the marker stands for first."""
    edit = 'import sys\n\nwindll: Any = None\nif sys.platform == "win32":\n    windll = load_library()\n'
    result = apply_edit(BRANCHES, edit + MARKER, path="console.py")
    assert result.text == changed(BRANCHES, ("windll = None", "windll: Any = None"))


def test_a_marker_behind_an_unfinished_branch_is_asked_about() -> None:
    """Where the branch itself has more lines, they may have been left out."""
    original = changed(
        BRANCHES, ("    windll = load_library()\n", "    windll = load_library()\n    start()\n")
    )
    edit = 'import sys\n\nwindll: Any = None\nif sys.platform == "win32":\n    windll = load_library()\n'
    result = apply_edit(original, edit + MARKER, path="console.py")
    assert (result.status, result.reason) == ("refused", "unmarked_gap")


def test_a_shown_run_that_is_new_but_for_a_line_of_the_file_is_asked_about() -> None:
    """`if (data?.more) {` stands elsewhere in the function: the run belongs there, or repeats it."""
    original = (
        "function Page() {\n  const queryClient = useQueryClient()\n  const [page] = useState(0)\n\n"
        + "".join(f"  const step{n} = prepareStep({n})\n" for n in range(12))
        + "  useEffect(() => {\n    if (data?.hasMorePages) {\n"
        "      queryClient.prefetch(page)\n    }\n  })\n}\n"
    )
    marker = "// ... existing code ...\n"
    edit = (
        f"function Page() {{\n  const client = useQueryClient()\n  const [page] = useState(0)\n\n    {marker}"
        f"    if (data?.hasMorePages) {{\n      client.prefetch(page)\n    }}\n{marker}}}\n"
    )
    result = apply_edit(original, edit, path="page.js")
    expected = changed(
        original, ("queryClient = use", "client = use"), ("queryClient.prefetch", "client.prefetch")
    )
    assert result.status == "refused" or result.text == expected


IMPORTS = """\
package shop;

import static shop.errors.Reporter.negative;
import static shop.errors.Reporter.tooMany;
import shop.model.Order;
import shop.model.Price;

class Till {
    void take(Order order) {
        if (order.count() < 0) {
            throw negative(order);
        }
        if (order.count() > 10) {
            throw tooMany(order);
        }
    }
}
"""
TAKE = """
class Till {
    void take(Order order) {
        check(order);
        if (order.count() < 0) {
"""


@pytest.mark.parametrize(
    ("all_of", "stay"),
    [
        ("import static shop.errors.Reporter.*;\n", ""),
        ("", "import static shop.errors.Reporter.negative;\nimport static shop.errors.Reporter.tooMany;\n"),
    ],
    ids=["all of it is imported instead", "import blocks are shown as excerpts"],
)
def test_single_imports_go_where_the_edit_imports_all_at_once(all_of: str, stay: str) -> None:
    """Names that are used keep their imports, unless the edit imports everything from where they are."""
    shown = f"package shop;\n\n{all_of}import shop.model.Order;\nimport shop.model.Price;\n{TAKE}"
    result = apply_edit(IMPORTS, shown + "// ... existing code ...\n", path="Till.java")
    head, take = IMPORTS.split("import shop.model.Order;\n")
    expected = f"package shop;\n\n{all_of}{stay}import shop.model.Order;\n" + changed(
        take,
        (
            "order) {\n        if (order.count() < 0",
            "order) {\n        check(order);\n        if (order.count() < 0",
        ),
    )
    assert head.startswith("package shop;")
    assert result.text == expected


HEADS = """\
import app

@values("kind", KINDS)
def test_index():
    answer = app.get("/index")
    assert answer.text == "index"


@values("kind", KINDS)
def test_head():
    answer = app.head("/")
    assert answer.text == ""
"""
NEW_HEAD = """\


@values("path", ["/", "/?one"])
@values("kind", KINDS)
def test_many():
    for page in app.pages():
        assert page.text
"""


def test_a_new_definition_does_not_take_the_decorator_of_the_next_one() -> None:
    """Both are decorated alike, and the next one is hidden behind the marker."""
    shown = '    assert answer.text == "index"\n'
    result = apply_edit(HEADS, f"{MARKER}{shown}{NEW_HEAD}\n\n{MARKER}", path="test_app.py")
    assert result.text == changed(HEADS, (shown, shown + NEW_HEAD))


def test_a_new_decorator_below_a_shown_one_is_no_new_definition() -> None:
    """What is put in between a decorator and the hidden definition belongs to both."""
    shown = '    assert answer.text == "index"\n\n\n@values("kind", KINDS)\n@slow\ndef test_head():\n'
    result = apply_edit(HEADS, MARKER + shown + MARKER, path="test_app.py")
    assert result.text == changed(HEADS, ("def test_head", "@slow\ndef test_head"))


def test_three_dots_in_a_branch_stand_for_the_lines_of_the_file() -> None:
    """Only as the whole body of a definition are they code."""
    original = "class Reader(Protocol):\n    def read(self) -> bytes:\n        ...\n\n\n" + BRANCHES
    edit = (
        '...\nwindll: Any = None\nif sys.platform == "win32":\n    windll = load_library()\nelse:\n    ...\n'
    )
    result = apply_edit(original, edit, path="console.py")
    assert result.text == changed(original, ("windll = None", "windll: Any = None"))
