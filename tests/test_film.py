"""The film shows the median painting of a step, the wall the highest, and neither what has no reward."""

import io
import json

import pandas as pd
import pytest
from PIL import Image

from wclib import plots_film
from wclib.cli import main
from wclib.errors import UsageError
from wclib.gallery import frame, read_runs
from wclib.gallery.build import HERE

RUN = HERE.parents[1] / "data" / "runs" / "laptop-demo" / "seed0"


@pytest.fixture
def rollouts(tmp_path):
    """Two runs of three steps and five rollouts; a rollout's red channel is ten times its position."""
    rows = []
    for run in ("a", "b"):
        for step in range(3):
            for position in range(5):
                path = tmp_path / f"{run}{step}{position}.png"
                Image.new("RGB", (30, 30), (10 * position, 0, 0)).save(path)
                rows.append((run, step, 0, position, 0.1 * position + 0.01 * step, path))
    return pd.DataFrame(rows, columns=["run", "step", "group", "position", "reward", "picture"])


def test_the_median_painting_is_the_middle_one_and_the_lower_of_two(rollouts):
    assert plots_film.median_paintings(rollouts)["position"].tolist() == [2] * 6
    assert plots_film.median_paintings(rollouts[rollouts["position"] < 4])["position"].tolist() == [1] * 6


def test_what_is_unscored_or_unpainted_is_never_shown(rollouts):
    rollouts.loc[rollouts["position"] == 4, "reward"] = None
    rollouts.loc[rollouts["position"] == 3, "picture"] = None
    assert plots_film.median_paintings(rollouts)["position"].tolist() == [1] * 6
    with pytest.raises(UsageError, match="both a reward and a picture"):
        plots_film.wall(rollouts[rollouts["position"] > 2])


def test_the_strip_has_a_row_a_run_and_its_title_the_figures(rollouts):
    figure = plots_film.film_strip(rollouts, most=2, source="made up")
    assert [len(axis.images) for axis in figure.axes] == [1] * 4
    assert "0.20 to 0.22; 0.20 to 0.22" in figure.get_suptitle().replace("\n", " ")
    shown = [text.get_text() for axis in figure.axes for text in axis.texts]
    assert {"step 0", "step 2", "a", "b"} <= set(shown) and "step 1" not in shown
    assert figure.get_supxlabel().endswith("made up")
    brief = rollouts[(rollouts["run"] == "a") | (rollouts["step"] == 0)]  # b is too short for thirds
    assert "reward 0.20 to 0.22 (mean" in plots_film.film_strip(brief).get_suptitle().replace("\n", " ")


def test_the_film_is_an_animated_webp_with_every_step(rollouts):
    film = Image.open(io.BytesIO(plots_film.film(rollouts, side=40, fade=2)))
    assert film.format == "WEBP" and film.n_frames == 3 + 2 * 2 and film.size[0] > 80


def test_the_wall_hangs_the_highest_in_an_order_the_seed_decides(rollouts):
    def reds(seed, n=10):
        wall = plots_film.wall(rollouts, n=n, seed=seed).axes[0].images[0].get_array()
        return [int(wall[55, column * 116 + 55, 0]) for column in range(5)]

    assert set(reds(0)) <= {30, 40}
    assert reds(0) == reds(0)
    assert len({tuple(reds(seed)) for seed in range(6)}) > 1
    assert "The 10 highest rewards of 30" in plots_film.wall(rollouts, n=10).get_suptitle()


def test_two_steps_side_by_side(rollouts):
    one = rollouts[rollouts["run"] == "a"]
    figure = plots_film.best_of_steps(one, (2, 0), n=4)
    assert [int(axis.images[0].get_array()[5, 5, 0]) for axis in figure.axes] == [40, 30, 20, 10] * 2
    assert "0.27 at step 2, 0.25 at step 0" in figure.get_suptitle().replace("\n", " ")
    with pytest.raises(UsageError, match="name one of a, b"):
        plots_film.best_of_steps(rollouts, (0, 1))
    with pytest.raises(UsageError, match="step 7 of a has no scored painting; its steps end at 2"):
        plots_film.best_of_steps(one, (0, 7))


def test_the_command_writes_small_files_of_a_committed_run(tmp_path, capsys):
    assert main(["film", str(RUN), "--out", str(tmp_path)]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"film.png", "film.webp", "wall.png"}
    assert (tmp_path / "film.webp").stat().st_size < 1_500_000
    assert (tmp_path / "wall.png").stat().st_size < 1_000_000
    assert Image.open(tmp_path / "film.png").width > 1500


def test_an_out_that_is_a_file_is_refused_before_any_work(tmp_path, capsys):
    (tmp_path / "taken").touch()
    for out in ("taken", "taken/film"):
        assert main(["film", str(RUN), "--out", str(tmp_path / out)]) == 2
        assert "cannot be a folder" in capsys.readouterr().err


def test_a_committed_run_has_every_painting_its_table_names():
    table = frame(read_runs([RUN]))
    assert len(table) == 240 and table["picture"].isna().sum() == 1
    assert sum(path.stat().st_size for path in (RUN / "paintings").iterdir()) < 600_000
