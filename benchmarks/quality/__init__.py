"""How good the answers are: studies on generated and on public tables, each printed as a Markdown table."""
