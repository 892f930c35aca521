"""The table towards a broker: topics, messages, the publisher, Home Assistant. See docs/mqtt.md."""
