"""Runs an editor in a terminal of tmux, and reads its screen. COSTLINE_STAGE names the stage."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
STAGE_FILE = Path(os.environ["COSTLINE_STAGE"])
STAGE = json.loads(STAGE_FILE.read_text())
BESIDE = STAGE_FILE.parent
PICTURES = Path(os.environ.get("COSTLINE_PICTURES", BESIDE))
TMUX = ["tmux", "-u", "-S", str(BESIDE / "editor.tmux"), "-f", "/dev/null"]
ENVIRONMENT = os.environ | {"LC_ALL": "C.UTF-8", "COLORTERM": "truecolor"}


def tmux(*arguments):
    done = subprocess.run([*TMUX, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return done.stdout


def start(columns, rows, *command):
    """Starts the editor in the workspace of the stage."""
    terminal = ["set", "-g", "default-terminal", "tmux-256color", ";", "new-session", "-d"]
    tmux(*terminal, "-x", str(columns), "-y", str(rows), "-c", STAGE["root"], *command)


def end():
    subprocess.run([*TMUX, "kill-server"], check=False, capture_output=True)


def screen():
    return tmux("capture-pane", "-p").split("\n")


def keys(*names):
    for name in names:
        tmux("send-keys", name)
        time.sleep(0.2)  # otherwise Escape and the next key are read as one


def until(what, expected, look):
    deadline = time.monotonic() + 20
    while (found := look()) != expected:
        if time.monotonic() > deadline:
            print("\n".join(screen()))
            sys.exit(f"FAILED: {what}: expected {expected}, found {found}")
        time.sleep(0.1)
    print(what)


def contains(what, *texts):
    until(what, [], lambda: [text for text in texts if not any(text in row for row in screen())])


def picture(name, columns, rows):
    """Draws the screen with this size. It is resized back by the caller."""
    tmux("resize-window", "-x", str(columns), "-y", str(rows))
    time.sleep(1)
    capture = tmux("capture-pane", "-p", "-e", "-N")
    subprocess.run([HERE / "terminal-picture", PICTURES / name], input=capture, text=True, check=True)
