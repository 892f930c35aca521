"""Whether anything is lost or grows when things fail or run for long."""
