"""Traces that arrive in pieces: which payloads hold spans of which trace, put together."""
