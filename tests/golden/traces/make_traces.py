#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small traces that the tests of the commands read: streams made byte by byte, by what docs/format.md says.

usage: make_traces.py FOLDER     makes FOLDER/heat.weft

heat.weft: two ranks that iterate, exchange a message each way, and one helper thread; 140 ms. The times below are in units
of 100 ns.
"""
import struct
import sys
from pathlib import Path

PAGE, HEAD, UNIT = 4096, 32, 100
KIND = dict(
    enter=1, leave=2, point=3, point_f=4, point_s=5, counter=6, counter_f=7, send=8, recv=9, flow_out=10, flow_in=11, attr=12,
    counter_set=16, sample=17, cpu=32, on=34, off=35, dropped=36, thread_begin=37, thread_end=38, exit=41,
    def_string=64, def_region=65, def_type=66, def_value=67, def_counter=68, def_category=69, def_attr=70, def_comm=71,
    def_flow=72, def_set=73, thread=80, process=81, process_text=82, clock=83, cpu_at=87,
)  # fmt: skip
RUNNING, WAITING, COMMUNICATING = 1, 2, 3
HOST, COMMAND, BOOT_ID = 1, 2, 9


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def pair(low, high):
    return (low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << 32


def double(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def text(z):
    data = z.encode() if isinstance(z, str) else z
    padded = data + bytes(-len(data) % 8)
    return [len(data), *struct.unpack(f"<{len(padded) // 8}Q", padded)]


def record(kind, ident=0, words=(), since=0):
    words = [w & 0xFFFFFFFFFFFFFFFF for w in words]
    count = [len(words)] if len(words) >= 15 else []
    head = since << 32 | ident << 12 | (15 if count else len(words)) << 8 | KIND[kind]
    return struct.pack(f"<{1 + len(count) + len(words)}Q", head, *count, *words)


def page(kind, thread, seq, base, records):
    body = b"".join(records)
    used = HEAD + len(body)
    assert used <= PAGE
    head = struct.pack("<IBBHIIQI", 0x31504657, kind, 1, 0, thread, seq, base, used)
    return (head + struct.pack("<I", crc32c(head + body)) + body).ljust(PAGE, b"\0")


def stream(pid, threads, definitions, end, dropped=0):
    """threads: {number: [(time, kind, id, words...)]}"""
    head = b"WEFTSTR\n" + struct.pack("<HHI", 1, 0, PAGE) + bytes(range(16)) + struct.pack("<II", pid, 2)
    head += struct.pack("<QQQdI", 0, 1700000000 * 10**9, 0, 1.0, 0)
    head += struct.pack("<IIIQQQ", crc32c(head), 2, 0, dropped, 12345, end * UNIT)
    pages = [head.ljust(PAGE, b"\0")]
    pages.append(page(2, 0, 0, 0, definitions))
    for number, events in threads.items():
        base = events[0][0] * UNIT
        pages.append(page(1, number, 0, base, [record(k, i, w, time * UNIT - base) for time, k, i, *w in events]))
    return b"".join(pages)


def define(pid, rank, threads):
    """The same ids in both streams. Categories: 1 user, 2 mpi. Regions: 1 main, 2 solve, 3 exchange, 4 MPI_Recv."""
    out = [record("def_string", i + 1, text(z)) for i, z in enumerate(["heat.c", "flop", "K", "starting up"])]
    out += [record("def_category", 1, text("user")), record("def_category", 2, text("mpi"))]
    for i, (name, category, state, line) in enumerate(
        [("main", 1, RUNNING, 10), ("solve", 1, RUNNING, 20), ("exchange", 1, COMMUNICATING, 30), ("MPI_Recv", 2, WAITING, 0)]
    ):
        out.append(record("def_region", i + 1, [pair(category, state), pair(1 if line else 0, line), *text(name)]))
    out.append(record("def_type", 1, [pair(1, 0), 5001, *text("phase")]))
    out += [record("def_value", 1, [v, *text(z)]) for v, z in ((1, "warm-up"), (2, "main loop"))]
    out.append(record("def_type", 2, [pair(1, 3), 0, *text("residual")]))
    out.append(record("def_type", 3, [pair(1, 0), 0, *text("note")]))
    out.append(record("def_counter", 1, [pair(1, 2), 0, *text("flops")]))
    out.append(record("def_counter", 2, [pair(1, 0), 0, *text("misses")]))
    out.append(record("def_set", 1, [1, 2]))
    out.append(record("def_attr", 1, [pair(1, 0), *text("iteration")]))
    out.append(record("def_comm", 1, [2, 77, *text("world")]))
    out.append(record("def_flow", 1, [pair(1, 0), *text("task")]))
    out += [record("cpu_at", 0, [pair(cpu, 0), pair(cpu, 0), *text("")]) for cpu in (0, 1)]
    out.append(record("process", 1, [pair(pid, 100), pair(rank, 0), 0, *text("heat")]))
    for which, z in ((HOST, "node1"), (COMMAND, "./heat\0--size\0" + "100\0"), (BOOT_ID, "the same boot")):
        out.append(record("process_text", 1, [which, pair(0, 1), *text(z)]))
    for number, (begin, name) in enumerate(threads):
        out.append(record("thread", number + 1, [pid + number, pair(1, 0), begin * UNIT, *text(name)]))
    return out + [record("clock", 0, [t, t, 1700000000 * 10**9 + t]) for t in (0, 10**9)]


def rank_0():
    main = [
        (0, "thread_begin", 0), (0, "cpu", 0, pair(0, 0)),
        (1000, "enter", 1), (1000, "point", 1, 1), (1500, "point_s", 3, 4),
        (2000, "enter", 2), (2000, "attr", 1, 1), (2100, "counter", 1, 1000), (502000, "counter", 1, 501000),
        (502100, "point_f", 2, double(0.125)), (503000, "leave", 2),
        (503100, "enter", 3), (503500, "send", 1, pair(1, 7), 65536, 300 * UNIT), (504000, "leave", 3),
        (504000, "point", 1, 2),
        (505000, "enter", 2), (505000, "attr", 1, 2), (600000, "flow_out", 1, 0x10), (905000, "leave", 2),
        (905100, "enter", 4), (1205000, "recv", 1, pair(1, 8), 512, 299900 * UNIT), (1205100, "leave", 4),
        (1300000, "counter_set", 1, 502000, 17),
        (1400000, "leave", 1), (1400100, "thread_end", 0), (1400100, "exit", 0, 0),
    ]  # fmt: skip
    helper = [
        (300000, "thread_begin", 0), (300000, "cpu", 0, pair(1, 0)),
        (610000, "flow_in", 1, 0x10), (610100, "enter", 2), (700000, "cpu", 0, pair(0, 0)), (810100, "leave", 2),
        (820000, "off", 1), (830000, "on", 1), (840000, "dropped", 0, 3), (850000, "thread_end", 0),
    ]  # fmt: skip
    return stream(4711, {1: main, 2: helper}, define(4711, 0, [(0, "main"), (300000, "helper")]), 1400100, dropped=3)


def rank_1():
    main = [
        (10000, "thread_begin", 0), (10000, "cpu", 0, pair(1, 0)),
        (11000, "enter", 1), (12000, "enter", 2), (12000, "attr", 1, 1), (412000, "leave", 2),
        (412100, "enter", 4), (512100, "recv", 1, pair(0, 7), 65536, 100000 * UNIT), (512200, "leave", 4),
        (513000, "enter", 2), (513000, "attr", 1, 2), (600000, "sample", 0, 0x401000, 0x402000), (1113000, "leave", 2),
        (1113100, "enter", 3), (1200000, "send", 1, pair(0, 8), 512, 86900 * UNIT), (1200100, "leave", 3),
        (1210000, "leave", 1), (1210100, "thread_end", 0), (1210100, "exit", 0, 0),
    ]  # fmt: skip
    return stream(4712, {1: main}, define(4712, 1, [(10000, "main")]), 1210100)


def main():
    folder = Path(sys.argv[1]) / "heat.weft"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0.stream").write_bytes(rank_0())
    (folder / "1.stream").write_bytes(rank_1())


if __name__ == "__main__":
    main()
