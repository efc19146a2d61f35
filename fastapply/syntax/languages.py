"""Which grammar a file wants, by its name or its first line.

A language is left out where its grammar is known to loop for ever inside an external scanner,
where no time limit of tree-sitter reaches: perl (on ``a` ``) and cobol (on a NUL byte), found by
feeding every bundled grammar all one-byte texts and some thousand short ones.
"""

from __future__ import annotations

import re

_EXTENSIONS: dict[str, str] = {
    extension: language
    for language, extensions in {
        "ada": "adb ads",
        "astro": "astro",
        "bash": "sh bash zsh ksh bats",
        "bicep": "bicep",
        "c": "c",
        "cairo": "cairo",
        "clojure": "clj cljs cljc edn",
        "cmake": "cmake",
        "commonlisp": "lisp lsp cl",
        "cpp": "cc cpp cxx c++ h hh hpp hxx h++ inl ipp tpp",
        "csharp": "cs csx",
        "css": "css",
        "cuda": "cu cuh",
        "d": "d di",
        "dart": "dart",
        "dockerfile": "dockerfile",
        "elixir": "ex exs",
        "elisp": "el",
        "elm": "elm",
        "embeddedtemplate": "erb ejs",
        "erlang": "erl hrl",
        "fish": "fish",
        "fortran": "f90 f95 f03 f08",
        "fsharp": "fs fsx",
        "gdscript": "gd",
        "gleam": "gleam",
        "glsl": "glsl vert frag comp",
        "go": "go",
        "gomod": "mod",
        "graphql": "graphql gql graphqls",
        "groovy": "groovy gradle",
        "haskell": "hs",
        "hcl": "hcl tf tfvars",
        "hlsl": "hlsl",
        "html": "html htm xhtml",
        "ini": "ini cfg",
        "java": "java",
        "javascript": "js mjs cjs jsx",
        "json": "json webmanifest geojson",
        "julia": "jl",
        "kotlin": "kt kts",
        "latex": "tex sty cls",
        "lua": "lua",
        "luau": "luau",
        "make": "mk mak",
        "markdown": "md markdown",
        "matlab": "m",
        "nim": "nim nims",
        "nix": "nix",
        "objc": "mm",
        "ocaml": "ml",
        "ocaml_interface": "mli",
        "odin": "odin",
        "pascal": "pas pp dpr",
        "php": "php phtml",
        "powershell": "ps1 psm1 psd1",
        "prisma": "prisma",
        "properties": "properties",
        "proto": "proto",
        "puppet": "pp",
        "purescript": "purs",
        "python": "py pyi pyw",
        "r": "r",
        "racket": "rkt",
        "rego": "rego",
        "rst": "rst",
        "ruby": "rb rake gemspec ru podspec",
        "rust": "rs",
        "scala": "scala sc sbt",
        "scheme": "scm ss",
        "scss": "scss",
        "smithy": "smithy",
        "solidity": "sol",
        "sql": "sql",
        "starlark": "bzl star",
        "svelte": "svelte",
        "swift": "swift",
        "tcl": "tcl",
        "thrift": "thrift",
        "toml": "toml",
        "tsx": "tsx",
        "twig": "twig",
        "typescript": "ts mts cts",
        "typst": "typ",
        "verilog": "v sv svh vh",
        "vhdl": "vhd vhdl",
        "vim": "vim",
        "vue": "vue",
        "wgsl": "wgsl",
        "xml": "xml svg xsd xsl xslt plist csproj props targets xaml",
        "yaml": "yaml yml",
        "zig": "zig zon",
    }.items()
    for extension in extensions.split()
}

_NAMES: dict[str, str] = {
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "cmakelists.txt": "cmake",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "podfile": "ruby",
    "vagrantfile": "ruby",
    "brewfile": "ruby",
    "guardfile": "ruby",
    "build": "starlark",
    "build.bazel": "starlark",
    "workspace": "starlark",
    "workspace.bazel": "starlark",
    "jenkinsfile": "groovy",
    "sconstruct": "python",
    "sconscript": "python",
    "meson.build": "meson",
    "meson_options.txt": "meson",
    "kconfig": "kconfig",
    "requirements.txt": "requirements",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".profile": "bash",
    ".zshrc": "bash",
    ".envrc": "bash",
    ".gitattributes": "gitattributes",
    ".gitignore": "gitignore",
    ".dockerignore": "gitignore",
    ".editorconfig": "ini",
    ".gitconfig": "ini",
    ".vimrc": "vim",
    "pipfile": "toml",
    "cargo.lock": "toml",
    "poetry.lock": "toml",
    ".babelrc": "json",
    ".eslintrc": "json",
    ".prettierrc": "json",
    "go.mod": "gomod",
}

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?([\w.+-]+)(?:\s+(?:-S\s+)?(?:\w+=\S*\s+)*([\w.+-]+))?")
_INTERPRETERS: dict[str, str] = {
    "sh": "bash",
    "bash": "bash",
    "dash": "bash",
    "zsh": "bash",
    "ksh": "bash",
    "ash": "bash",
    "fish": "fish",
    "python": "python",
    "pypy": "python",
    "uv": "python",
    "node": "javascript",
    "nodejs": "javascript",
    "bun": "typescript",
    "deno": "typescript",
    "ts-node": "typescript",
    "tsx": "typescript",
    "ruby": "ruby",
    "php": "php",
    "lua": "lua",
    "luajit": "lua",
    "rscript": "r",
    "julia": "julia",
    "elixir": "elixir",
    "escript": "erlang",
    "tclsh": "tcl",
    "pwsh": "powershell",
    "make": "make",
    "groovy": "groovy",
    "swift": "swift",
    "scala": "scala",
}


def language_of(path: str | None, first_line: str = "") -> str | None:
    """Name the tree-sitter language of a file, or None where there is no grammar for it.

    ``language_of("web/app.tsx")`` is ``"tsx"``; a file without a telling name is judged by the
    shebang in its first line: ``language_of("bin/tool", "#!/usr/bin/env python3")``.
    """
    if path:
        name = re.split(r"[\\/]", path)[-1].lower()
        if name in _NAMES:
            return _NAMES[name]
        stem, dot, extension = name.rpartition(".")
        if dot and extension in _EXTENSIONS:
            return _EXTENSIONS[extension]
        if stem in {"dockerfile", "makefile"}:  # Dockerfile.dev
            return _NAMES[stem]
    found = _SHEBANG.match(first_line)
    if not found:
        return None
    program = found[2] if found[1] == "env" and found[2] else found[1]
    program = program.lower()
    return _INTERPRETERS.get(program) or _INTERPRETERS.get(program.rstrip("0123456789.-"))


def known_languages() -> frozenset[str]:
    """All languages that `language_of` can name."""
    return frozenset({*_EXTENSIONS.values(), *_NAMES.values(), *_INTERPRETERS.values()})
