"""The file's indentation wins: a snippet may be dedented, or written with other tabs and blanks."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

NESTED = '''\
class Report:
    """What was sold."""

    def __init__(self, rows):
        self.rows = rows

    def totals(self):
        sums = {}
        for row in self.rows:
            sums[row.kind] = row.amount
        return sums

    def write(self, path):
        with open(path, "w") as stream:
            for kind, amount in self.totals().items():
                stream.write(f"{kind} {amount}\\n")
'''
TABBED = """\
package jobs

func Run(jobs []Job) error {
	for _, job := range jobs {
		if job.Done {
			continue
		}
		if err := job.Start(); err != nil {
			return err
		}
	}
	return nil
}

func Stop(jobs []Job) {
	for _, job := range jobs {
		job.Cancel()
	}
}
"""
TWO = """\
export function pick(list, name) {
  const found = list.filter((item) => item.name === name);
  if (found.length === 0) {
    throw new Error('none');
  }
  return found[0];
}

export function drop(list, name) {
  const kept = list.filter((item) => item.name !== name);
  if (kept.length === list.length) {
    log('nothing dropped');
  }
  return kept;
}
"""
SUMS = "            sums[row.kind] = row.amount\n"
SUMS_ANEW = "            sums[row.kind] = sums.get(row.kind, 0) + row.amount\n"
TOTALS = """\
def totals(self):
    sums = {}
    for row in self.rows:
        sums[row.kind] = sums.get(row.kind, 0) + row.amount
    return sums
