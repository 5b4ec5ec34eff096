"""The worker process while it is still warming up."""

import asyncio
import time
from pathlib import Path

import pytest

from roofstat.lsp import analyst as module
from roofstat.lsp.tasks import AnalyzeDocument, SupersededError, WarmUp

TASK = AnalyzeDocument(
    path=Path("a.cu"),
    options=None,
    options_number=1,
    with_folder=False,
    unsaved={},
    number=1,
    base=None,
)


def slow_to_warm_up(task):
    if isinstance(task, WarmUp):
        time.sleep(0.5)
        return None
    return "done" if isinstance(task, AnalyzeDocument) else None


@pytest.mark.parametrize("how", ["hurry", "cancel"])
def test_a_task_given_up_before_it_begins_does_not_cost_the_process(monkeypatch, how):
    monkeypatch.setattr(module, "perform", slow_to_warm_up)
    monkeypatch.setattr(module, "_HURRY_S", 0.01)
    monkeypatch.setattr(module, "_GRACE_S", 0.01)

    async def session():
        analyst = module.Analyst(None)
        try:
            first = asyncio.create_task(analyst.run(TASK, 60.0))
            await asyncio.sleep(0)  # the task has been handed over, and waits
            getattr(analyst, how)()
            assert isinstance((await first).error, SupersededError)
            assert (await analyst.run(TASK, 60.0)).value == "done"
            assert analyst.generation == 1
        finally:
            analyst.close()

    asyncio.run(session())
