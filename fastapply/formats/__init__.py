"""Reading edits: which format an edit is in, and what it says."""
