"""Studies of accuracy on generated and public tables, each printed as a Markdown table."""
