"""What texts define, over many grammars."""

from __future__ import annotations

from importlib import import_module

import pytest

from fastapply.syntax import Definition, definitions

TEXTS: dict[str, tuple[str, list[str]]] = {
    "python": (
        "@a\ndef f(x):\n    pass\n\nclass A:\n    @property\n    def v(self): return 1\n",
        ["function f 0-2", "class A 4-6", "function A.v 5-6"],
    ),
    "tsx": (
        (
            "export const App = ({a}) => {\n  return <b/>;\n};\nclass C {\n  m() {}\n  h = () => {};\n}\n"
            "interface I { a: string }\ntype T = {\n  b: 1;\n};\nit('adds', () => {\n  x();\n});\n"
        ),
        [
            "function App 0-2",
            "class C 3-6",
            "function C.m 4-4",
            "function C.h 5-5",
            "class I 7-7",
            "type T 8-10",
            "test adds 11-13",
        ],
    ),
    "go": (
        "package a\n\nfunc (s *Server) Get() {\n}\n\ntype (\n\tA int\n\tB struct{}\n)\n",
        ["function Server.Get 2-3", "type A 6-6", "type B 7-7"],
    ),
    "c": (
        "struct a {\n  int x;\n};\nstatic int *f(struct a *p)\n{\n  return 0;\n}\nstruct a *p;\n",
        ["type a 0-2", "function f 3-6"],
    ),
    "cpp": (
        "template <typename T>\nclass A {\n  int f() { return 1; }\n};\nint A::g(int x) { return x; }\n",
        ["class A 0-3", "function A.f 2-2", "function A::g 4-4"],
    ),
    "rust": (
        "impl fmt::Display for A {\n    fn fmt(&self) {}\n}\nmod tests {\n    fn t() {}\n}\n",
        [
            "impl fmt::Display for A 0-2",
            "function fmt::Display for A.fmt 1-1",
            "module tests 3-5",
            "function tests.t 4-4",
        ],
    ),
    "java": (
        "class A {\n  @Override\n  int f(int a) {\n    return 1;\n  }\n  int f(String a) { return 2; }\n}\n",
        ["class A 0-6", "function A.f 1-4", "function A.f 5-5"],
    ),
    "kotlin": ("class A {\n  fun f() = 1\n}\nobject O\n", ["class A 0-2", "function A.f 1-1", "class O 3-3"]),
    "csharp": (
        "namespace N {\n  class A {\n    void F() { }\n  }\n}\n",
        ["module N 0-4", "class N.A 1-3", "function N.A.F 2-2"],
    ),
    "ruby": (
        "module M\n  class A\n    def f; end\n  end\nend\n",
        ["module M 0-4", "class M.A 1-3", "function M.A.f 2-2"],
    ),
    "elixir": ("defmodule A do\n  def f(x) do\n    x\n  end\nend\n", ["module A 0-4", "function A.f 1-3"]),
    "bash": ("f() {\n  x\n}\nfunction g {\n  y\n}\n", ["function f 0-2", "function g 3-5"]),
    "lua": ("local function f()\nend\nM.g = function()\nend\n", ["function f 0-1", "function M.g 2-3"]),
    "php": ("<?php\nclass A {\n  function f() {}\n}\n", ["class A 1-3", "function A.f 2-2"]),
    "swift": (
        "struct A {\n  init() {}\n  func f() {}\n}\n",
        ["class A 0-3", "function A.init 1-1", "function A.f 2-2"],
    ),
    "scala": ("object O {\n  def f = 1\n}\n", ["class O 0-2", "function O.f 1-1"]),
    "sql": ("CREATE TABLE a (\n  x INT\n);\nCREATE VIEW v AS SELECT 1;\n", ["table a 0-2", "table v 3-3"]),
    "css": (
        ".a,\n.b {\n  x: y;\n}\n@media print {\n  p { a: b; }\n}\n",
        ["rule .a, .b 0-3", "rule @media print 4-6", "rule @media print.p 5-5"],
    ),
    "hcl": ('resource "a" "b" {\n  x = 1\n}\n', ["block resource a b 0-2"]),
    "toml": ("[a.b]\nx = 1\n\n[c]\ny = 2\n", ["table a.b 0-1", "table c 3-4"]),
    "yaml": ("a: 1\nb:\n  c:\n    d: 1\n", ["key b 1-3", "key b.c 2-3"]),
    "json": ('{\n  "a": {\n    "b": 1\n  }\n}\n', ["key a 1-3"]),
    "make": ("all: a\n\techo\n", ["rule all 0-1"]),
    "markdown": ("# A\n\nx\n\n## B\n\ny\n", ["section A 0-6", "section A.B 4-6"]),
    "r": ("f <- function(x) {\n  x\n}\n", ["function f 0-2"]),
    "svelte": (
        "<script>\n  function f() {\n  }\n</script>\n<style>\n  .a { b: c; }\n</style>\n",
        ["function f 1-2", "rule .a 5-5"],
    ),
}


@pytest.mark.parametrize("language", TEXTS)
def test_definitions_are_found_with_their_scopes_and_lines(language):
    """Kind, name with what encloses it, and 0-based lines."""
    text, expected = TEXTS[language]
    found = definitions(text, language)
    assert [
        f"{one.kind} {'.'.join((*one.scope, one.name))} {one.first_line}-{one.last_line}" for one in found
    ] == expected


def test_comment_and_decorator_above_are_attached():
    """What stands right above a definition belongs to it; what a blank line parts does not."""
    text = "# far\n\n# near\n@deco\ndef f(a, b):\n    return 1\n"
    assert definitions(text, "python") == (
        Definition(
            name="f",
            kind="function",
            first_line=3,
            last_line=5,
            attached_line=2,
            header_line=4,
            scope=(),
            signature="def f(a, b):",
        ),
    )


def test_text_without_definitions_has_none():
    """Calls and literals define nothing, and neither does a language without a grammar."""
    assert definitions("f(1)\nx = 2\n", "python") == ()
    assert definitions("def f():\n  pass\n", None) == ()


@pytest.mark.parametrize("language", TEXTS)
def test_a_large_text_has_the_definitions_of_its_parts(monkeypatch, language):
    """What the same outermost piece defines is known from before, and is where it is now."""
    text = TEXTS[language][0]
    small = definitions(f"\n\n{text}", language), definitions(text, language)
    monkeypatch.setattr(import_module("fastapply.syntax.definitions"), "_LARGE", 0)
    definitions.cache_clear()
    assert (definitions(f"\n\n{text}", language), definitions(text, language)) == small
    definitions.cache_clear()
