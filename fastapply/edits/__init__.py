"""Reading edits: which format an edit is in (`detect`), and what it says."""
