## SPDX-License-Identifier: Apache-2.0
## needs: gcc
## The replayer and dev/run-fuzzers: a crash, an overrun, a lost corpus and a hang are seen.
$ cat >target.c <<'END'
> #include "fuzz.h"
> #include <string.h>
> #include <unistd.h>
> int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
> {
> 	FUZZ_REQUIRE(n < 3 || memcmp(at, "bad", 3) != 0);
> 	static volatile uint8_t sink;
> 	if (n && *at == 'o')
> 		sink = at[n];
> 	return 0;
> }
> END
$ gcc -g -fsanitize=address -I"$WEFT_SOURCE/fuzz" -o replay target.c "$WEFT_SOURCE/fuzz/replay.c"
$ mkdir -p corpus/below; printf good >corpus/one; : >corpus/below/empty; ./replay corpus
1..1
# corpus/below/empty
# corpus/one
ok 1 - 3 inputs
1 passed, 0 failed
$ ./replay corpus/one no-such 2>&1
1..1
# corpus/one
# cannot read no-such: No such file or directory
not ok 1 - 2 inputs
0 passed, 1 failed
? 1
$ mkdir nothing; ./replay nothing
1..1
not ok 1 - 1 inputs
0 passed, 1 failed
? 1
$ printf badly >corpus/two; (ASAN_OPTIONS=handle_abort=0 ./replay corpus) 2>&1 | grep -v Aborted
1..1
# corpus/below/empty
# corpus/one
# corpus/two
target.c:6: does not hold: n < 3 || memcmp(at, "bad", 3) != 0
$ printf over >corpus/two; ./replay corpus 2>&1 | grep -c 'ERROR: AddressSanitizer: heap-buffer-overflow'
1

## dev/run-fuzzers, with fuzzers made of shell scripts.
$ mkdir -p dev fuzz/corpus/a fuzz/corpus/b build-fuzz/fuzz; cp "$WEFT_SOURCE/dev/run-fuzzers" dev/
$ printf '#!/bin/sh\n[ "$1" != --path ] || echo $(dirname $0)/../build-fuzz\n' >dev/build; chmod +x dev/build
$ echo '"x"' >fuzz/a.dict
$ printf '#!/bin/sh\necho "$@" >arguments\necho "stat::number_of_executed_units: 17"\n' >build-fuzz/fuzz/fuzz_a
$ printf '#!/bin/sh\necho a leak; exit 77\n' >build-fuzz/fuzz/fuzz_b
$ chmod +x build-fuzz/fuzz/*; FUZZ_SECONDS=2 dev/run-fuzzers a; sed "s,$PWD/,,g; s,dev/../,,g" arguments
ok - a: 17 runs, 0 inputs
-max_total_time=2 -rss_limit_mb=2048 -timeout=10 -max_len=65536 -print_final_stats=1 -artifact_prefix=build-fuzz/crashes/a- -dict=fuzz/a.dict build-fuzz/corpus/a fuzz/corpus/a
$ dev/run-fuzzers | sort | sed 's, in /.*, in FOLDER,'
a leak
not ok - b
ok - a: 17 runs, 0 inputs
the inputs are in FOLDER
$ dev/run-fuzzers >/dev/null
? 1
$ dev/run-fuzzers c
dev/run-fuzzers: no target is called 'c'
? 2
