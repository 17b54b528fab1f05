## SPDX-License-Identifier: Apache-2.0
## CPU time and end of processes that know nothing of Weft: what the trace says beside what each of them measured itself.
$ cat >work.c <<'END'
> #include <pthread.h>
> #include <stdio.h>
> #include <stdlib.h>
> #include <time.h>
> #include <unistd.h>
> static long long cpu(clockid_t c) { struct timespec t; clock_gettime(c, &t); return t.tv_sec * 1000000000ll + t.tv_nsec; }
> static void *work(void *ms) { while (cpu(CLOCK_THREAD_CPUTIME_ID) < atoi(ms) * 1000000ll); return ms; }
> int main(int argc, char **argv) {
>   pthread_t t[8]; int n = atoi(argv[2]);
>   for (int i = 0; i < n; i++) pthread_create(&t[i], 0, work, argv[3]);
>   for (int i = 0; i < n; i++) pthread_join(t[i], 0);
>   if (!n) usleep(atoi(argv[3]) * 1000);
>   FILE *f = fopen(argv[1], "w"); fprintf(f, "%lld\n", cpu(CLOCK_PROCESS_CPUTIME_ID)); fclose(f);
>   return argc > 4 ? atoi(argv[4]) : 0;
> }
> END
$ gcc -O1 -pthread work.c -o work; cat >job <<'END'
> ./work one 1 60; ./work three 3 40 9; ./work asleep 0 200; ./work behind 1 30 & wait
> END

## right FILE NUMBER: the process with that number took what it measured, and not a tenth more (or 20 ms, for its end).
$ column() { weft stat $1 --json | jq -r ".[$2].$3"; }; right() { local took=$(column $1 $3 cpu_ns) own=$(cat $2); [ $took -ge $own ] && [ $took -le $((own + own / 10 + 20000000)) ] && echo "$2 is right" || echo "$2: $took, by itself $own"; }
$ weft record -q --off threads,io --watch ptrace -o p.weft -- sh ./job; right p.weft one 1; right p.weft three 2; right p.weft asleep 3; right p.weft behind 4
one is right
three is right
asleep is right
behind is right
$ weft stat p.weft --csv | cut -d, -f2,3,10
name,threads,status
sh,1,0
work,2,0
work,4,9
work,1,0
work,2,0
$ weft stat p.weft --json | jq -c '([.[] | .user_ns + .system_ns == .cpu_ns] | unique), (.[3] | .lasted_ns > 4 * .cpu_ns)'
[true]
true
$ weft info -q --list processes p.weft --json | jq -c '[.[] | [.cpu_ns, .user_ns, .system_ns]]' | diff - <(weft stat p.weft --json | jq -c '[.[] | [.cpu_ns, .user_ns, .system_ns]]')

## It is part of the trace: events, other forms, and what is written from it.
$ weft dump -q p.weft | grep -c -w cpu_time; weft convert -q p.weft -o q.weft; weft stat q.weft --csv | diff - <(weft stat p.weft --csv)
5

## Of the command alone it is known however processes are watched.
$ weft record -q --off threads,io --watch none -o n.weft -- ./work alone 2 40 7
? 7
$ right n.weft alone 0; weft stat n.weft --csv | tail -n 1 | cut -d, -f10
alone is right
7

## With events of cpus the kernel's accounts say it of all, but for a last tick (10 ms at most) of each thread; in most containers
## nobody does. What is said is right.
$ near() { local took=$(column $1 $3 cpu_ns) own=$(cat $2); [ "$took" = null ] || { [ $((took + $4 * 10000000)) -ge $own ] && [ $took -le $((own + own / 10 + 20000000)) ]; } && echo "$2 is right" || echo "$2: $took, by itself $own"; }
$ weft record -q --off threads,io --watch perf -o k.weft -- sh ./job 2>/dev/null || weft record -q --off threads,io --watch ptrace -o k.weft -- sh ./job; near k.weft one 1 2; near k.weft three 2 4; near k.weft asleep 3 1; near k.weft behind 4 2
one is right
three is right
asleep is right
behind is right
$ weft stat k.weft --csv | awk -F, '$6 != "" && NR > 2 { print $10 }' | paste -sd ' ' | grep -q -x -e '' -e '0 9 0 0' || weft stat k.weft; weft check -q k.weft

## A process that runs on has none yet, and is counted.
$ weft record -q --off threads,io --watch ptrace -o left.weft -- sh -c 'sleep 300 >/dev/null 2>&1 & echo $! >pid'; weft stat left.weft | tail -n 1; kill $(cat pid)
Nobody told the CPU time of 1 of 2 processes (weft-record(1), --watch).
