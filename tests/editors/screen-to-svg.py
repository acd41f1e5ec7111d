#!/usr/bin/env python3
"""Draws a terminal screen, as `tmux capture-pane -p -e` gives it, as SVG: standard input to standard output."""

import re
import sys
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN = 8.4, 18, 14, 10
FOREGROUND, BACKGROUND = "#e0e2ea", "#14161b"
ANSI = ["#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8"]
BRIGHT = ["#4f5258"] + ANSI[1:]


def indexed(n):
    """One of the 256 colours of xterm."""
    if n < 16:
        return (ANSI + BRIGHT)[n]
    if n < 232:
        levels = [0, 95, 135, 175, 215, 255]
        r, g, b = (levels[(n - 16) // step % 6] for step in (36, 6, 1))
    else:
        r = g = b = 8 + 10 * (n - 232)
    return f"#{r:02x}{g:02x}{b:02x}"


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fg, self.bg, self.bold, self.italic, self.dim, self.reverse = None, None, False, False, False, False

    def apply(self, codes):
        """Takes over the parameters of one `ESC [ … m`."""
        codes = re.sub(r"\b(4|58):[\d:]*", "4", codes)  # styles and colours of underlines, which are not drawn
        codes = [int(code) if code else 0 for code in re.split("[;:]", codes)]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 3, 7):
                setattr(self, {1: "bold", 2: "dim", 3: "italic", 7: "reverse"}[code], True)
            elif code in (22, 23, 27):
                self.bold, self.dim = (False, False) if code == 22 else (self.bold, self.dim)
                self.italic = self.italic and code != 23
                self.reverse = self.reverse and code != 27
            elif code in (38, 48):
                kind = codes.pop(0)
                colour = indexed(codes.pop(0)) if kind == 5 else "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))
                setattr(self, "fg" if code == 38 else "bg", colour)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.fg = ANSI[code - 30] if code < 90 else BRIGHT[code - 90]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.bg = ANSI[code - 40] if code < 100 else BRIGHT[code - 100]
            elif code == 39:
                self.fg = None
            elif code == 49:
                self.bg = None

    def colours(self):
        fg, bg = self.fg or FOREGROUND, self.bg
        return (bg or BACKGROUND, fg) if self.reverse else (fg, bg)

    def attributes(self):
        shown = f'fill="{self.colours()[0]}"'
        if self.bold:
            shown += ' font-weight="bold"'
        if self.italic:
            shown += ' font-style="italic"'
        if self.dim:
            shown += ' opacity="0.6"'
        return shown


def draw(screen):
    lines = screen.rstrip("\n").split("\n")
    body, columns, style = [], 0, Style()
    for row, line in enumerate(lines):
        column, y = 0, MARGIN + row * CELL_HEIGHT
        for codes, text in re.findall(r"\x1b\[([\d;:]*)m|([^\x1b]+)", line):
            if not text:
                style.apply(codes)
                continue
            x, width = MARGIN + column * CELL_WIDTH, len(text) * CELL_WIDTH
            background = style.colours()[1]
            if background and background != BACKGROUND:
                body.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{CELL_HEIGHT}" fill="{background}"/>')
            if text.strip():
                length = f'textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
                baseline = y + CELL_HEIGHT - 5
                body.append(f'<text x="{x:.1f}" y="{baseline}" {length} {style.attributes()}>{escape(text)}</text>')
            column += len(text)
        columns = max(columns, column)
    width, height = 2 * MARGIN + columns * CELL_WIDTH, 2 * MARGIN + len(lines) * CELL_HEIGHT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
    font = f'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="{FONT_SIZE}"'
    paper = f'<rect width="100%" height="100%" rx="6" fill="{BACKGROUND}"/>'
    return "\n".join([f'{head} {font} xml:space="preserve">', paper, *body, "</svg>", ""])


if __name__ == "__main__":
    sys.stdout.write(draw(sys.stdin.read()))
