"""The site: what every page and call passes through."""

# Loaded with Django, so that tasks are sent to the configured broker from every process.
from provexplorer.celery import app as celery_app

__all__ = ["celery_app"]
