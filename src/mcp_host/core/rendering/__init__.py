"""From what a server sent to lines that are safe to show."""
