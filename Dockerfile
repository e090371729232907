# The site on servers of your own; docker-compose.yml shows which.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=provexplorer.settings \
    PROVEXPLORER_DATA_DIR=/tmp \
    PROVEXPLORER_STATIC_ROOT=/srv/static

WORKDIR /srv/provexplorer
COPY requirements-site.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements-site.txt

COPY manage.py .
COPY provexplorer provexplorer
COPY lineage lineage
COPY citations citations
COPY templates templates
COPY static static
COPY locale locale
# Served: the pages of problem types, and the schemas of events.
COPY docs/problems docs/problems
COPY docs/webhooks docs/webhooks
# Compiled once: nobody but the builder may write there.
RUN python -m compileall -q provexplorer lineage citations
# Collecting needs some secret, not the one that is used.
RUN PROVEXPLORER_SECRET_KEY=unused-while-collecting python manage.py collectstatic --noinput \
    && useradd --system --no-create-home provexplorer

USER provexplorer
EXPOSE 8000
CMD ["gunicorn", "--config=python:provexplorer.embedded.web_server", "--bind=0.0.0.0:8000", "--workers=2", "--threads=4", "provexplorer.wsgi:application"]
