"""Failures that others reported in public, tried on ours. Each is a test; those that live elsewhere are named here.

WebGL missing in new headless Chromium          test_render_health: doctor fails, /health is red, nothing is scored
screenshots hanging after out-of-memory         test_render_hostile: memory bombs; the next painting is equal
long-lived contexts growing                     test_render_speed: memory, open files; faults/test_exits
leaked WebGL buffers losing the main context    here
pings swallowed by a tunnel                     faults/test_sockets: a tunnel that swallows everything
dirty disconnects leaking slots                 faults/test_sockets: clients killed and stopped
all-None and partly-None rows                   faults/test_groups
LoRA missing experts while reporting success    test_launch_checks: the silent miss; zeros in lora_B
job timeout ignored                             test_launch_jobs: a limit goes with the job, none is refused
metrics lost, tracking service down at exit     here
metadata.jsonl silently not matched             test_pool: a bad pool is refused by naming the file
provider 429 at 50%                             faults/test_rollouts ("judge, half"); test_reward
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys

import pytest
from test_render_pictures import sketch

from wclib.errors import SketchFault
from wclib.render.golden import GOLDEN_SEED, GOLDEN_SKETCH

LEAKS = {
    "20 WebGL contexts": "const kept = []; for (let i = 0; i < 20; i++) { const g = createGraphics(600, 600, WEBGL);"
    " g.background(i, 90, 90); kept.push(g); }",
    "2,000 buffers": "for (let i = 0; i < 2000; i++) { const b = drawingContext.createBuffer();"
    " drawingContext.bindBuffer(drawingContext.ARRAY_BUFFER, b);"
    " drawingContext.bufferData(drawingContext.ARRAY_BUFFER, 65536, drawingContext.STATIC_DRAW); }",
}


@pytest.mark.parametrize("leak", LEAKS)
def test_what_a_sketch_leaks_in_webgl_is_its_own_loss(leak, renderer, promised):
    """It may paint or fail, but the paintings after it, on the same browser, are to the byte what they are alone."""
    alone = renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256
    for _ in range(renderer.browsers):
        try:
            renderer.render(sketch(f"{LEAKS[leak]} brush.fill('#8a1f3d', 230); brush.circle(300, 300, 150, 0.3);"))
        except SketchFault as fault:
            assert fault.code in ("timeout", "resource_limit")
    for _ in range(renderer.browsers):
        assert renderer.render(GOLDEN_SKETCH, GOLDEN_SEED).sha256 == alone
    promised(10, f"a sketch that leaks {leak}", "the next paintings are to the byte what they were")


TRACKED = """
import os, sys, time
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.mirror import Mirror
from wclib.train.runlog import open_run
folder = open_run(sys.argv[1], "run", {}, resume=False)
with Mirror(LaunchConfig(trackio_space="painter/curves", run_tag="run"), print) as mirror:
    for step in range(6):
        row = {"step": step, "reward": 0.1 * step, "kl": None}
        folder.curve_row(row)
        mirror.log(row)
        if step == 2:
            time.sleep(2)
            os.kill(int(sys.argv[2]), 9)
print("ended well")
"""
SERVICE = "import time, trackio; print(trackio.show(open_browser=False, block_thread=False)); time.sleep(120)"


@pytest.mark.slow  # Trackio tries for half a minute before it gives up
def test_a_tracking_service_that_is_down_at_exit_costs_no_row_of_the_curve(tmp_path, promised):
    quiet = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    command = [sys.executable, "-u", "-c", SERVICE]
    own = quiet | {"TRACKIO_DIR": str(tmp_path / "service")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=own) as service:
        address = next(word for line in service.stdout for word in line.split() if "write_token=" in word)
        ours = quiet | {"TRACKIO_DIR": str(tmp_path / "trackio"), "TRACKIO_SERVER_URL": address}
        done = subprocess.run(
            [sys.executable, "-c", TRACKED, str(tmp_path), str(service.pid)],
            capture_output=True, text=True, env=ours, timeout=200,
        )  # fmt: skip
        assert service.wait(10) == -9
    assert done.returncode == 0 and "ended well" in done.stdout, done.stdout + done.stderr
    with (tmp_path / "run" / "curve.csv").open() as handle:
        assert [row["step"] for row in csv.DictReader(handle)] == [str(step) for step in range(6)]
    promised(9, "the tracking service killed during a run, and still down at its end", "said; curve.csv has every row")
