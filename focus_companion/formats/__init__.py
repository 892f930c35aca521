"""A record or a position to and from bytes: json, sgf, text, csv, svg, gif, html, mp4."""
