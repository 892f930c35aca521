"""Shows many tables on one page, from what they publish to a broker. See docs/mqtt.md."""
