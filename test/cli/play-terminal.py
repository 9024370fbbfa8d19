"""Runs a command in a pseudo-terminal and plays a script: wait for a text, type a text.

Standard input is JSON:
  {"command": [...], "columns": 80, "env": {...},
   "steps": [{"wait": "ein> "}, {"type": "1 + 1\r"}]}
Standard output is JSON, with the seconds of each wait, and the text that did not appear:
  {"screen": "...", "seconds": [...], "exit": 0, "missing": "..."}
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 30.0


def main():
    script = json.load(sys.stdin)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(script["command"][0], script["command"], {**os.environ, **script.get("env", {})})
    size = struct.pack("HHHH", 40, script.get("columns", 80), 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
    screen, seen, seconds, missing = "", 0, [], None
    pending = b""

    def read(limit):
        """Reads what comes within the limit; false once the other side is gone."""
        nonlocal screen, pending
        ready, _, _ = select.select([terminal], [], [], limit)
        if not ready:
            return True
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return False
        if not data:
            return False
        pending += data
        text = pending.decode("utf-8", "ignore")
        if pending.decode("utf-8", "replace").endswith("\ufffd"):
            return True
        screen, pending = screen + text, b""
        return True

    for step in script["steps"]:
        if "type" in step:
            os.write(terminal, step["type"].encode())
            continue
        if "pause" in step:
            until = time.monotonic() + step["pause"]
            while time.monotonic() < until:
                read(until - time.monotonic())
            continue
        start = time.monotonic()
        alive = True
        while (
            at := screen.find(step["wait"], seen)
        ) < 0 and alive and time.monotonic() - start < PATIENCE:
            alive = read(0.5)
        seconds.append(time.monotonic() - start)
        if at < 0:
            missing = step["wait"]
            break
        seen = at + len(step["wait"])
    deadline = time.monotonic() + 5
    status = None
    if missing is None:
        while time.monotonic() < deadline:
            read(0.05)
            done, code = os.waitpid(pid, os.WNOHANG)
            if done:
                status = os.waitstatus_to_exitcode(code)
                break
    if status is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    json.dump(
        {"screen": screen, "seconds": seconds, "exit": status, "missing": missing}, sys.stdout
    )


main()
