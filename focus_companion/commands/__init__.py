"""The commands, one per module, each with a click command called ``command``. Imported only when used."""
