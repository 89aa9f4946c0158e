"""The wires: processes and their pipes, HTTP, and the stream pairs that the SDK's session reads and writes."""
