"""Names as addresses: what a name stands for in a file, and where code beside it goes."""

from __future__ import annotations

import pytest

from fastapply.errors import Refused
from fastapply.merge.symbols import find_symbol, last_member, place_beside
from fastapply.text import from_text, splice

PYTHON = '''\
import os

LIMIT = 3


# Keeps things.
class Store:
    """A store."""

    @cached
    def get(self, key):
        return self.items.get(key)

    def put(self, key, value):
        self.items[key] = value


class Cache:
    def get(self, key):
        return self.items.get(key)


def main():
    store = Store()
'''
RUST = """\
/// A store.
pub struct Store {
    items: u32,
}

impl Store {
    pub fn get(&self) -> u32 {
        self.items
    }
}
"""
GO = "package a\n\ntype Store struct{}\n\nfunc (s *Store) Get() int {\n\treturn 1\n}\n"
MARKDOWN = "# Tool\n\nWords.\n\n## Usage\n\nRun it.\n\n### More\n\nText\n\n## Licence\n\nMIT\n"
TOML = '[project]\nname = "x"\nversion = "1"\n\n[tool.ruff]\nline-length = 100\n'
JSON = '{\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest"\n  },\n  "deps": {}\n}\n'
YAML = "services:\n  web:\n    image: x\n  db:\n    image: y\n"
CSS = ".a { color: red; }\n\n.page-header {\n  color: blue;\n}\n"
TYPESCRIPT = """\
export class Store {
  private items = new Map();

  @log()
  get(key: string) {
    return this.items.get(key);
  }
}

export const add = (a: number, b: number) => {
  return a + b;
};
"""
CSHARP = """\
namespace Shop
{
    public class Cart
    {
        public Cart(int size)
        {
            Size = size;
        }
    }
}
"""
FILES = {
    "csharp": CSHARP,
    "python": PYTHON,
    "rust": RUST,
    "go": GO,
    "markdown": MARKDOWN,
    "toml": TOML,
    "json": JSON,
    "yaml": YAML,
    "css": CSS,
    "typescript": TYPESCRIPT,
}


@pytest.mark.parametrize(
    ("language", "name", "lines"),
    [
        ("python", "put", (14, 15)),
        ("python", "Store.get", (10, 12)),
        ("python", "`Store.get()`", (10, 12)),
        ("python", "get:20", (19, 20)),
        ("python", "Cache", (18, 20)),
        ("python", "Store", (6, 15)),
        ("python", "LIMIT", (3, 3)),
        ("csharp", "Cart", (3, 9)),
        ("csharp", "Cart.Cart", (5, 8)),
        ("rust", "impl Store", (6, 10)),
        ("rust", "Store::get", (7, 9)),
        ("go", "Store.Get", (5, 7)),
        ("markdown", "Usage", (5, 11)),
        ("markdown", "## Licence", (13, 15)),
        ("toml", "[tool.ruff]", (5, 6)),
        ("toml", "version", (3, 3)),
        ("json", "scripts", (2, 5)),
        ("json", "scripts.test", (4, 4)),
        ("yaml", "services.db", (4, 5)),
        ("yaml", "web.image", (3, 3)),
        ("css", "page-header", (3, 5)),
        ("typescript", "get", (4, 7)),
        ("typescript", "add", (10, 12)),
    ],
)
def test_name_stands_for_lines(language, name, lines):
    """1-based here, with the comments and decorators above."""
    found = find_symbol(from_text(FILES[language]), language, name)
    assert (found.start + 1, found.end) == lines


@pytest.mark.parametrize(
    ("language", "name", "reason", "message", "hint"),
    [
        ("python", "gte", "no_such_name", "there is no 'gte' in the file", "did you mean Store.get?"),
        ("python", "Store.x9", "no_such_name", "there is no 'Store.x9' in the file", "Store"),
        (
            "python",
            "get",
            "ambiguous_name",
            "'get' matches 2 definitions: function Store.get (line 11), function Cache.get (line 19)",
            "write the full name, or add a line number: get:11",
        ),
        (
            "rust",
            "Store",
            "ambiguous_name",
            "'Store' matches 2 definitions: type Store (line 2), impl Store (line 6)",
            "write the full name, or add a line number: Store:2",
        ),
        ("yaml", "image", "ambiguous_name", "'image' matches 2 definitions", "image:3"),
        ("python", "items", "no_such_name", "there is no 'items' in the file", ""),
    ],
)
def test_name_of_nothing_or_of_several_things_is_refused(language, name, reason, message, hint):
    """Nothing is guessed; what is called in a statement is no name."""
    with pytest.raises(Refused) as caught:
        find_symbol(from_text(FILES[language]), language, name)
    assert caught.value.reason == reason
    assert caught.value.message.startswith(message)
    assert hint in caught.value.hint


