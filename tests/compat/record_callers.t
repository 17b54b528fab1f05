## SPDX-License-Identifier: Apache-2.0
## needs: gcc clang jq addr2line
## tags: builds=release,debug timeout=120
## --callers at calls of the C library: who read, who waited for a lock, a condition, a thread; in signal handlers, too; of what lasts, with a time.
$ cat >waits.c <<'END'
> #include <pthread.h>
> #include <signal.h>
> #include <stdio.h>
> #include <stdlib.h>
> #include <unistd.h>
> #define FAR __attribute__((noinline, noclone))
> static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t cond = PTHREAD_COND_INITIALIZER; static int go, pipes[2];
> static char c;
> FAR int innermost(int fd) { int n = read(fd, &c, 1) == 1; c++; return n; }
> FAR int reader(int fd) { int n = innermost(fd); c++; return n; }
> FAR void *waiter(void *arg) { pthread_mutex_lock(&lock); while (!go) pthread_cond_wait(&cond, &lock); pthread_mutex_unlock(&lock); c++; return arg; }
> FAR void *writer(void *arg) { usleep(20000); if (write(pipes[1], "x", 1) != 1) abort(); c++; return arg; }
> FAR void handler(int sig) { if (write(pipes[1], "y", 1) != 1) abort(); c++; (void)sig; }
> FAR void joins(pthread_t t) { pthread_join(t, NULL); c++; }
> int main(void)
> {
> 	pthread_t t, w; struct sigaction a = {.sa_handler = handler};
> 	sigaction(SIGUSR1, &a, NULL);
> 	if (pipe(pipes)) return 1;
> 	pthread_create(&w, NULL, waiter, NULL);
> 	pthread_create(&t, NULL, writer, NULL);
> 	int zero = open("/dev/zero", 0), n = 0;
> 	for (int i = 0; i < 10; i++) n += reader(zero);
> 	n += reader(pipes[0]);
> 	joins(t);
> 	for (int i = 0; i < 100; i++) { raise(SIGUSR1); n += reader(pipes[0]); }
> 	pthread_mutex_lock(&lock); go = 1; pthread_cond_signal(&cond); pthread_mutex_unlock(&lock);
> 	joins(w);
> 	printf("%d\n", n);
> 	return 0;
> }
> END
$ cat >who <<'END'
> # Of the calls of a name: the two functions that called them, and how often.
> weft dump $1.weft | awk -v call=$2 '$3 == "enter" {in_[$2] = $4} $3 == "callstack" && in_[$2] == call {n[$4 " " $5]++} END {for (i in n) print i, n[i]}' |
> while read -r a b n; do echo $(addr2line -fe waits "$a" | head -1) $(addr2line -fe waits "$b" | head -1) $n; done | sort
> END
$ gcc -g -O1 -w -no-pie -include fcntl.h -pthread waits.c -o waits && weft record -q --callers 2 --on threads,io --off samples -o all.weft -- ./waits; weft info --json all.weft | jq -c '[.dropped,.problems]'
111
[0,0]
$ sh who all read; sh who all write | cut -d' ' -f1 | grep writer; sh who all write | sed -n 's/^handler .* \([0-9]*\)$/handler \1/p'; sh who all pthread_join; sh who all pthread_cond_wait | cut -d' ' -f1
innermost reader 111
writer
handler 100
joins main 1
joins main 1
waiter

## Only of what lasts as long.
$ weft record -q --callers 2:10ms --on threads,io --off samples -o lasts.weft -- ./waits; sh who lasts read | awk '{print $1, $2, ($3 >= 1 && $3 < 50)}'
111
innermost reader 1

