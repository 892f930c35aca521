"""A table that plays and publishes until it is killed: ``python playing_table.py FOLDER BROKER``."""

import json
import sys
import time
from pathlib import Path

ROOM = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOM), str(ROOM / "mqtt"), str(ROOM / "session")]

from published_table import Table  # noqa: E402

table = Table(Path(sys.argv[1]), sys.argv[2], "Table 1")
table.publisher.start()
while True:
    table.play(5)
    print(json.dumps({"emitted": 5}), flush=True)
    time.sleep(0.01)
