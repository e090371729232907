"""Incidents: a question of impact that people work off, watched as answers arrive, told to others."""
