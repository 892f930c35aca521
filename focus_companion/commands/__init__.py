"""The commands, one a module, each exposing a click command called ``command``. Imported only when used."""
