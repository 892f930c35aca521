"""Publishes a table to a broker: topics, messages, the publisher, Home Assistant. See docs/mqtt.md."""
