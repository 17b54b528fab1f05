#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small trace of the task runtime on a machine of two memory nodes, whose copies and allocations are all known.

usage: make_memory.py FOLDER     makes FOLDER/memory.weft

A "grid" of 8192 bytes is updated by left (CPU 0, node 0) and right (CPU 1, node 1) in turn, six times: each copy takes 40 us. A "table" of 4096 bytes is
read by right; "scratch" is nobody's but node 1's. There is room for 14 KiB on node 1: the table is evicted for the scratch once.
"""
import struct
import sys
from pathlib import Path
from make_traces import COMMAND, HOST, KIND, PAGE, RUNNING, UNIT, WAITING, crc32c, pair, record, text
from make_tasks import JOB, US, pages

KIND.update(attr_s=14)
GRID, TABLE, SCRATCH = 0x1000, 0x2000, 0x3000
STATES = {"left": RUNNING, "right": RUNNING, "sleeping": 7, "copying": 3, "waiting for tasks": WAITING}
BASIC = ("left", "right", "sleeping", "task", "waiting for tasks")


class Maker:
    def __init__(self):
        self.names = {k: [] for k in ("region", "type", "counter", "attr", "flow", "string")}
        self.events = {n: [] for n in range(1, 5)}

    def id(self, kind, name):
        if name not in self.names[kind]:
            self.names[kind].append(name)
        return self.names[kind].index(name) + 1

    def add(self, thread, us, kind, of, name, *words):
        self.events[thread].append((us * US, kind, self.id(of, name) if of else 0, *words))

    def region(self, thread, begin, end, name, attributes):
        self.add(thread, begin, "enter", "region", name)
        for key, value in attributes:
            self.attribute(thread, begin, key, value)
        self.add(thread, end, "leave", "region", name)

    def attribute(self, thread, us, key, value):
        if isinstance(value, str):
            self.add(thread, us, "attr_s", "attr", key, self.id("string", value))
        else:
            self.add(thread, us, "attr", "attr", key, value)

    def definitions(self):
        category = lambda name: 1 if name in BASIC else 2
        out = [record("def_string", i + 1, text(z)) for i, z in enumerate(self.names["string"])]
        out += [record("def_category", 1, text("starpu")), record("def_category", 2, text("starpu_detail"))]
        for i, name in enumerate(self.names["region"]):
            out.append(record("def_region", i + 1, [pair(category(name), STATES.get(name, 6)), pair(0, 0), *text(name)]))
        out += [record("def_type", i + 1, [pair(2, 0), 0, *text(z)]) for i, z in enumerate(self.names["type"])]
        out += [record("def_counter", i + 1, [pair(2, 0), 0, *text(z)]) for i, z in enumerate(self.names["counter"])]
        out += [record("def_attr", i + 1, [pair(2, 0), *text(z)]) for i, z in enumerate(self.names["attr"])]
        out += [record("def_flow", i + 1, [pair(category(z), 1), *text(z)]) for i, z in enumerate(self.names["flow"])]
        return out


def register(m, us, handle, bytes_, home, name):
    m.region(1, us, us, "data registered", [("handle", handle), ("home node", home), ("bytes", bytes_), ("description", f"V{bytes_ // 8}x8")])
    m.region(1, us, us, "data named", [("handle", handle), ("name", name)])


def memory(m, begin, end, what, handle, bytes_, now, cached=0):
    m.region(4, begin, end, what, [("handle", handle), ("node", 1), ("bytes", bytes_)] + [("cached", 1)] * cached)
    m.add(4, end, "counter", "counter", "memory in use, node 1", now)


def copy(m, begin, end, handle, bytes_, way, cause, task=None):
    m.region(4, begin, end, "copying", [("handle", handle), ("from node", way[0]), ("to node", way[1]), ("bytes", bytes_), ("cause", cause)]
             + ([("task", JOB + task)] if task is not None else []))  # fmt: skip
    if cause != "unregister":
        m.region(4, end, end, "data state", [("handle", handle), ("node", way[1]), ("state", "shared")])


def owner(m, us, handle, node):
    m.region(4, us, us, "data state", [("handle", handle), ("node", 1 - node), ("state", "invalid")])
    m.region(4, us, us, "data state", [("handle", handle), ("node", node), ("state", "owner")])


def task(m, number, submitted, thread, begin, name, accesses):
    m.add(1, submitted, "flow_out", "flow", "task", JOB + number)
    m.add(thread, begin, "enter", "region", name)
    m.add(thread, begin, "flow_in", "flow", "task", JOB + number)
    m.attribute(thread, begin, "job id", JOB + number)
    for handle, mode in accesses:
        m.attribute(thread, begin, "handle", handle)
        m.attribute(thread, begin, "mode", mode)
    m.add(thread, begin + 50, "leave", "region", name)


def program():
    m = Maker()
    for node in (0, 1):
        m.region(1, 5, 5, "memory node", [("node", node), ("name", f"NUMA {node}"), ("kind", "CPU_RAM")])
        m.region(2 + node, 5, 5, "worker", [("worker", node), ("name", f"CPU {node}"), ("node", node)])
    register(m, 10, GRID, 8192, 0, "grid")
    m.region(1, 10, 10, "data coordinates", [("handle", GRID), ("coordinate", 2), ("coordinate", 3)])
    register(m, 20, TABLE, 4096, 0, "table")
    register(m, 30, SCRATCH, 4096, -1, "scratch")
    memory(m, 100, 105, "allocating", GRID, 8192, 8192)
    memory(m, 105, 110, "allocating", TABLE, 4096, 12288)
    copy(m, 110, 130, TABLE, 4096, (0, 1), "task prefetch", 1)
    for i in range(6):
        at, right = 200 + 100 * i, i % 2 == 0
        copy(m, at, at + 40, GRID, 8192, (0, 1) if right else (1, 0), "fetch", i)
        owner(m, at + 45, GRID, 1 if right else 0)
        data = [(GRID, "RW")] + ([(TABLE, "R")] if right else []) + ([(SCRATCH, "SCRATCH")] if i == 4 else [])
        task(m, i, 40 + i, 3 if right else 2, at + 50, "right" if right else "left", data)
        if i == 3:
            memory(m, 545, 546, "allocating", SCRATCH, 0, 12288)
            memory(m, 546, 550, "freeing", TABLE, 4096, 12288, 1)
            m.region(4, 550, 550, "data state", [("handle", TABLE), ("node", 1), ("state", "invalid")])
            memory(m, 550, 552, "allocating", SCRATCH, 4096, 12288, 1)
    copy(m, 800, 820, GRID, 8192, (0, 1), "prefetch")
    memory(m, 820, 825, "freeing", SCRATCH, 4096, 12288, 1)
    memory(m, 825, 830, "allocating", TABLE, 4096, 12288, 1)
    copy(m, 830, 850, TABLE, 4096, (0, 1), "acquire")
    m.add(1, 900, "point", "type", "unregistered", SCRATCH)
    m.region(1, 46, 790, "waiting for tasks", [])
    return m


def stream():
    m, end = program(), 1000
    threads = ["main", "CPU 0", "CPU 1", "mover"]
    defined = m.definitions()
    defined.append(record("process", 1, [pair(4714, 100), pair(-1, 0), 0, *text("memory")]))
    for which, z in ((HOST, "node1"), (COMMAND, "./memory\0"), (9, "the same boot")):
        defined.append(record("process_text", 1, [which, pair(0, 1), *text(z)]))
    defined += [record("thread", n + 1, [4714 + n, pair(1, 0), 0, *text(z)]) for n, z in enumerate(threads)]
    defined += [record("clock", 0, [t, t, 1700000000 * 10**9 + t]) for t in (0, 10**9)]
    head = b"WEFTSTR\n" + struct.pack("<HHI", 1, 1, PAGE) + bytes(range(16)) + struct.pack("<II", 4714, 2)
    head += struct.pack("<QQQdI", 0, 1700000000 * 10**9, 0, 1.0, 0)
    head += struct.pack("<IIIQQQ", crc32c(head), 2, 0, 0, 12345, end * US * UNIT)
    out = [head.ljust(PAGE, b"\0"), *pages(2, 0, [lambda base, r=r: r for r in defined], [0] * len(defined))]
    for number, of in m.events.items():
        of = [(0, "thread_begin", 0), *sorted(of, key=lambda e: e[0]), (end * US, "thread_end", 0)]
        out += pages(1, number, [lambda base, e=e: record(e[1], e[2], e[3:], e[0] * UNIT - base) for e in of], [e[0] * UNIT for e in of])
    return b"".join(out)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) / "memory.weft"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0.stream").write_bytes(stream())
