## SPDX-License-Identifier: Apache-2.0
## needs: gcc jq
## tags: builds=release,debug timeout=120
## Programs that are linked statically, the C library too: attached to, they are seen from outside, by the kernel's events.
$ cat >s.c <<'END'
> #include <pthread.h>
> #include <stdio.h>
> #include <unistd.h>
> #define FAR __attribute__((noinline))
> enum { CALLS = 1000 };
> static volatile double x;
> FAR double work(int n) { double s = 0; for (int i = 0; i < n; i++) s += i * 0.5; return x = s; }
> FAR double solve(int n) { double r = work(n); return r + 1; }
> static void *run(void *arg) { for (int i = 0; i < CALLS; i++) solve(200000); return arg; }
> int main(void)
> {
> 	pthread_t t[2];
> 	while (access("go", F_OK)) usleep(10000);
> 	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, run, 0);
> 	for (int i = 0; i < CALLS; i++) solve(200000);
> 	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
> 	printf("%d\n", 3 * CALLS);
> 	return 7;
> }
> END
$ gcc -g -O1 -static -pthread s.c -o fixed && gcc -g -O1 -static-pie -pthread s.c -o moves; echo $?
0
$ cat >seen <<'END'
> # Recorded from before its threads begin until it ends.
> rm -f go; ./$1 >$1.out & pid=$!
> weft record --sample 200 --probe solve --probe none --probe 'work(n)' --attach $pid -o $1.weft 2>$1.err & weft=$!
> until [ -s $1.weft/*-outside.stream ] || ! kill -0 $weft; do sleep 0.1; done 2>/dev/null
> sleep 0.3; touch go; wait $pid; echo status $?; wait $weft; cat $1.out; sed "s/'[^']*.$1'/'$1'/; s/.*process [0-9]*.*ended.*//" $1.err | grep .
> weft check $1.weft | grep -c sound; weft dump $1.weft | awk '$3 ~ /enter|leave/ {n[$3]++; of[$2]++} END {for (i in of) threads++; print n["enter"], n["leave"], threads}'
> weft calls --csv $1.weft >/dev/null; weft dump $1.weft | awk '$3 == "sample" {n++} END {print (n > 50)}'
> weft stat --csv --by function $1.weft | awk -F, '$1 == "work" {print ($4 > 0.8 || $4 > 80)}'
> END
$ for p in fixed moves; do sh seen $p; done
status 7
3000
weft record: warning: nothing was watched by --probe 'none': 'fixed' has no function 'none'
weft record: warning: values of --probe 'work(n)' are not recorded: the process has no dynamic linker
weft record: the process has no dynamic linker: samples and functions that --probe names were seen from outside; its calls of MPI, OpenMP, threads and files are not recorded
1
6000 6000 3
1
1
status 7
3000
weft record: warning: nothing was watched by --probe 'none': 'moves' has no function 'none'
weft record: warning: values of --probe 'work(n)' are not recorded: the process has no dynamic linker
weft record: the process has no dynamic linker: samples and functions that --probe names were seen from outside; its calls of MPI, OpenMP, threads and files are not recorded
1
6000 6000 3
1
1

## Their stacks: from the functions to main, and to where the C library begins a thread, through the places where returns are watched.
$ echo $(weft calls fixed.weft | awk '{print $NF}' | grep -E '^(main|start_thread|run|solve|work)$' | sort -u)
main run solve start_thread work
