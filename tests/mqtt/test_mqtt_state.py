"""How often a table's state is published."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from mosquitto import PROGRAM, Mosquitto
from published_table import Table
from waiting import until

from focus_companion.mqtt.broker import parse_broker
from focus_companion.mqtt.line import Line, Message
from focus_companion.mqtt.topics import Topics


@pytest.mark.skipif(PROGRAM is None, reason="no Mosquitto is installed; apt install mosquitto")
def test_a_state_that_does_not_change_is_published_once(tmp_path: Path) -> None:
    received: list[int] = []

    def hear(message: Message) -> None:
        received.append(json.loads(message.payload)["seq"])

    with Mosquitto(tmp_path / "broker") as broker:
        line = Line(parse_broker(broker.address), "home", on_message=hear)
        line.subscribe(Topics("T").state)
        table = Table(tmp_path / "t", broker.address, "T")
        table.publisher.start()
        for _ in range(3):
            table.play(2)
            last = table.journal.last_event()
            until(lambda last=last: received and received[-1] == last)
            # Each confirmation wakes the publisher.
            time.sleep(0.5)
        assert received.count(last) == 1 and len(received) == len(set(received))
        table.close()
        line.close()