"""
STOP = "\tfor _, job := range jobs {\n\t\tjob.Cancel()\n"
STOP_ANEW = "\tfor _, job := range jobs {\n\t\tif job.Done {\n\t\t\tcontinue\n\t\t}\n\t\tjob.Cancel()\n"
DROP = "    log('nothing dropped');\n"
DROP_ANEW = "    if (strict) {\n      throw new Error(name);\n    }\n    log('nothing dropped');\n"

REWRITES = [
    pytest.param("a.py", NESTED, TOTALS, changed(NESTED, (SUMS, SUMS_ANEW)), id="a dedented method alone"),
    pytest.param(
        "a.py",
        NESTED,
        "# ...\n" + TOTALS + "# ...\n",
        changed(NESTED, (SUMS, SUMS_ANEW)),
        id="a dedented method between markers",
    ),
    pytest.param(
        "a.go",
        TABBED,
        "// ...\n\nfunc Stop(jobs []Job) {\n    for _, job := range jobs {\n        if job.Done {\n"
        "            continue\n        }\n        job.Cancel()\n    }\n}\n",
        changed(TABBED, (STOP, STOP_ANEW)),
        id="four blanks for the file's tabs",
    ),
    pytest.param(
        "a.go",
        TABBED,
        "// ...\n\nfunc Stop(jobs []Job) {\n  for _, job := range jobs {\n    if job.Done {\n"
        "      continue\n    }\n    job.Cancel()\n  }\n}\n",
        changed(TABBED, (STOP, STOP_ANEW)),
        id="two blanks for the file's tabs",
    ),
    pytest.param(
        "a.py",
        NESTED,
        "# ...\n\tdef totals(self):\n\t\tsums = {}\n\t\tfor row in self.rows:\n"
        "\t\t\tsums[row.kind] = sums.get(row.kind, 0) + row.amount\n\t\treturn sums\n# ...\n",
        changed(NESTED, (SUMS, SUMS_ANEW)),
        id="tabs for the file's four blanks",
    ),
    pytest.param(
        "a.js",
        TWO,
        "// ...\n\nexport function drop(list, name) {\n"
        "    const kept = list.filter((item) => item.name !== name);\n"
        "    if (kept.length === list.length) {\n        if (strict) {\n            throw new Error(name);\n"
        "        }\n        log('nothing dropped');\n    }\n    return kept;\n}\n",
        changed(TWO, (DROP, DROP_ANEW)),
        id="four blanks for the file's two",
    ),
    pytest.param(
        "a.py",
        NESTED,
        "class Report:\n  # ...\n\n  def totals(self):\n    sums = {}\n    for row in self.rows:\n"
        "      sums[row.kind] = sums.get(row.kind, 0) + row.amount\n    return sums\n\n  # ...\n",
        changed(NESTED, (SUMS, SUMS_ANEW)),
        id="two blanks for the file's four",
    ),
    pytest.param(
        "a.js",
        TWO,
        "// ...\nexport function drop(list, name) {\n"
        "\tconst kept = list.filter((item) => item.name !== name);\n"
        "\tif (kept.length === list.length) {\n\t\tif (strict) {\n\t\t\tthrow new Error(name);\n\t\t}\n"
        "\t\tlog('nothing dropped');\n\t}\n\treturn kept;\n}\n",
        changed(TWO, (DROP, DROP_ANEW)),
        id="tabs for the file's two blanks",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_new_lines_are_indented_as_the_file_is(path, original, edit, merged):
    """Lines of the file keep their bytes, and new ones stand as deep as their neighbours."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_other_indentation_alone_is_no_change(path, original, edit, merged):
    """The same edit a second time is unchanged, or refused."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status in {"unchanged", "refused"}, result.text) == (True, merged)


WRAPS = [
    pytest.param(
        "a.py",
        NESTED,
        "# ...\n    def write(self, path):\n        if not self.rows:\n            return\n"
        '        with open(path, "w") as stream:\n            # ...\n',
        changed(
            NESTED, ("        with open", "        if not self.rows:\n            return\n        with open")
        ),
        id="a guard above",
    ),
    pytest.param(
        "a.py",
        NESTED,
        "# ...\n    def totals(self):\n        sums = {}\n        for row in self.rows:\n"
        "            if row.amount:\n                sums[row.kind] = row.amount\n        return sums\n"
        "# ...\n",
        changed(NESTED, (SUMS, "            if row.amount:\n                sums[row.kind] = row.amount\n")),
        id="one line in an if",
    ),
    pytest.param(
        "a.py",
        NESTED,
        "# ...\n    def write(self, path):\n        try:\n"
        '            with open(path, "w") as stream:\n'
        "                for kind, amount in self.totals().items():\n"
        '                    stream.write(f"{kind} {amount}\\n")\n'
        "        except OSError:\n            print(path)\n",
        changed(
            NESTED,
            (
                (
                    '        with open(path, "w") as stream:\n'
                    "            for kind, amount in self.totals().items():\n"
                    '                stream.write(f"{kind} {amount}\\n")\n'
                ),
                (
                    "        try:\n"
                    '            with open(path, "w") as stream:\n'
                    "                for kind, amount in self.totals().items():\n"
                    '                    stream.write(f"{kind} {amount}\\n")\n'
                    "        except OSError:\n            print(path)\n"
                ),
            ),
        ),
        id="several lines in a try",
    ),
    pytest.param(
        "a.js",
        TWO,
        "// ...\n\nexport function drop(list, name) {\n"
        "  const kept = list.filter((item) => item.name !== name);\n  log('nothing dropped');\n"
        "  return kept;\n}\n",
        changed(
            TWO,
            (
                "  if (kept.length === list.length) {\n    log('nothing dropped');\n  }\n",
                "  log('nothing dropped');\n",
            ),
        ),
        id="an if around a line taken away",
    ),
    pytest.param(
        "a.go",
        TABBED,
        "// ...\nfunc Run(jobs []Job) error {\n\tfor _, job := range jobs {\n"
        "\t\tif err := job.Start(); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n}\n// ...\n",
        changed(TABBED, ("\t\tif job.Done {\n\t\t\tcontinue\n\t\t}\n", "")),
        id="a guard taken away",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), WRAPS)
def test_lines_that_are_wrapped_or_unwrapped_move_sideways(path, original, edit, merged):
    """A new block around them indents them, and a block that goes gives its lines back."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


ALIGNED = """\
static const struct option options[] = {
    { "help",     no_argument,       NULL, 'h' },
    { "output",   required_argument, NULL, 'o' },
    { "verbose",  no_argument,       NULL, 'v' },
    { NULL,       0,                 NULL, 0   },
};
"""


def test_column_alignment_of_context_lines_is_kept():
    """The edit shows them with single blanks; only its new line is written."""
    edit = (
        "static const struct option options[] = {\n// ...\n"
        "    { \"output\", required_argument, NULL, 'o' },\n"
        "    { \"quiet\",    no_argument,       NULL, 'q' },\n"
        "    { \"verbose\", no_argument, NULL, 'v' },\n// ...\n};\n"
    )
    merged = changed(
        ALIGNED,
        ('    { "verbose"', '    { "quiet",    no_argument,       NULL, \'q\' },\n    { "verbose"'),
    )
    result = apply_edit(ALIGNED, edit, path="a.c")
    assert (result.status, result.text) == ("applied", merged)


def test_edit_that_only_differs_in_white_space_between_words_is_no_change():
    """Single blanks in place of columns are the edit's sloppiness."""
    edit = "// ...\n    { \"output\", required_argument, NULL, 'o' },\n"
    "    { \"verbose\", no_argument, NULL, 'v' },\n// ...\n"
    result = apply_edit(ALIGNED, edit, path="a.c")
    assert (result.status, result.text) == ("unchanged", ALIGNED)


