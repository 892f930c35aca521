"""Many tables on one page, as a broker carries them; no game state of its own. See docs/mqtt.md."""
