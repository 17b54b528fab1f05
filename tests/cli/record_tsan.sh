#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: threads builds=release,debug,tsan timeout=300
# ThreadSanitizer in a user's program, which has no races: it reports none of libweft's, be that built with it or not; and it still
# finds one of the program's own. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=("$work/output")
cd "$work" || exit 1
unset TSAN_OPTIONS
export LD_LIBRARY_PATH=$build

# reports COMMAND...: how many there are; `failed` where the program did not get to its end.
reports()
{
	TSAN_OPTIONS=exitcode=0 timeout 150 "$@" >output 2>&1 || { echo failed; return; }
	grep -q '^ended$' output || { echo failed; return; }
	grep -c '^WARNING: ThreadSanitizer' output
}

# A race of the program's own, between threads that record all the while: what libweft does must not hide it. Both threads are known to
# libweft before they meet at the barrier, and the first that each does then is the race: one that began when the other had ended would
# be ordered after it by libweft's lock around the list of threads, and rightly not be reported.
cat >racy.c <<'END'
#include <weft/record.h>
#include <pthread.h>
#include <stdio.h>
WEFT_REGION(work, "work", WEFT_STATE_RUNNING);
static int shared;
static pthread_barrier_t both;
static void *run(void *arg)
{
	weft_enter(work);
	pthread_barrier_wait(&both);
	for (int i = 0; i < 20000; i++) {
		shared++;
		weft_leave(work);
		weft_enter(work);
	}
	weft_leave(work);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts("ended");
	return 0;
}
END

compilers=()
for cc in gcc clang; do
	printf 'int main(void) { return 0; }\n' >try.c
	# A libweft that was built with one compiler's sanitizer needs that one.
	if [ "$cc" = clang ] && [ "${WEFT_BUILD_NAME:-}" = tsan ]; then
		continue
	fi
	if command -v "$cc" >/dev/null && "$cc" -fsanitize=thread try.c -o try 2>/dev/null && ./try; then
		compilers+=("$cc")
	fi
done
[ ${#compilers[@]} -gt 0 ] || { echo 'skipped: no compiler here makes programs with ThreadSanitizer'; exit 77; }

for cc in "${compilers[@]}"; do
	"$cc" -g -O1 -fsanitize=thread -I"$source/include" "$source/tests/tools/watched_by_tsan.c" -o user -pthread "$build/libweft.so" || exit 1
	is "$cc: a recorded program" "$(WEFT_DIR=$work/keep-$cc.weft reports ./user)" 0
	is "$cc: recorded into a ring" "$(WEFT_MODE=ring WEFT_SIZE=1M WEFT_DIR=$work/ring-$cc.weft reports ./user)" 0
	is "$cc: it begins to record itself" "$(reports ./user "$work/own-$cc.weft")" 0
	for t in keep ring own; do
		is "$cc: what it recorded ($t)" "$(PATH=$build:$PATH weft check -q "$t-$cc.weft" >output 2>&1; echo $?)" 0
	done
	"$cc" -g -O1 -fsanitize=thread -I"$source/include" racy.c -o racy -pthread "$build/libweft.so" || exit 1
	is "$cc: a race of its own" "$(WEFT_DIR=$work/racy-$cc.weft reports ./racy)" 1
done
echo "1..$count"
