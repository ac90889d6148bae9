"""Writes each dashboard to its own file in the given directory: python -m boards FOLDER."""

import pathlib
import sys

from . import cometbft, corda, emerald, experiment, jpaxos, malachite, malachite_evm, networks, operator, postgresql, run
from .schema import to_checked_json

BOARDS = (networks, run, experiment, corda, jpaxos, cometbft, malachite, malachite_evm, emerald, postgresql, operator)


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for module in BOARDS:
        board = module.board()
        (folder / f"{board.uid}.json").write_text(to_checked_json(board), encoding="utf-8")


main()
