"""Django's SQLite, whose writers wait for each other in short naps (base.py)."""
