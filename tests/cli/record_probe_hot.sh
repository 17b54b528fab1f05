#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=120
# weft record --probe loses nothing: each call of a function that does nothing is in the trace, or (disk full) in what it says was dropped. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=("$work/talked")
trap 'rm -rf "$work"' EXIT

command -v gcc >/dev/null || skip 'needs gcc'
cd "$work" || exit 1
cat >hot.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static long calls;
__attribute__((noinline)) void hot(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void number(float f) { __asm__ volatile("" ::"x"(f) : "memory"); }
static void *run(void *a) { for (long k = 0; k < calls; k++) hot(); return a; }
int main(int argc, char **argv)
{
	pthread_t t[8];
	int threads = atoi(argv[1]);
	calls = atol(argv[2]);
	if (argc > 3 && !strcmp(argv[3], "wait")) { char c; write(1, "go\n", 3); if (read(0, &c, 1) < 1) return 3; }
	if (argc > 3 && !strcmp(argv[3], "floats")) { number(1e-40f); number(-1e-45f); number(1.0f / 0.0f); number(-0.0f); number(0.1f); }
	for (int k = 0; k < threads; k++) pthread_create(&t[k], 0, run, 0);
	for (int k = 0; k < threads; k++) pthread_join(t[k], 0);
	if (argc > 3 && !strcmp(argv[3], "fork")) { if (fork() == 0) { run(0); _exit(0); } wait(0); }
	if (argc > 3 && !strcmp(argv[3], "kill")) kill(getpid(), 9);
	return 0;
}
END
cat >own.c <<'END'
#include <weft/record.h>
WEFT_REGION(mine, "mine", WEFT_STATE_RUNNING);
__attribute__((noinline)) void inner(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void hot(void) { weft_enter(mine); inner(); weft_leave(mine); }
int main(void) { for (int k = 0; k < 100000; k++) hot(); return 0; }
END
gcc -O2 -g -pthread -o hot hot.c || exit 1
gcc -O2 -g -I "$source/include" -o own own.c -L "$build" -l:libweft.so.0 -Wl,-rpath,"$build" || exit 1

# record TRACE OPTION... -- COMMAND...
record() { "$build/weft" record --off threads,io -o "$@" >talked 2>&1; }
enters() { "$build/weft" dump -q "$1" -f 'kind=enter name=hot' | wc -l; }
leaves() { "$build/weft" dump -q "$1" -f 'kind=leave name=hot' | wc -l; }
dropped() { "$build/weft" info -q --json "$1" | sed -n 's/.*"dropped": *\([0-9]*\).*/\1/p' | head -1; }

echo 1..20
record a.weft --probe hot -- ./hot 4 2500000
is 'every entry of 10,000,000 by four threads' "$(enters a.weft)" 10000000
is 'and every exit' "$(leaves a.weft)" 10000000
is 'none dropped' "$(dropped a.weft)" 0
is 'which is said' "$(grep -c 'events of 1 process and 4 threads, .*, probes put into 1 process, in [0-9]' talked)" 1
rm -rf a.weft

record f.weft --probe hot -- ./hot 1 50000 fork
is 'a child of fork is watched from its first call to its last' "$(enters f.weft) $(leaves f.weft)" '100000 100000'
is 'in a stream of its own' "$(find f.weft -name '*.stream' ! -name '*launcher*' | wc -l)" 2

record k.weft --probe hot -- ./hot 2 100000 kill
is 'its status, when it is killed' $? 137
is 'and all that it did before' "$(enters k.weft) $(leaves k.weft)" '200000 200000'

record n.weft --probe 'number(f)' -- ./hot 0 0 floats
is 'floating values are what they were' "$("$build/weft" dump -q n.weft | sed -n 's/.*number.f = //p' | awk '{printf "%s%.6g", (NR > 1 ? " " : ""), $1}')" \
	'9.99995e-41 -1.4013e-45 inf -0 0.1'

record o.weft --probe 'hot' --probe inner -- ./own
is 'a program with libweft has one stream' "$(find o.weft -name '*.stream' ! -name '*launcher*' | wc -l)" 1
is 'and its events and ours are in one order' "$("$build/weft" dump -q o.weft | awk '/ (enter|leave) /{print $3, $4}' | paste -d ' ' - - - - - - | sort -u)" \
	'enter hot enter mine enter inner leave inner leave mine leave hot'
is 'all of them' "$(enters o.weft) $("$build/weft" dump -q o.weft -f 'kind=leave name=inner' | wc -l) $("$build/weft" dump -q o.weft -f 'kind=enter name=mine' | wc -l)" '100000 100000 100000'

# weft record is killed while the program runs, which goes on recording.
mkfifo in
"$build/weft" record -q --off threads,io -o w.weft --probe hot -- ./hot 1 100000 wait <in >said 2>talked &
record=$!
exec 9>in
while ! grep -q go said 2>/dev/null; do sleep 0.05; done
pid=$(pgrep -P $record -x hot)
kill -9 $record
wait $record 2>/dev/null
echo >&9
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
exec 9>&-
is 'who outlives weft record goes on recording' "$(enters w.weft) $(leaves w.weft)" '100000 100000'

# A disk that is full.
mkdir tiny
if ! unshare --mount true 2>/dev/null; then
	for _ in 1 2 3 4 5 6 7; do is 'SKIP no right to mount' 0 0; done
	exit 0
fi
# shellcheck disable=SC2016
unshare --mount sh -c 'mount -t tmpfs -o size=3m tmpfs tiny && PATH=$1:$PATH && cd tiny && cp ../hot . && weft record -o t.weft --probe hot -- ./hot 2 200000 fork >../talked 2>&1
	echo $? >../status; weft check t.weft >../check 2>/dev/null; weft dump -q t.weft -f "kind=enter,leave name=hot" | wc -l >../events; weft info --json t.weft >../info.json 2>/dev/null' sh "$build"
lost=$(sed -n 's/.*"dropped": *\([0-9]*\).*/\1/p' info.json | head -1)
is 'with a full disk the program ends as it would' "$(cat status)" 0
is 'something is lost' "$([ "${lost:-0}" -gt 100000 ] && echo some)" some
is 'and not all' "$([ "$(cat events)" -gt 1000 ] && echo some)" some
# Ends of threads and of processes were lost, too.
all=$(($(cat events) + lost))
is 'what is there and what was lost is all there was' "$([ $all -ge 1200000 ] && [ $all -le 1200010 ] && echo all)" all
is 'weft check counts them' "$(grep -c 'events could not be recorded \[dropped\]' check)" 2
is 'it was said' "$(grep -c 'dropped (no space left on device)' talked)" 1
is 'once' "$(grep -c 'next: weft stat' talked)" 1
