#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=120
# The run's secret is not in the memory of processes that run what a specification says. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=("$work/output")
trap 'rm -rf "$work"' EXIT

command -v python3 >/dev/null || skip 'needs python3'
command -v gcc >/dev/null || skip 'needs gcc'
gcc -O2 -g -o "$work/tune_steps" "$source/tests/tools/tune_steps.c" || exit 1
# Another host's collector is told the secret; this one only writes it down.
printf '#!/bin/sh\ncat >%s/secret\nexec sleep 60\n' "$work" >"$work/there"
chmod +x "$work/there"
cat >"$work/look.py" <<'END'
import os, sys
secret = bytes.fromhex(open(sys.argv[1]).read().strip())
def has(pid):
    found = False
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as mem:
        for line in maps:
            place, rights = line.split()[:2]
            if "rw" not in rights:
                continue
            low, high = (int(x, 16) for x in place.split("-"))
            try:
                mem.seek(low)
                found |= secret in mem.read(high - low)
            except (OSError, ValueError):
                pass
    return found
def kids(pid):
    return [int(x) for x in open(f"/proc/{pid}/task/{pid}/children").read().split()]
names = {}
def walk(pid, depth):
    name = open(f"/proc/{pid}/comm").read().strip()
    names.setdefault(name if depth else "weft", []).append(has(pid))
    for k in kids(pid):
        walk(k, depth + 1)
walk(int(sys.argv[2]), 0)
for name in ("weft", "weft-analyzer"):
    print(name, len(names.get(name, [])) >= 2, any(names.get(name, [])))
END

echo 1..2
"$build/weft" tune -q --place "b=$work/there" -t "$source/tests/golden/tunlets/steps.tsl" -- "$work/tune_steps" 2000 5000 >"$work/output" 2>&1 &
tune=$!
for _ in $(seq 200); do
	sleep 0.1
	# The tunlet's process has the analyzer's name; the program is there when that is.
	[ -s "$work/secret" ] && [ "$(pgrep -c -P "$tune")" -ge 3 ] && pgrep -P "$(pgrep -P "$tune" weft-analyzer)" >/dev/null && break
done
python3 "$work/look.py" "$work/secret" "$tune" >"$work/found" 2>>"$work/output"
is 'who begins the run has the secret (the search can find it)' "$(sed -n 1p "$work/found")" 'weft False True'
is 'the analyzer and the processes of its tunlets have not' "$(sed -n 2p "$work/found")" 'weft-analyzer True False'
kill "$tune"
wait "$tune" 2>/dev/null
true
