"""The command line keeps its word: one JSON object on stdout, talk on stderr, exit 0, 1 or 2."""

import argparse
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wclib import doctor
from wclib.cli import _parser
from wclib.doctor import report, wrong_pins
from wclib.errors import InfrastructureFault, UsageError

SKETCH = """async function setup() { createCanvas(600, 600, WEBGL); angleMode(DEGREES); noLoop(); }
function draw() {
  translate(-width / 2, -height / 2); background('#f8f2e4'); brush.noStroke(); brush.fillBleed(0.25);
  brush.fill('#d8577a', 200); brush.circle(300, 300, 150, 0.3);
}
"""


def wclib(*args: str, stdin: bytes = b"", timeout: float = 90, **env: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "wclib", *args],
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env={**os.environ, **env},
    )


def one_json(done: subprocess.CompletedProcess) -> dict:
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 1, done.stderr.decode()
    return json.loads(lines[0])


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (b"", "no_sketch"),
        (b"I am afraid I cannot paint.", "no_sketch"),
        (bytes(range(256)) * 64, "no_sketch"),
        (b"x" * 5_000_000, None),
        (b"```js\n" + b"/* a long comment */ " * 250_000 + b"\n```", None),
    ],
    ids=["empty", "prose", "binary", "5 MB of prose", "5 MB of code"],
)
def test_gate_refuses_what_is_no_sketch(reply, code):
    done = wclib("gate", "--static", stdin=reply, timeout=30)
    verdict = one_json(done)
    assert done.returncode == 1 and verdict["passed"] is False and verdict["violations"]
    assert code is None or verdict["violations"] == [code]
    assert b"Traceback" not in done.stderr


def test_the_answer_is_plain_ascii_whatever_is_quoted():
    reply = SKETCH.replace("brush.noStroke", r'brush["\ud800"](); brush.fülle').encode()
    done = wclib("gate", "--static", stdin=reply, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert one_json(done)["violations"] == ["unknown_brush_method"] and done.stdout.isascii()


@pytest.mark.parametrize(
    ("redirection", "status", "said"),
    [("<&-", 2, "standard input"), ("</dev/null >/dev/full", 1, "No space left")],
    ids=["no standard input", "a full disk"],
)
def test_closed_and_full_streams_are_said_in_a_line(redirection, status, said):
    command = f"{sys.executable} -m wclib gate --static {redirection}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == status and said in done.stderr and "Traceback" not in done.stderr


def test_gate_passes_an_honest_sketch():
    done = wclib("gate", "--static", stdin=SKETCH.encode())
    assert done.returncode == 0 and one_json(done) == {**one_json(done), "passed": True, "violations": []}


def test_render_writes_the_picture_and_the_promised_fields(tmp_path):
    (tmp_path / "sketch.js").write_text(SKETCH)
    out = tmp_path / "painting.png"
    done = wclib("render", str(tmp_path / "sketch.js"), "--out", str(out), "--seed", "3")
    result = one_json(done)
    assert done.returncode == 0, done.stderr.decode()
    assert {"paint_fraction", "finished", "errors", "elapsed_s", "cpu_s", "backend", "sha256"} <= set(result)
    assert result["finished"] and 0.01 < result["paint_fraction"] < 0.5
    assert out.read_bytes().startswith(b"\x89PNG")


def test_score_prints_a_number_or_null_and_its_terms(tmp_path):
    (tmp_path / "reply.txt").write_text(f"Here:\n```js\n{SKETCH}```\n")
    done = wclib("score", str(tmp_path / "reply.txt"), "--seed", "3")
    result = one_json(done)
    assert done.returncode == 0, done.stderr.decode()
    assert 0 < result["reward"] < 1 and set(result["terms"]) == {"gate", "length", "judge", "quality"}
    assert result["judge"] == result["quality"] == "local judge"


def test_score_of_prose_is_zero_with_a_reason_and_exit_1(tmp_path):
    (tmp_path / "reply.txt").write_text("Imagine a flower.")
    done = wclib("score", str(tmp_path / "reply.txt"))
    result = one_json(done)
    assert done.returncode == 1 and result["reward"] == 0 and "no_sketch" in result["reason"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["score", "{tmp}/missing.txt"], "missing.txt"),
        (["score", "{tmp}/reply.txt", "--pool", "{tmp}/nowhere"], "nowhere"),
        (["score", "{tmp}/reply.txt", "--pool", "{tmp}"], "{tmp}"),
        (["render", "{tmp}/reply.txt", "--out", "{tmp}/no/such/folder.png"], "folder"),
        (["render", "{tmp}/prose.txt", "--out", "{tmp}/out.png"], "no sketch"),
        (["render", "{tmp}/reply.txt", "--out", "{tmp}"], "is a folder"),
        (["train", "laptop", "--preset", "huge"], "huge"),
        (["publish", "nothing"], "nothing"),
        (["bench", "soak", "--renders", "0"], "0 is not a number from 10 on"),
        (["bench", "render", "--shapes", "7,many"], "many is not a number"),
        ([], "COMMAND"),
    ],
    ids=[
        *("no file", "no pool", "empty pool", "no folder", "no sketch", "a folder"),
        *("bad preset", "bad target", "no renders", "bad sizes", "no command"),
    ],
)
def test_wrong_usage_is_said_in_a_line_and_exits_with_2(tmp_path, args, said):
    (tmp_path / "reply.txt").write_text(SKETCH)
    (tmp_path / "prose.txt").write_text("Imagine a flower.")
    done = wclib(*(arg.format(tmp=tmp_path) for arg in args))
    assert done.returncode == 2, done.stderr.decode()
    assert said.format(tmp=tmp_path) in done.stderr.decode()
    assert done.stdout == b"" and b"Traceback" not in done.stderr


