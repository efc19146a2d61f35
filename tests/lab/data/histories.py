"""Small git repositories with a licence and a history, and changes out of them."""

from __future__ import annotations

import os
import random
import subprocess

from fastapply_lab.data.history import FileChange

MIT = """MIT License

Copyright (c) 2024 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""
NOUNS = ("order", "window", "ledger", "parcel", "ticket", "street", "engine", "garden", "letter", "bridge")
VERBS = ("open", "close", "count", "move", "paint", "weigh", "sort", "send", "fold", "mark")


def module(topic, functions=12):
    """A Python file of more than a hundred lines, of functions that are all different."""
    rng = random.Random(topic)
    parts = [f'"""All about {topic}."""\n\nimport logging\n\nlog = logging.getLogger(__name__)\n']
    for number in range(functions):
        verb, noun = VERBS[number % len(VERBS)], rng.choice(NOUNS)
        name = f"{verb}_{noun}_{topic}_{number}"
        parts.append(
            f"\n\ndef {name}({noun}, amount):\n"
            f'    """Do it to the {noun} of {topic}, {number} times."""\n'
            f"    if amount < {number}:\n"
            f'        raise ValueError("{topic} {noun} needs {number}")\n'
            f"    amount = check_amount(amount)\n"
            f"    {noun}.{verb}(amount + {rng.randrange(1000)})\n"
            f"    amount = check_amount(amount)\n"
            f'    log.info("{verb} {noun} {topic} {number}")\n'
            f"    return {noun}.total * {rng.randrange(1000)}\n"
        )
    return "".join(parts)


def git(repo, *arguments):
    """Run git in a repository, away from the user's own configuration; gives what it printed."""
    who = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        who |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.org"}
        who[f"GIT_{role}_DATE"] = "2024-01-01T00:00:00Z"
    command = ["git", "-C", str(repo), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **who})
    return done.stdout


def commit(repo, files, message="step"):
    """Write files and commit them."""
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", f"--message={message}")


def make_repo(folder, files=None):
    """A repository with one commit of these files."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "core.autocrlf", "false")
    commit(folder, files or {"README": "nothing\n"})
    return folder


def changed(text, number, topic):
    """A module with one of its functions done otherwise, in words of its own."""
    lines = text.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if f"_{topic}_{number}(" in line)
    lines[at + 3] = f'        raise TypeError("number {number} of {topic} was given too little amount")\n'
    lines.insert(at + 4, f"    {topic}_{number} = amount ** {number + 2} // len(str({number * 7}))\n")
    lines.insert(at + 5, f"    remember_{number}(amount, {topic}_{number}, why='{topic} wants {number}')\n")
    return "".join(lines)


def history_of(folder, topics, licence=MIT, steps=8):
    """A repository with a module a topic, one function of each changed in each of its commits."""
    texts = {f"{topic}.py": module(topic) for topic in topics}
    repo = make_repo(folder, {"LICENSE": licence, **texts})
    for number in range(steps):
        for topic in topics:
            texts[f"{topic}.py"] = changed(texts[f"{topic}.py"], number, topic)
        commit(repo, texts)
    return repo


def change_of(before, after, path="a.py"):
    """A change of one file."""
    return FileChange("some", "0" * 40, path, before, after)
