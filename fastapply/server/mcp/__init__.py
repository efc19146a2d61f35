"""`fastapply mcp`: tools with which an agent edits files, over the Model Context Protocol."""
