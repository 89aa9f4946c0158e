"""What of the protocol this host does, what it tells servers of that, and what both sides of a connection have."""
