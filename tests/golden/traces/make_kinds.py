#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small trace of the task runtime on two kinds of workers, whose bounds, idle times, outliers and curves are known.

usage: make_kinds.py FOLDER     makes FOLDER/kinds.weft

Three iterations of 500 us, from 1000 us on; a heavy task takes 400 us on a CPU and 100 on the device, a light one 100 on either:

    OpenCL 0   heavy A ......................... light D     D waits for B
    CPU 0      heavy B .........................             A and B wait for C and D of the iteration before
    CPU 1              light C                               C waits for A

In the first iteration CPU 1 runs five small tasks of no iteration from 1200 us on, each 20 us after the one before began: 10 us, the last one 30.
Two copies, an allocation, a release, two counters' values of memory, pushes and pops of A, an
event of the program's own.
"""
import sys
from pathlib import Path
from make_traces import HOST, COMMAND, RUNNING, WAITING, KIND, PAGE, UNIT, pair, record, text, crc32c, double
from make_tasks import pages
import struct

US, JOB = 10, 1 << 32  # times in units of 100 ns
KIND.update(dependency=20, attr_f=13, attr_s=14)
REGIONS = ["heavy", "light", "small", "copying", "allocating", "freeing", "sleeping"]
ATTRS = ["iteration", "footprint", "flops", "job id", "from node", "to node", "bytes", "handle", "node"]
TYPES = ["ready", "scheduler push", "scheduler pop", "user event", "copy submitted"]
FLOPS = {"heavy": 1e6, "light": 1e5, "small": 0}
CPU0, CPU1, DEVICE = 0, 1, 2


def tasks():
    """[(codelet, iteration, worker, start, length, waits for)]"""
    out = []
    for i in range(3):
        at, n = 1000 + 500 * i, 4 * i
        last = [n - 2, n - 1] if i else []
        out.append(("heavy", i, DEVICE, at, 100, last))
        out.append(("heavy", i, CPU0, at, 400, last))
        out.append(("light", i, CPU1, at + 100, 100, [n]))
        out.append(("light", i, DEVICE, at + 400, 100, [n + 1]))
    out += [("small", None, CPU1, 1200 + 20 * k, 30 if k == 4 else 10, []) for k in range(5)]
    return out


def program(all_tasks):
    main = [(0, "thread_begin", 0)]
    for n, (_, _, _, _, _, before) in enumerate(all_tasks):
        at = (900 + 5 * n) * US
        main.append((at, "flow_out", 1, JOB + n))
        main += [(at, "dependency", 2, JOB + b, JOB + n) for b in before]
        if not before:
            main.append((at, "point", 1, JOB + n))
    return main + [(1700 * US, "point", 4, 42), (2520 * US, "thread_end", 0)]


def extras():
    """The thread that moves data."""
    def of(name):
        return ATTRS.index(name) + 1

    def region(name):
        return REGIONS.index(name) + 1

    def copy(begin, submitted, end, source, to, size):
        return [(begin, "enter", region("copying")), (begin, "attr", of("handle"), 0x1000), (begin, "attr", of("from node"), source),
                (begin, "attr", of("to node"), to), (begin, "attr", of("bytes"), size), (submitted, "point", 5, size),
                (end, "leave", region("copying"))]  # fmt: skip

    def memory(name, begin, end, size):
        return [(begin, "enter", region(name)), (begin, "attr", of("node"), 1), (begin, "attr", of("bytes"), size),
                (begin, "attr", of("handle"), 0x1000), (end, "leave", region(name))]  # fmt: skip

    did = sorted(memory("allocating", 9500, 9600, 2000000) + copy(9700, 9800, 10000, 0, 1, 40000) + copy(15000, 15000, 15200, 1, 0, 20000)
                  + memory("freeing", 24500, 24600, 2000000) + [(9600, "counter", 1, 2000000), (15000, "counter", 1, 4000000), (24600, "counter", 1, 0)],
                  key=lambda e: e[0])  # fmt: skip
    return [(0, "thread_begin", 0)] + did + [(2520 * US, "thread_end", 0)]


def worker(which, all_tasks, waiting):
    events = []
    for n, (codelet, iteration, on, start, length, _) in enumerate(all_tasks):
        if on != which:
            continue
        begin, end, region = start * US, (start + length) * US, REGIONS.index(codelet) + 1
        run = [(begin, "point", 3, JOB + n)] if codelet == "heavy" and on == DEVICE else []
        run += [(begin, "enter", region), (begin, "flow_in", 1, JOB + n), (begin, "attr", 4, JOB + n)]
        run += [(begin, "attr", 1, iteration)] if iteration is not None else []
        run += [(begin, "attr", 2, 0xABC0 + REGIONS.index(codelet))]
        run += [(begin, "attr_f", 3, double(FLOPS[codelet]))] if FLOPS[codelet] else []
        run.append((end, "leave", region))
        run += [(end, "point", 1, JOB + m) for m in waiting.get(n, [])]
        run += [(end, "point", 2, JOB + m) for m in waiting.get(n, []) if m % 4 == 0]
        events.append((begin, run))
    events.sort(key=lambda e: e[0])
    return [(0, "thread_begin", 0)] + [e for _, run in events for e in run] + [(2520 * US, "thread_end", 0)]


def definitions():
    out = [record("def_category", 1, text("starpu")), record("def_category", 2, text("starpu_detail"))]
    for i, name in enumerate(REGIONS):
        out.append(record("def_region", i + 1, [pair(1 if i < 3 else 2, RUNNING if i < 3 else WAITING), pair(0, 0), *text(name)]))
    out += [record("def_type", i + 1, [pair(2, 0), 0, *text(name)]) for i, name in enumerate(TYPES)]
    out += [record("def_attr", i + 1, [pair(2, 0), *text(name)]) for i, name in enumerate(ATTRS)]
    out.append(record("def_counter", 1, [pair(2, 0), 0, *text("memory in use, node 1")]))
    out += [record("def_flow", 1, [pair(1, 1), *text("task")]), record("def_flow", 2, [pair(2, 1), *text("depends")])]
    out.append(record("process", 1, [pair(4713, 100), pair(-1, 0), 0, *text("kinds")]))
    for which, z in ((HOST, "node1"), (COMMAND, "./kinds\0"), (9, "the same boot")):
        out.append(record("process_text", 1, [which, pair(0, 1), *text(z)]))
    for number, name in enumerate(["main", "CPU 0", "CPU 1", "OpenCL 0", "mover"]):
        out.append(record("thread", number + 1, [4713 + number, pair(1, 0), 0, *text(name)]))
    return out + [record("clock", 0, [t, t, 1700000000 * 10**9 + t]) for t in (0, 10**9)]


def stream():
    all_tasks, waiting = tasks(), {}
    for n, (_, _, _, start, _, before) in enumerate(all_tasks):
        if before:
            waiting.setdefault(max(before, key=lambda b: all_tasks[b][3] + all_tasks[b][4]), []).append(n)
    events = {1: program(all_tasks), **{2 + w: worker(w, all_tasks, waiting) for w in (CPU0, CPU1, DEVICE)}, 5: extras()}
    head = b"WEFTSTR\n" + struct.pack("<HHI", 1, 1, PAGE) + bytes(range(16)) + struct.pack("<II", 4713, 2)
    head += struct.pack("<QQQdI", 0, 1700000000 * 10**9, 0, 1.0, 0)
    head += struct.pack("<IIIQQQ", crc32c(head), 2, 0, 0, 12345, 2520 * US * UNIT)
    defined = definitions()
    out = [head.ljust(PAGE, b"\0"), *pages(2, 0, [lambda base, r=r: r for r in defined], [0] * len(defined))]
    for number, of in events.items():
        makes = [lambda base, e=e: record(e[1], e[2], e[3:], e[0] * UNIT - base) for e in of]
        out += pages(1, number, makes, [e[0] * UNIT for e in of])
    return b"".join(out)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) / "kinds.weft"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0.stream").write_bytes(stream())
