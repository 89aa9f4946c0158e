"""A server that begins to answer late: after `SECONDS`, or with `--until FILE` once somebody has made that file."""

from __future__ import annotations

import argparse
import os
import time

from wire import serve

LOOK_AGAIN_SECONDS = 0.01

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float, nargs="?", default=1.0)
    parser.add_argument("--until", metavar="FILE")
    options = parser.parse_args()
    if options.until is None:
        time.sleep(options.seconds)
    else:
        while not os.path.exists(options.until):
            time.sleep(LOOK_AGAIN_SECONDS)
    serve()