## At OpenMP's constructs, of both runtimes, and at calls for memory: who met each of them, as often as the program did.
$ cat >omp.c <<'END'
> #include <omp.h>
> #include <stdio.h>
> #include <stdlib.h>
> #include <unistd.h>
> #define FAR __attribute__((noinline))
> static omp_lock_t lock; static volatile int c, sum;
> FAR void waits(void) {
> #pragma omp barrier
> 	c++; }
> FAR void enters(void) {
> #pragma omp critical
> 	__sync_fetch_and_add(&sum, 1);
> 	c++; }
> FAR void locks(void) { omp_set_lock(&lock); __sync_fetch_and_add(&sum, 1); omp_unset_lock(&lock); c++; }
> FAR void shares(void) {
> #pragma omp for schedule(dynamic, 10) nowait
> 	for (int i = 0; i < 100; i++) c++;
> 	c++; }
> FAR void makes(void) {
> #pragma omp task
> 	__sync_fetch_and_add(&sum, 1);
> #pragma omp taskwait
> 	c++; }
> FAR void part(void) { waits(); enters(); locks(); shares(); makes(); if (omp_get_thread_num()) usleep(100000); waits(); c++; }
> FAR void meets(void) {
> #pragma omp parallel num_threads(2)
> 	part();
> 	c++; }
> FAR void outer(void) { meets(); c++; }
> FAR char *takes(int n) { char *p = malloc(n); c++; return p; }
> FAR char *grows(char *p, int n) { p = realloc(p, n); c++; return p; }
> FAR void gives(void *p) { free(p); c++; }
> int main(void)
> {
> 	omp_init_lock(&lock);
> 	for (int i = 0; i < 10; i++) outer();
> 	for (int i = 0; i < 100; i++) gives(grows(takes(100), 200));
> 	printf("%d\n", sum);
> 	return 0;
> }
> END
$ cat >whom <<'END'
> # Of the calls of each region: the two functions that called it, and how often.
> weft dump $1.weft | awk '$3 == "enter" {name = $4; for (i = 5; i <= NF; i++) name = name " " $i; in_[$2, ++deep[$2]] = name} $3 == "leave" {deep[$2]--}
> $3 == "callstack" {n[in_[$2, deep[$2]] "|" $4 "|" $5]++} END {for (i in n) print i "|" n[i]}' |
> while IFS='|' read -r name a b n; do echo "$name: $(addr2line -fe $2 $a | head -1) $(addr2line -fe $2 $b | head -1) $n"; done |
> awk '!/[?][?]|usleep/ {n = $NF; $NF = ""; sum[$0] += n} END {for (i in sum) print i sum[i]}' | sort
> END
$ for cc in gcc clang; do $cc -g -O1 -w -no-pie -fopenmp omp.c -o omp-$cc; weft record -q --callers 2 --on memory --off samples -o omp-$cc.weft -- ./omp-$cc; weft check -q omp-$cc.weft; sh whom omp-$cc ./omp-$cc | grep -v 'lock 1 wait'; done
60
free: gives main 100
malloc: takes main 100
omp barrier: waits part 40
omp critical wait: enters part 20
omp critical: enters part 20
omp for dynamic: shares part 20
omp lock 1: locks part 20
omp parallel in meets: meets outer 10
omp task create: makes part 20
omp taskwait: makes part 20
realloc: grows main 100
60
free: gives main 100
malloc: takes main 100
omp barrier: waits part 40
omp critical wait: enters part 20
omp critical: enters part 20
omp for dynamic: shares part 20
omp lock 1: locks part 20
omp parallel in meets: meets outer 10
omp task create: makes part 20
omp taskwait: makes part 20
realloc: grows main 100

## Of what lasts: the barrier that waits for the other thread.
$ for cc in gcc clang; do weft record -q --callers 2:10ms --off samples -o long-$cc.weft -- ./omp-$cc; sh whom long-$cc ./omp-$cc | awk '/omp barrier: waits part/ {print ($NF >= 10 && $NF <= 40)} /omp (task create|critical:|for)/ {n += $NF} END {print (n < 60)}'; done
60
1
1
60
1
1

## Calls for memory are regions then, which count once, as without callers: in the table, and among Extrae's events, with callers.
$ cat >mem.c <<'END'
> #include <stdlib.h>
> volatile int c;
> int main(void) { for (int i = 0; i < 50; i++) { char *p = malloc(100); c++; p = realloc(p, 300); c++; free(p); } return 0; }
> END
$ gcc -O1 -w mem.c -o mem; for how in '' '--callers 1'; do weft record -q --force $how --on memory --off samples -o mem.weft -- ./mem; weft table --csv memory mem.weft | cut -d, -f1,2,3; weft convert -q --force --like extrae mem.weft mem.prv; grep -o '4000004[01]:[1-9][0-9]*' mem.prv | sort | uniq -c; grep -c ':70000001:' mem.prv; done
function,calls,bytes
free,100,20800
malloc,50,5000
realloc,50,15000
     50 40000040:1
    100 40000040:2
     50 40000040:3
     50 40000041:100
     50 40000041:300
0
function,calls,bytes
free,100,20800
malloc,50,5000
realloc,50,15000
     50 40000040:1
     50 40000040:2
     50 40000040:3
     50 40000041:100
     50 40000041:300
150
