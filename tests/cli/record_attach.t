## SPDX-License-Identifier: Apache-2.0
## needs: gcc jq
## tags: builds=release,debug timeout=120
## A process that runs is recorded from there on: samples, of threads that begin later, too, and what --probe names; afterwards it is as before.
$ cat >live.c <<'END'
> #include <pthread.h>
> #include <stdio.h>
> #include <unistd.h>
> volatile unsigned long sum;
> __attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) sum += i; }
> static void *run(void *file) { while (access("stop", 0)) work(100000); return file; }
> int main(void)
> {
> 	pthread_t t[2];
> 	pthread_create(&t[0], 0, run, 0);
> 	fclose(fopen("ready", "w"));
> 	while (access("more", 0)) usleep(1000);
> 	pthread_create(&t[1], 0, run, 0);
> 	pthread_join(t[0], 0);
> 	pthread_join(t[1], 0);
> 	puts("done");
> 	return 4;
> }
> END
$ gcc -g -O1 -w live.c -o live -pthread; ./live >said & until [ -e ready ]; do sleep 0.02; done; echo $! >pid
$ weft record -o live.weft --attach "$(cat pid)" --probe 'work(n)' & w=$!; until ls live.weft/*.stream >/dev/null 2>&1; do sleep 0.02; done; sleep 1; touch more; for i in $(seq 50); do [ "$(weft dump live.weft 2>/dev/null | awk '$3 == "sample" {t[$2] = 1} END {print length(t)}')" = 2 ] && break; sleep 0.1; done; kill -INT $w; wait $w
weft record: [..] events of process [..] (which runs on), [..], in [..]; next: weft stat live.weft
weft record: not recorded of a process that ran already: calls of MPI, OpenMP, threads and files (start it by weft record), but for functions that --probe names
$ weft dump live.weft | awk '$3 == "sample" {t[$2] = 1} $3 == "enter" {n[$4]++} $3 == "point" && $4 == "work.n" {v[$NF] = 1} END {print length(t), (n["work"] > 100), length(v), v["100000"]}'
2 1 1 1
$ weft info --json live.weft | jq -c '[.dropped, .problems]'
[0,0]
$ weft record --attach "$(cat pid)"
weft record: error: process [..] is recorded already
? 2
$ touch stop; wait "$(cat pid)"; echo $?; cat said
4
done

## Until it ends.
$ rm -f ready more stop; ./live >said & p=$!; until [ -e ready ]; do sleep 0.02; done; touch more; (sleep 1; touch stop) & weft record -o end.weft --attach $p --sample 200 2>&1 | head -1; wait $p; echo $?
weft record: [..] events of process [..] (which has ended), [..], in [..]; next: weft stat end.weft
4

## What cannot be.
$ weft record --attach 0
weft record: error: option '--attach': expected a process id, found '0'
? 2
$ weft record --attach 4194304
weft record: error: cannot attach to process 4194304: no such process
? 2
$ weft record --attach 1 --ring 1M 2>&1 | head -1
weft record: error: --attach goes with --output, --force, --quiet, --probe, --sample and --off samples alone
$ weft record --attach 1 -- true 2>&1 | head -1
weft record: error: --attach takes no command
$ printf 'int main(void) { for (;;) __builtin_ia32_pause(); }' | gcc -static -x c - -o static; ./static & p=$!; timeout -s INT 3 weft record -q -o static.weft --attach $p; kill $p && echo runs on; { wait $p; } 2>/dev/null; weft dump static.weft | grep -c ' sample '  | awk '{print ($1 > 5)}'
runs on
1
