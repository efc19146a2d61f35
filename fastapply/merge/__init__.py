"""Merging: where each part of an edit belongs in the file, and how certain that is."""