TREE = """\
# Sample

.
├── app
│\u00a0\u00a0 ├── Dockerfile
│\u00a0\u00a0 └── main.py
└── docker-compose.yaml

Start it with `docker-compose up`.
"""


def test_blanks_that_do_not_break_stay_where_the_edit_has_plain_ones():
    """The output of `tree` has them; a model copies them as plain ones, and means none of it."""
    edit = "<!-- ... -->\n├── app\n│   ├── Dockerfile\n│   └── main.py\n└── compose.yaml\n\n<!-- ... -->\n"
    result = apply_edit(TREE, edit, path="README.md", instructions="I will rename docker-compose.yaml.")
    assert (result.status, result.text) == ("applied", TREE.replace("docker-compose.yaml", "compose.yaml"))


CONTINUED = """\
static int
draw(struct view *v)
{
\tint\tx, y;

\tfor (x = 0; x < v->width; x++) {
\t\tif (v->hidden(x)) {
\t\t\tdraw_line(v, v->left, v->top, v->width,
\t\t\t\t    v->colour);
\t\t\treturn (0);
\t\t}
\t}
\treturn (1);
}
"""


def test_blanks_behind_tabs_align_a_line_and_are_no_level() -> None:
    """The snippet is dedented by one tab, and uses tabs itself."""
    edit = (
        "/* ... */\n\tif (v->hidden(x)) {\n\t\tdraw_line(v, v->left, v->top, v->width,\n"
        "\t\t    v->height, v->colour);\n\t\treturn (0);\n\t}\n/* ... */\n"
    )
    result = apply_edit(CONTINUED, edit, path="draw.c")
    expected = changed(CONTINUED, ("\t\t\t\t    v->colour);\n", "\t\t\t    v->height, v->colour);\n"))
    assert result.text == expected


def test_first_line_of_a_new_statement_and_its_continuation_move_alike() -> None:
    """The continuation is aligned with blanks; the line that follows is one tab deeper."""
    edit = (
        "/* ... */\nint\tx, y;\n\nif (v->closed ||\n    v->empty)\n\treturn (0);\n"
        "for (x = 0; x < v->width; x++) {\n\tif (v->hidden(x)) {\n/* ... */\n"
    )
    result = apply_edit(CONTINUED, edit, path="draw.c")
    new = "\tif (v->closed ||\n\t    v->empty)\n\t\treturn (0);\n\tfor (x = 0;"
    assert result.text == changed(CONTINUED, ("\tfor (x = 0;", new))


def test_line_that_was_unwrapped_loses_a_level_in_a_snippet_with_blanks() -> None:
    """The file's condition around it is gone, so the file's indentation is not what is meant."""
    loop = "\tfor _, job := range jobs {\n\t\tjob.Cancel()\n\t}\n"
    twice = "\tfor _, job := range jobs {\n\t\tif job.Open {\n\t\t\tjob.Cancel()\n\t\t\treturn\n\t\t}\n\t}\n"
    before = changed(TABBED, (loop, twice))
    edit = (
        "// ... existing code ...\n\nfunc Stop(jobs []Job) {\n  if job, ok := jobs[0]; ok {\n"
        "    job.Cancel()\n    return\n  }\n}\n"
    )
    result = apply_edit(before, edit, path="jobs.go")
    once = "\tif job, ok := jobs[0]; ok {\n\t\tjob.Cancel()\n\t\treturn\n\t}\n"
    assert result.text == changed(TABBED, (loop, once))


def test_block_inside_a_wrapped_one_moves_with_it_in_a_snippet_with_blanks() -> None:
    """Each level that is shared lies in one that has moved."""
    before = changed(
        TABBED,
        (
            "\tfor _, job := range jobs {\n\t\tjob.Cancel()\n\t}\n",
            "\terr := jobs[0].Stop(1)\n\tif err != nil {\n\t\treport(err)\n\t}\n",
        ),
    )
    edit = (
        "// ...\n}\n\nfunc Stop(jobs []Job) {\n  for _, job := range jobs {\n    err := job.Stop(1)\n"
        "    if err != nil {\n      report(err)\n    }\n  }\n}\n"
    )
    result = apply_edit(before, edit, path="jobs.go")
    new = (
        "\tfor _, job := range jobs {\n\t\terr := job.Stop(1)\n\t\tif err != nil {\n"
        "\t\t\treport(err)\n\t\t}\n\t}\n"
    )
    old = "\terr := jobs[0].Stop(1)\n\tif err != nil {\n\t\treport(err)\n\t}\n"
    assert result.text == changed(before, (old, new))
