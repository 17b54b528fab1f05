#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C file of what the pages consist of, packed by gzip: usage: make_server_files.py OUT WEB"""
import gzip
import hashlib
import sys
from pathlib import Path

from bundle import bundle

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


def main():
    out, web = Path(sys.argv[1]), Path(sys.argv[2])
    script, style, index = bundle(web)
    files = {"icon.svg": (web / "icon.svg").read_text(), "index.html": index, "pages.css": style, "pages.js": script}
    lines = ['#include "server/core/server_priv.h"', ""]
    rows = []
    for number, (name, text) in enumerate(files.items()):
        whole = text.encode()
        packed = gzip.compress(whole, 9, mtime=0)
        tag = hashlib.sha256(whole).hexdigest()[:16]
        lines.append(f"static const unsigned char file_{number}[] = {{")
        for at in range(0, len(packed), 32):
            lines.append("\t" + ",".join(map(str, packed[at:at + 32])) + ",")
        lines.append("};")
        rows.append(f'\t{{"{name}", "{TYPES[Path(name).suffix]}", file_{number}, sizeof file_{number}, {len(whole)}, "\\"{tag}\\""}},')
    lines += ["", "const struct server_file server_files[] = {", *rows, "\t{0},", "};", ""]
    out.write_text("\n".join(lines))


main()
