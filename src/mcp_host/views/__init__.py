"""What a person sees, as plain data: rows, cards and pages, shared by the editor, scripts and the bridge."""
