"""Case-based reasoning over a durable case base: retrieve, reuse, revise, retain."""
