"""The variable by which a run of the suite tells its parts what it has prepared for them."""

from typing import Final

# The folder of SQLite databases with all migrations applied; in a cluster they are templates.
FOLDER: Final = "PROVEXPLORER_TESTS_PREPARED"
