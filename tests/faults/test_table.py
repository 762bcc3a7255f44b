"""The table of the harness itself."""

from fault_table import keep


def test_only_the_rows_of_what_ran_are_replaced_and_a_failure_loses_its_own(tmp_path):
    def noted(promise: int, seen: str) -> dict:
        return {"promise": promise, "injected": "a kill", "seen": seen, "seconds": 1.6}

    keep("test_b", [noted(6, "first")], tmp_path)
    keep("test_a", [noted(9, "kept"), noted(4, "kept too")], tmp_path)
    keep("test_b", [noted(6, "again")], tmp_path)
    lines = (tmp_path / "table.md").read_text().splitlines()[2:]
    assert [line.split(" | ")[:4] for line in lines] == [
        ["| 4", "a kill", "kept too", "2"], ["| 6", "a kill", "again", "2"], ["| 9", "a kill", "kept", "2"],
    ]  # fmt: skip
    keep("test_b", [], tmp_path)
    assert "again" not in (tmp_path / "table.md").read_text() and "kept too" in (tmp_path / "rows.jsonl").read_text()
