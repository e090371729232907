"""The durable inbox: what was sent, kept before it is acknowledged, and what became of it."""
