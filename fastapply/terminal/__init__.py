"""What a person sees: streams, colours, line breaks, diffs, tables, the pager and Markdown."""