def put(language, side, name, new):
    """The file with code beside a name."""
    source = from_text(FILES[language])
    symbol = find_symbol(source, language, name)
    return splice(source, place_beside(source, language, symbol, tuple(new.split("\n")), side)).text


METHOD = "def has(self, key):\n    return key in self.items"
DEEP = "    def has(self, key):\n        return key in self.items\n"


@pytest.mark.parametrize(
    ("language", "where", "new", "old", "becomes"),
    [
        ("python", "after Store.get", METHOD, "    def put", f"{DEEP}\n    def put"),
        ("python", "before Store.get", METHOD, "    @cached", f"{DEEP}\n    @cached"),
        ("python", "after put", METHOD, "= value\n", f"= value\n\n{DEEP}"),
        ("python", "after LIMIT", "MOST = 4", "LIMIT = 3\n", "LIMIT = 3\nMOST = 4\n"),
        (
            "python",
            "before Cache",
            "def f():\n    pass",
            "class Cache",
            "def f():\n    pass\n\n\nclass Cache",
        ),
        (
            "python",
            "replace Store.get",
            METHOD,
            "    def get(self, key):\n        return self.items.get(key)\n\n    def put",
            f"{DEEP}\n    def put",
        ),
        (
            "python",
            "replace Store.get",
            f"@property\n{METHOD}",
            "    @cached\n    def get(self, key):\n        return self.items.get(key)\n\n    def put",
            f"    @property\n{DEEP}\n    def put",
        ),
        ("json", "after test", '"lint": "x"', '"vitest"\n', '"vitest",\n    "lint": "x"\n'),
        ("json", "before build", '"lint": "x"', '    "build"', '    "lint": "x",\n    "build"'),
        ("json", "after deps", '"x": {\n  "y": 1\n}', "{}\n}", '{},\n  "x": {\n    "y": 1\n  }\n}'),
        ("json", "replace build", '"lint": "x"', '"build": "tsc",', '"lint": "x",'),
        ("yaml", "after web", "cache:\n  image: z", "  db:", "  cache:\n    image: z\n  db:"),
        ("markdown", "after More", "### Other\n\nO", "## Licence", "### Other\n\nO\n\n## Licence"),
        ("toml", "after project", "[a]\nb = 1", "[tool", "[a]\nb = 1\n\n[tool"),
        ("css", "after .a", ".b {\n  x: y;\n}", ".page", ".b {\n  x: y;\n}\n\n.page"),
        ("typescript", "before get", "has() {\n  x;\n}", "  @log", "  has() {\n    x;\n  }\n\n  @log"),
    ],
)  # fmt: skip
def test_code_beside_a_name_is_as_deep_with_the_files_blank_lines_and_commas(
    language, where, new, old, becomes
):
    """And nothing else changes."""
    file = FILES[language]
    assert file.count(old) == 1
    side, _, name = where.partition(" ")
    assert put(language, side, name, new) == file.replace(old, becomes)


def test_code_that_is_as_deep_already_keeps_its_blanks():
    """White space on blank lines, and lines at the margin."""
    new = "    def has(self):\n        \n#if X\n        pass"
    _, cache, rest = PYTHON.partition("class Cache:")
    assert put("python", "after", "put", new).endswith(f"\n\n{new}\n\n\n{cache}{rest}")


@pytest.mark.parametrize(
    ("language", "name", "last"),
    [("python", "Store", "Store.put"), ("json", "scripts", "scripts.test"), ("python", "main", None)],
)
def test_last_member_is_what_new_members_go_behind(language, name, last):
    """A function has statements, and no members."""
    source = from_text(FILES[language])
    found = last_member(source, language, find_symbol(source, language, name))
    assert (found.name if found else None) == last
