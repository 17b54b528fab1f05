## SPDX-License-Identifier: Apache-2.0
## needs: gcc jq addr2line
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
