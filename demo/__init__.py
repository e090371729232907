"""The demo's real data, with origin and licence beside each, and the importer that makes records of it."""
