"""A task that hangs ends its process, so that another one takes its place."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

TASKS = """
import sys, threading
from shop.celery import app, limit_tasks

@app.task
def quick():
    pass

@app.task
def hang():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

app.conf.task_time_limit = 1
limit_tasks()
quick.apply()
print("done", flush=True)
globals()[sys.argv[1]].apply()
import time
time.sleep(1.5)
print("alive", flush=True)
"""


@pytest.mark.parametrize(("task", "status", "said"), [("hang", 1, "done\n"), ("quick", 0, "done\nalive\n")])
def test_process_when_a_task_hangs_ends_with_its_traceback(tmp_path, task, status, said):
    ended = subprocess.run(
        [sys.executable, "-c", TASKS, task],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (status, said), ended.stderr
    assert ("in hang" in ended.stderr) is (status == 1)


def test_pool_of_workers_shares_no_lock_that_a_killed_one_could_keep():
    assert settings.CELERY_WORKER_POOL == "solo"
