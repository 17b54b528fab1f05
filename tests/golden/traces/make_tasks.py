#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small trace of the task runtime, of a program that factorises 4 x 4 tiles on two workers, with all that is known of its tasks.

usage: make_tasks.py FOLDER     makes FOLDER/tiles.weft

20 tasks: potrf takes 200 us, trsm 300, syrk 200, gemm 450; the longest way through them is potrf trsm gemm trsm gemm trsm syrk potrf: 2.4 ms.
Tasks are submitted each 10 us from 1 ms on. A worker takes the ready task with the smallest number, 20 us after the one before (its
end takes 8, fetching of data 5) or 50 us after it became ready while the worker slept.
"""
import sys
from pathlib import Path
from make_traces import HOST, COMMAND, RUNNING, WAITING, pair, record, page, text, crc32c, KIND, PAGE, UNIT
import struct

TILES, US = 4, 10  # times in units of 100 ns
KIND.update(dependency=20, attr_s=14)
TAKES = {"potrf": 200, "trsm": 300, "syrk": 200, "gemm": 450}
LINES = {"potrf": 21, "trsm": 24, "syrk": 27, "gemm": 30}
REGIONS = ["potrf", "trsm", "syrk", "gemm", "sleeping", "overhead", "fetching input", "waiting for tasks"]
ATTRS = ["priority", "iteration", "size", "job id", "submit order", "file", "line", "name", "handle", "mode"]
STRINGS = ["tiles.c", '<b>last & "least"</b>', "RW", "R"]
JOB = 1 << 32


def tasks():
    """[(codelet, iteration, data that it reads, datum that it writes)]"""
    out = []
    for k in range(TILES):
        out.append(("potrf", k, [], (k, k)))
        out += [("trsm", k, [(k, k)], (i, k)) for i in range(k + 1, TILES)]
        for i in range(k + 1, TILES):
            out += [("gemm", k, [(i, k), (j, k)], (i, j)) for j in range(k + 1, i)]
            out.append(("syrk", k, [(i, k)], (i, i)))
    return out


def depends(all_tasks):
    """What each task waits for: who wrote what it reads or writes, who read what it writes."""
    writer, readers, out = {}, {}, []
    for number, (_, _, reads, writes) in enumerate(all_tasks):
        before = [writer[d] for d in reads + [writes] if d in writer] + readers.get(writes, [])
        out.append(sorted(set(before)))
        for d in reads:
            readers.setdefault(d, []).append(number)
        writer[writes], readers[writes] = number, []
    return out


def schedule(all_tasks, before):
    """[(ready, worker, begin, end)] in us."""
    free, slept = [900, 900], [True, True]
    ready = {n: 1000 + 10 * n for n in range(len(all_tasks)) if not before[n]}
    out, left = {}, set(range(len(all_tasks)))
    while left:
        choices = []
        for worker in (0, 1):
            for n in sorted(ready):
                at = free[worker] + 20 if ready[n] <= free[worker] else ready[n] + 50
                choices.append((at, n, worker))
        at, n, worker = min(choices)
        end = at + TAKES[all_tasks[n][0]]
        out[n] = (ready.pop(n), worker, at, end)
        free[worker] = end
        left.discard(n)
        for m in left - set(ready):
            if all(b in out for b in before[m]):
                ready[m] = max([1000 + 10 * m] + [out[b][3] for b in before[m]])
    return [out[n] for n in range(len(all_tasks))]


def threads():
    all_tasks = tasks()
    before = depends(all_tasks)
    planned = schedule(all_tasks, before)
    handle = {d: 0x1000 + 0x100 * (d[0] * TILES + d[1]) for t in all_tasks for d in [t[3]]}
    main = [(0, "thread_begin", 0)]
    for n in range(len(all_tasks)):
        at = (1000 + 10 * n) * US
        main.append((at, "flow_out", 1, JOB + n))
        main += [(at, "dependency", 2, JOB + b, JOB + n) for b in before[n]]
        if planned[n][0] == 1000 + 10 * n:
            main.append((at, "point", 1, JOB + n))
    last = max(p[3] for p in planned)
    main += [((1000 + 10 * len(all_tasks)) * US, "enter", 8), ((last + 10) * US, "leave", 8), ((last + 20) * US, "thread_end", 0)]
    workers = {}
    for worker in (0, 1):
        events, free = [(800 * US, "thread_begin", 0)], 900
        for n in sorted((n for n in range(len(all_tasks)) if planned[n][1] == worker), key=lambda n: planned[n][2]):
            codelet, iteration, reads, writes = all_tasks[n]
            ready, _, begin, end = planned[n]
            if begin > free + 20:
                events += [((free + 10) * US, "enter", 5), ((begin - 10) * US, "leave", 5)]
            events += [((begin - 5) * US, "enter", 7), (begin * US, "leave", 7)]
            region = REGIONS.index(codelet) + 1
            events += [(begin * US, "enter", region), (begin * US, "flow_in", 1, JOB + n)]
            values = {"priority": 10 - iteration, "iteration": iteration, "size": 8192 * (1 + len(reads)), "job id": JOB + n, "submit order": n + 1}
            events += [(begin * US, "attr", ATTRS.index(a) + 1, v) for a, v in values.items()]
            events += [(begin * US, "attr_s", 6, 1), (begin * US, "attr", 7, LINES[codelet])]
            if n == len(all_tasks) - 1:
                events.append((begin * US, "attr_s", 8, 2))
            for d in reads + [writes]:
                events += [(begin * US, "attr", 9, handle[d]), (begin * US, "attr_s", 10, 3 if d == writes else 4)]
            events += [(end * US, "leave", region), (end * US, "enter", 6)]
            events += [(end * US, "point", 1, JOB + m) for m in range(n + 1, len(all_tasks)) if before[m] and planned[m][0] == end and max(before[m], key=lambda b: planned[b][3]) == n]
            events.append(((end + 8) * US, "leave", 6))
            free = end
        events.append(((last + 20) * US, "thread_end", 0))
        workers[worker] = events
    return {1: main, 2: workers[0], 3: workers[1]}, last + 20


def definitions(names):
    out = [record("def_string", i + 1, text(z)) for i, z in enumerate(STRINGS)]
    out += [record("def_category", 1, text("starpu")), record("def_category", 2, text("starpu_detail"))]
    states = [RUNNING] * 4 + [7, 6, WAITING, WAITING]
    for i, name in enumerate(REGIONS):
        out.append(record("def_region", i + 1, [pair(2 if name in ("overhead", "fetching input") else 1, states[i]), pair(0, 0), *text(name)]))
    out.append(record("def_type", 1, [pair(2, 0), 0, *text("ready")]))
    out += [record("def_attr", i + 1, [pair(2, 0), *text(name)]) for i, name in enumerate(ATTRS)]
    out += [record("def_flow", 1, [pair(1, 1), *text("task")]), record("def_flow", 2, [pair(2, 1), *text("depends")])]
    out.append(record("process", 1, [pair(4713, 100), pair(-1, 0), 0, *text("tiles")]))
    for which, z in ((HOST, "node1"), (COMMAND, "./tiles\0"), (9, "the same boot")):
        out.append(record("process_text", 1, [which, pair(0, 1), *text(z)]))
    for number, name in enumerate(names):
        out.append(record("thread", number + 1, [4713 + number, pair(1, 0), 800 * US * UNIT if number else 0, *text(name)]))
    return out + [record("clock", 0, [t, t, 1700000000 * 10**9 + t]) for t in (0, 10**9)]


def pages(kind, number, records, bases):
    """Records in as many pages as they need; bases: the time of each, which a page's begin is that of its first."""
    out, body, seq, used = [], [], 0, 0
    for make, at in zip(records, bases):
        base = body[0][1] if body else at
        size = len(make(base))
        if used + size > PAGE - 32:
            out.append(page(kind, number, seq, body[0][1], [m(body[0][1]) for m, _ in body]))
            body, used, seq = [], 0, seq + 1
        body.append((make, at))
        used += size
    out.append(page(kind, number, seq, body[0][1], [m(body[0][1]) for m, _ in body]))
    return out


def stream():
    events, end = threads()
    head = b"WEFTSTR\n" + struct.pack("<HHI", 1, 1, PAGE) + bytes(range(16)) + struct.pack("<II", 4713, 2)
    head += struct.pack("<QQQdI", 0, 1700000000 * 10**9, 0, 1.0, 0)
    head += struct.pack("<IIIQQQ", crc32c(head), 2, 0, 0, 12345, end * US * UNIT)
    defined = definitions(["main", "CPU 0", "CPU 1"])
    out = [head.ljust(PAGE, b"\0"), *pages(2, 0, [lambda base, r=r: r for r in defined], [0] * len(defined))]
    for number, of in events.items():
        makes = [lambda base, e=e: record(e[1], e[2], e[3:], e[0] * UNIT - base) for e in of]
        out += pages(1, number, makes, [e[0] * UNIT for e in of])
    return b"".join(out)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) / "tiles.weft"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0.stream").write_bytes(stream())
