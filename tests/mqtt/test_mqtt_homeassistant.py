"""What Home Assistant shows of a table: the announced templates, rendered with a real table's messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from mosquitto import PROGRAM, Mosquitto
from published_table import Table
from waiting import until

from focus_companion.mqtt.broker import parse_broker
from focus_companion.mqtt.homeassistant import device_id, discovery, discovery_topic
from focus_companion.mqtt.line import Line, Message
from focus_companion.mqtt.topics import Topics
from focus_companion.session.events import Alert

COMMON_KEYS = {
    *("platform", "unique_id", "name", "state_topic", "value_template", "device_class", "icon"),
    *("entity_category", "json_attributes_topic", "json_attributes_template"),
}
"""The keys of Home Assistant's entity schema that we use."""
PLATFORM_KEYS = {"sensor": {"options", "state_class"}, "binary_sensor": set[str]()}


def test_the_announcement_has_the_form_of_the_schema() -> None:
    message = discovery("Stół 7", "1.2")
    assert message.keys() == {"device", "origin", "availability", "qos", "components"}
    assert message["origin"]["name"] and message["device"]["identifiers"] == [device_id("Stół 7")]
    assert {"turn", "alert", "ply", "result"} <= message["components"].keys()
    idents = [component["unique_id"] for component in message["components"].values()]
    assert len(set(idents)) == len(idents)
    for component in message["components"].values():
        assert component.keys() <= COMMON_KEYS | PLATFORM_KEYS[component["platform"]], component
        # An enumeration has options but no unit or state class.
        assert ("options" in component) == (component.get("device_class") == "enum")


@pytest.mark.parametrize(
    ("name", "other"), [("Table 1", "Table-1"), ("Stół", "Stol"), ("a", "A"), ("桌", "卓")]
)
def test_tables_with_different_names_are_different_devices(name: str, other: str) -> None:
    assert device_id(name) != device_id(other)
    assert all(char.isascii() and (char.isalnum() or char == "_") for char in device_id(name))


@pytest.mark.skipif(PROGRAM is None, reason="no Mosquitto is installed; apt install mosquitto")
def test_the_entities_show_the_state_of_the_game(tmp_path: Path) -> None:
    heard: dict[str, Any] = {}

    def hear(message: Message) -> None:
        heard[message.topic] = json.loads(message.payload)

    def shown(key: str) -> str:
        template = heard[discovery_topic("T")]["components"][key]["value_template"]
        return Environment().from_string(template).render(value_json=heard[Topics("T").state])

    with Mosquitto(tmp_path / "broker") as broker:
        line = Line(parse_broker(broker.address), "home", on_message=hear)
        line.subscribe("homeassistant/#", Topics("T").state, Topics("T").status)
        table = Table(tmp_path / "t", broker.address, "T")
        table.publisher.start()
        table.play(6)
        until(lambda: Topics("T").state in heard and shown("ply") == str(table.session.history.ply))
        assert (shown("alert"), shown("result"), shown("camera")) == ("OFF", "playing", "ON")
        assert shown("turn") == table.session.state()["to_move"]
        assert shown("turn") in heard[discovery_topic("T")]["components"]["turn"]["options"]

        table.session._emit_events(
            Alert(table.session.history.time, "distance", "red", ["d5"], "Put it back.")
        )
        table.publisher.tell()
        until(lambda: shown("alert") == "ON")
        attributes = heard[discovery_topic("T")]["components"]["alert"]["json_attributes_template"]
        rendered = Environment().from_string(attributes).render(value_json=heard[Topics("T").state])
        assert json.loads(rendered)["text"] == "Put it back."

        available = heard[discovery_topic("T")]["availability"][0]
        template = Environment().from_string(available["value_template"])
        assert template.render(value_json=heard[available["topic"]]) == "online"
        table.close()
        until(lambda: template.render(value_json=heard[available["topic"]]) == "offline")
        line.close()
