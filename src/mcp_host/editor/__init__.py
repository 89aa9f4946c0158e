"""The only floor that meets pynvim: messages in, replies and events out, and the one crossing of threads."""
