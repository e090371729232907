"""A beat asks for what is due though it cannot keep what it has asked for: its disk is full."""

import shutil
from pathlib import Path

import pytest
from celery import Celery

from provexplorer.beat_schedule import SCHEDULE
from provexplorer.one_beat import OneBeat

pytestmark = pytest.mark.engine_free


def beat(file: Path) -> OneBeat:
    app = Celery(set_as_current=False)
    app.conf.beat_schedule = SCHEDULE
    return OneBeat(app=app, schedule_filename=str(file))


def test_one_that_cannot_read_what_was_kept_begins_from_now(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    begun = beat(tmp_path / "file" / "schedule")  # below what is no folder
    assert set(SCHEDULE) <= set(begun.schedule)
    begun.sync()


def test_one_that_can_keep_nothing_any_more_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    begun = beat(folder / "schedule")
    asked = begun.reserve(begun.schedule["clear the inbox"])
    shutil.rmtree(folder)
    begun.sync()
    assert set(SCHEDULE) <= set(begun.schedule)
    assert begun.schedule["clear the inbox"] == asked
