"""Studies of accuracy on generated and public data sets, each printed as a Markdown table."""
