"""What servers ask people for: the requests, the forms in them, and whether an answer fits."""
