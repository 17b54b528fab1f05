#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=400
# Flows through the pages: the timeline, tables, summaries, views, tasks, live programs, comparing, sharing, learning: Chromium, and where it is there Firefox, in front of a real `weft open` (tests/web/page/). TAP.
# npm's playwright-core and axe-core are taken from $WEFT_NODE_MODULES, else from the build's folder, where they are put once if they can be had.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
none() { echo "1..0 # SKIP $1"; exit 0; }
command -v node >/dev/null || none "no node"
[ -x "${WEFT_CHROMIUM:-/usr/bin/chromium}" ] || none "no chromium"
command -v gcc >/dev/null || none "no gcc"
export WEFT_NODE_MODULES=${WEFT_NODE_MODULES:-$build/node_modules}
if [ ! -d "$WEFT_NODE_MODULES/playwright-core" ] || [ ! -d "$WEFT_NODE_MODULES/axe-core" ]; then
	command -v npm >/dev/null || none "no npm, and no playwright-core in $WEFT_NODE_MODULES"
	(flock 9 && timeout 100 npm install --silent --no-save --no-audit --no-fund --prefix "$build" playwright-core@1 axe-core@4 >/dev/null 2>&1) 9>"$build/.npm.lock"
	[ -d "$WEFT_NODE_MODULES/playwright-core" ] || none "npm cannot get playwright-core"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PATH=$build:$PATH LD_LIBRARY_PATH=$build WEFT_TRACES=$work/traces WEFT_SUBJECT=$work/subject TMPDIR=$work
mkdir traces
cp -r "$source"/share/weft/learn/*.weft "$source/tests/golden/traces/tiles.weft" "$source/tests/golden/traces/heat.weft" "$source"/tests/golden/views/sample.* traces/
gcc "$source/tests/web/page/subject.c" -I"$source/include" "$build/libstarpu-1.4.so" -Wl,-rpath,"$build" -o subject || exit 1
gcc -O2 "$source/examples/heat.c" -I"$source/include" "$build/libweft.so" -Wl,-rpath,"$build" -lm -lpthread -o heat && gcc -O2 -g "$source/tests/tools/tune_steps.c" -o tune_steps || exit 1
# One browser for all, two files at a time where node can: much of a flow is waiting.
exec 7> >(exec node "$source/tests/web/page/browser.mjs" >browser.txt 2>&1)
for _ in {1..300}; do [ -s browser.txt ] && break; sleep 0.1; done
export WEFT_BROWSER
WEFT_BROWSER=$(grep -m 1 '^ws:' browser.txt)
two=
node --help | grep -q -e --test-concurrency && two=--test-concurrency=2
node --test $two --test-reporter=tap "$source"/tests/web/page/{areas,timeline,ways,tables,pictures,firefox}.mjs 7>&- >out.txt 2>&1
exec 7>&-
grep -E '^(ok|not ok|1\.\.)|^TAP' out.txt | grep -v '^TAP'
grep -A 25 '^not ok' out.txt | sed 's/^/# /'
[ -s out.txt ] && ! grep -q '^not ok' out.txt
