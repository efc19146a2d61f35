"""The prompts that apply models were trained on, and the form in which each answers.

==========  ===================================================  ======================================
style       model                                                answer
==========  ===================================================  ======================================
kortix      FastApply 1.5B and 7B (Kortix)                       ``<updated-code>...</updated-code>``
fastedit    FastEdit 1.5B and 1.7B: the same, ``/no_think``      ``<updated-code>...</updated-code>``
osmosis     Osmosis-Apply 1.7B                                   ``<code>...</code>``
aixapply    aiXapply 4B                                          ``<update_file>...</update_file>``
morph       Morph and Relace, ``<instruction>`` before the code  the bare text
nano        fastapply's own: special tokens, no words            the bare text, ``<|end|>``, ``<|cannot|>``
instruct    any model that follows instructions                  ``<updated-code>...</updated-code>``
==========  ===================================================  ======================================

The wordings are those of the models' cards and examples. The code stands before the edit wherever the
model allows it, so that a second edit of one file finds the first part of its prompt evaluated already.
Code is never escaped: a text is a piece of its own, and its tokens are made without special ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

StyleName = Literal["kortix", "fastedit", "osmosis", "aixapply", "morph", "nano", "instruct"]
Role = Literal["system", "user", "assistant"]
STYLES: tuple[StyleName, ...] = get_args(StyleName)
CANNOT = "<|cannot|>"
"""The token of a model of ours that stands for "I cannot tell what this edit means" and ends the answer."""

_KORTIX_SYSTEM = (
    "You are a coding assistant that helps merge code updates, ensuring every modification is fully "
    "integrated."
)
_KORTIX_USER = """\
Merge all changes from the <update> snippet into the <code> below.
- Preserve the code's structure, order, comments, and indentation exactly.
- Output only the updated code, enclosed within <updated-code> and </updated-code> tags.
- Do not include any additional text, explanations, placeholders, ellipses, or code fences.

<code>{code}</code>

<update>{edit}</update>

Provide the complete updated code."""
_AIX_USER = """\
<language>{language}</language>

<source_file>{code}</source_file>

<update_snippet>{edit}</update_snippet>

Please generate the full updated code strictly following the instructions."""
_INSTRUCT_SYSTEM = """\
You merge an edit into code. The edit shows what changes; a comment such as `... existing code ...` in it
stands for code that stays as it is. Write the whole code with the edit put in, and change nothing else:
keep every other line, comment and blank exactly. A line such as `[lines 12-40 not shown]` in the code stands
for lines that you do not see: write it again where it stands. Write the code between <updated-code> and
</updated-code>, and nothing before or after that. Write nothing between them if the edit is of other code."""


@dataclass(frozen=True, slots=True)
class ShownToModel:
    """What a prompt shows; a style that has no place for one of these leaves it out."""

    code: str
    edit: str
    language: str = ""  # a tree-sitter name
    instructions: str = ""  # the one line that a coding model sends along
    conversation: str = ""  # what was said before the edit


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """A part of a raw prompt; `special` where tokens such as ``<|im_end|>`` are meant as such."""

    text: str
    special: bool = False


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """How a style answers: the tags around the text, both "" for the bare text."""

    start: str = ""
    end: str = ""
    may_refuse: bool = False  # an answer with nothing in it says that the edit is not clear


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as the turns of a chat, and as the pieces of one text for an engine that makes tokens.

    `end` is what the engine stops at once the model has written it: the answer's end tag, or "" where
    only the end of the sequence ends it (a bare answer, or code that holds the tag itself). `about` says to
    people which decision is asked.
    """

    style: StyleName
    messages: tuple[Message, ...]
    pieces: tuple[PromptPiece, ...]
    end: str
    about: str = ""


def fixed_part(prompt: Prompt) -> Prompt:
    """What every prompt of its style begins with: the turn of the system, where there is one."""
    has_system = bool(prompt.messages) and prompt.messages[0].role == "system"
    return replace(prompt, pieces=prompt.pieces[:3] if has_system else ())


def answer_form(style: StyleName) -> AnswerForm:
    """The form of a style's answers."""
    if style in {"kortix", "fastedit", "instruct"}:
        return AnswerForm("<updated-code>", "</updated-code>", may_refuse=style == "instruct")
    if style == "osmosis":
        return AnswerForm("<code>", "</code>")
    if style == "aixapply":
        return AnswerForm("<update_file>", "</update_file>", may_refuse=True)
    return AnswerForm(may_refuse=style == "nano")


def render_prompt(style: StyleName, shown: ShownToModel) -> Prompt:
    """The prompt that asks for an edit to be merged into code."""
    form = answer_form(style)
    end = "" if form.end and (form.end in shown.code or form.end in shown.edit) else form.end
    if style == "nano":
        return Prompt(style, (), _nano_pieces(shown), end)
    messages = _messages(style, shown)
    # a model of the Qwen3 family that is told not to think finds its empty thoughts written already, as its
    # own chat template does it
    opening = "<think>\n\n</think>\n\n" if style in {"fastedit", "osmosis", "aixapply"} else ""
    return Prompt(style, messages, _chat_pieces(messages, opening), end)


def expected_answer(style: StyleName, text: str) -> str:
    """What a model of this style writes when the merged text is `text`."""
    form = answer_form(style)
    return text.removesuffix("\n") if style == "nano" else f"{form.start}{text}{form.end}"


def _nano_pieces(shown: ShownToModel) -> tuple[PromptPiece, ...]:
    return (
        PromptPiece("<|orig|>", special=True),
        PromptPiece(shown.code.removesuffix("\n")),
        PromptPiece("<|edit|>", special=True),
        PromptPiece(shown.edit.removesuffix("\n")),
        PromptPiece("<|merge|>", special=True),
    )


def _messages(style: StyleName, shown: ShownToModel) -> tuple[Message, ...]:
    code, edit = shown.code, shown.edit
    if style in {"kortix", "fastedit"}:
        system = _KORTIX_SYSTEM + (" /no_think" if style == "fastedit" else "")
        return (Message("system", system), Message("user", _KORTIX_USER.format(code=code, edit=edit)))
    if style == "osmosis":
        return (Message("user", f"<code>\n{code}\n</code>\n\n\n<edit>\n{edit}\n</edit>"),)
    if style == "aixapply":
        return (Message("user", _AIX_USER.format(language=shown.language, code=code, edit=edit)),)
    if style == "morph":
        said = shown.instructions
        first = f"<instruction>{said}</instruction>\n" if said else ""
        return (Message("user", f"{first}<code>{code}</code>\n<update>{edit}</update>"),)
    said = shown.conversation
    parts = [f"<conversation>{said}</conversation>"] if said else []
    parts += [f"<code>{code}</code>", f"<update>{edit}</update>"]
    said = shown.instructions
    parts += [f"<instructions>{said}</instructions>"] if said else []
    return (Message("system", _INSTRUCT_SYSTEM), Message("user", "\n\n".join(parts)))


def _chat_pieces(messages: Sequence[Message], opening: str) -> tuple[PromptPiece, ...]:
    """The turns in ChatML, the format of the Qwen models that all these styles were trained from."""
    pieces: list[PromptPiece] = []
    for message in messages:
        pieces += [
            PromptPiece(f"<|im_start|>{message.role}\n", special=True),
            PromptPiece(message.text),
            PromptPiece("<|im_end|>\n", special=True),
        ]
    return (*pieces, PromptPiece(f"<|im_start|>assistant\n{opening}", special=True))
