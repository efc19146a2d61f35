"""The model path: an apply model writes the merge that the closed form is not certain of.

    Proposal (open) ─ region ─▶ what the model sees ─ prompts ─▶ Prompt ─┐
                                                                         ├─ an ApplyModel ─▶ Completion
    best guess, file, edit ──────────────────────────────────▶ Drafts ───┘        │
                                            verify ◀─ splices ◀─ region ◀─ answer ┘

`rewrite` is that way as a whole; `engine` says what an apply model has to do, wherever it runs. The
regions, prompts, answers and drafts are pure; engines are the only part that needs llama.cpp, a
process or a network, and nothing here is imported for a merge that is certain.
"""