def test_serve_on_a_taken_port_is_refused_at_once():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = wclib("serve", "--port", port, timeout=60)
    assert done.returncode == 2 and port in done.stderr.decode() and "--port" in done.stderr.decode()


def test_without_a_chromium_render_and_doctor_name_the_remedy(tmp_path):
    (tmp_path / "sketch.js").write_text(SKETCH)
    nowhere = str(tmp_path / "chromium")
    done = wclib("render", str(tmp_path / "sketch.js"), "--out", str(tmp_path / "p.png"), WATERCOLOUR_CHROMIUM=nowhere)
    assert done.returncode == 2 and nowhere in done.stderr.decode() and "install" in done.stderr.decode()
    doctor = wclib("doctor", WATERCOLOUR_CHROMIUM=nowhere)
    assert doctor.returncode == 1
    assert any(line.startswith("[FAIL] chromium:") and nowhere in line for line in doctor.stdout.decode().splitlines())


def test_doctor_is_well_here_and_says_what_is_off_without_a_token(tmp_path):
    done = wclib("doctor", HF_TOKEN="", HF_HOME=str(tmp_path))
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, done.stdout.decode()
    assert all(line.startswith("[OK]") for line in lines)
    assert any("token: none" in line and "vision judge" in line for line in lines)


def test_doctor_tells_a_set_token_from_a_saved_login(tmp_path, monkeypatch):
    from wclib.doctor import _token

    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    assert _token().startswith("none")
    (tmp_path / "token").write_text("hf_saved")
    assert "saved login" in _token() and "hf_saved" not in _token()
    monkeypatch.setenv("HF_TOKEN", "hf_set")
    assert _token().startswith("HF_TOKEN is set") and "hf_set" not in _token()


def test_doctor_reports_each_kind_of_failure_and_goes_on(capsys):
    def usage():
        raise UsageError("a value is wrong; put it right")

    def fault():
        raise InfrastructureFault("renderer", "no WebGL; install Mesa")

    assert report([("one", usage), ("two", fault), ("three", lambda: "fine")]) is False
    assert capsys.readouterr().out.splitlines() == [
        "[FAIL] one: a value is wrong; put it right",
        "[FAIL] two: no WebGL; install Mesa",
        "[OK]   three: fine",
    ]


def test_doctor_sees_a_package_off_its_pin():
    assert wrong_pins(["pytest==0.1", 'no-such-package==1.0; extra == "train"']) == [
        f"pytest {pytest.__version__} (pinned: 0.1)",
        "no-such-package missing (pinned: 1.0)",
    ]


def every_command(parser: argparse.ArgumentParser):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield inner
                yield from every_command(inner)


def test_every_help_says_what_it_does_and_shows_an_example_that_parses():
    commands = list(every_command(_parser()))
    assert len(commands) > 30
    for command in commands:
        does, example = command.description, command.epilog.partition("example: ")[2]
        assert does and "\n" not in does and example in command.format_help(), command.prog
        words = shlex.split(example.partition(" <")[0])
        assert words[:3] == ["python", "-m", "wclib"] and example.startswith(command.prog)
        assert _parser().parse_args(words[3:]).run
        silent = [each.dest for each in command._actions if not each.help and each.nargs != argparse.PARSER]
        assert not silent, command.prog


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path):
    command = [sys.executable, "-m", "wclib", "pool", "taste", "--out", str(tmp_path), "--count", "12"]
    log = tmp_path / "candidates" / "candidates.jsonl"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not (log.is_file() and log.stat().st_size) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[1].decode()
    assert process.returncode == 130 and "Traceback" not in said
    assert said.rstrip().endswith("wclib: stopped; the same command goes on where this one stopped")
    assert log.read_text().endswith("\n")


def test_the_package_imports_one_way():
    """sketch <- gate <- reward <- scorer <- env <- train; the client knows nothing of the server."""
    root = Path(__file__).resolve().parent.parent / "wclib"
    order = ["sketch", "gate", "reward", "scorer", "env", "train"]
    for position, name in enumerate(order):
        files = [root / f"{name}.py"] if (root / f"{name}.py").is_file() else sorted((root / name).rglob("*.py"))
        above = order[position + 1 :]
        for path in files:
            text = path.read_text(encoding="utf-8")
            assert not [up for up in above if f"wclib.{up}" in text and f"import wclib.{up}" in text], path
            assert not [up for up in above if f"from wclib.{up} " in text or f"from wclib.{up}." in text], path
    client = (root / "env/client.py").read_text(encoding="utf-8")
    assert "wclib.env.environment" not in client and "wclib.env.app" not in client and "wclib.reward" not in client
    assert "wclib.scorer" not in client


def test_doctor_asks_a_wheel_only_for_what_a_wheel_installs(monkeypatch, tmp_path):
    def asked():
        (text,) = [check() for name, check in doctor.all_checks() if name == "packages"]
        return int(text.split()[0])

    here = asked()
    monkeypatch.setattr(doctor, "__file__", str(tmp_path / "wclib" / "doctor.py"))  # no Makefile beside it
    assert 0 < asked() < here
