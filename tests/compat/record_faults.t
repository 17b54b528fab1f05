## SPDX-License-Identifier: Apache-2.0
## needs: gcc jq unshare
## tags: builds=release,debug timeout=300
## Programs that do what recorders trip over: the same output and status as without us, and a trace that is whole.
$ cp "$WEFT_SOURCE"/tests/tools/faults.c . && gcc -O1 -w -pthread faults.c -o faults; echo $?
0
$ cat >both <<'END'
> # Runs it alone and recorded, in several ways; says what differs, and what is wrong with the trace.
> ./faults "$@" >plain.out 2>plain.err; plain=$?
> for how in '' '--on threads,locks,io,stdio,memory,process' '--sample 1000' '--watch none'; do
> weft record -q --force $how -o $1.weft -- ./faults "$@" >recorded.out 2>recorded.err; recorded=$?
> [ $plain = $recorded ] && cmp plain.out recorded.out && { [ $plain -gt 128 ] || cmp plain.err recorded.err; } || echo "differs: $* $how: $plain $recorded"
> weft check -q $1.weft >check.out || echo "unsound: $* $how"
> done
> echo $plain
> END

## A million frames below the samples; they say that their stacks are cut.
$ sh both deep
0
$ WEFT_SAMPLE=500 weft record -q --force --sample 500 -o deep.weft -- ./faults deep; weft dump deep.weft | awk '$3 == "sample" {n++} END {print (n > 3)}'
1500000
1

## SIGPROF and its timer are the program's; so are all real-time signals, and who waits for any of them finds none of ours.
$ sh both profiles
0
$ sh both realtime
0

## All descriptors closed, many times.
$ sh both closes
5

## Many threads at once; threads that are cancelled in waits.
$ sh both threads 2000
0
$ sh both cancel
0

## Children: by fork from several threads, exec, vfork, spawn, clone; daemons; an empty environment.
$ for w in forks execs daemon spawns clone clears; do sh both $w; done
0
6
0
0
0
0
$ sh both signals
0

## Ends, of which the trace tells: those that were killed were not closed.
$ sh both overflows
11
$ for n in 6 9 11 15; do sh both dies $n 2>/dev/null; weft info --json dies.weft | jq -c '[.dropped, .problems]'; done
134
[0,0]
137
[0,0]
139
[0,0]
143
[0,0]

## No room: files must not grow, no descriptors, no signals in the queue. What is missing is said.
$ sh both limits; sh both limits handled
0
0
$ cat >small.c <<'END'
> #include <pthread.h>
> #include <sys/resource.h>
> static void *run(void *arg) { return arg; }
> int main(void) { pthread_t t; setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}); pthread_create(&t, 0, run, 0); return pthread_join(t, 0); }
> END
$ gcc -w -pthread small.c -o small && weft record -o small.weft -- ./small
weft record: no events of libweft: recorded 1 process and 2 threads, their execs and exits, 1 process not recorded (file too large), in [..]
weft record: not recorded: [..]
$ weft check small.weft
warning: [..].missing: a process could not be recorded: file too large [process-missing]
small.weft: sound; [..]
$ weft record -q --force -o small.weft -- true; ls small.weft | grep -c missing
0
? 1
$ (ulimit -f 1; exec weft record -q -o none.weft -- true)
weft record: error: cannot write '[..]-launcher.stream': file too large
? 2

## Where perf is not to be had, nor ptrace: a filter of system calls as containers have one.
$ cat >filter.c <<'END'
> #include <errno.h>
> #include <linux/filter.h>
> #include <linux/seccomp.h>
> #include <stddef.h>
> #include <sys/prctl.h>
> #include <sys/syscall.h>
> #include <unistd.h>
> #define NONE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
> int main(int argc, char **argv)
> {
> 	struct sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), NONE(SYS_perf_event_open), NONE(SYS_ptrace),
> 		NONE(SYS_process_vm_readv), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
> 	struct sock_fprog p = {sizeof f / sizeof *f, f};
> 	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) return 9;
> 	return execvp(argv[1], argv + 1);
> }
> END
$ gcc -w filter.c -o filter && ./filter weft record -q -o filtered.weft -- ./faults threads 5; weft dump filtered.weft | awk '$3 == "flow_in" && / from 1/ {n[$5]++} END {print n["started"], n["ended"]}'
5 wait at once
made 5, right 5
5 5
$ ./filter weft record -q --sample 1000 -o filtered2.weft -- ./faults profiles; weft dump filtered2.weft | awk '$3 == "sample" {n++} END {print (n > 10)}'
found 0
ticks as many as there should be
1

## A program that bears malloc itself, which is in it nearly always: samples all the same.
$ cat >bears.c <<'END'
> #include <pthread.h>
> #include <stddef.h>
> #include <stdio.h>
> #include <string.h>
> #include <time.h>
> static char memory[64 << 20];
> static size_t used;
> static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
> void *malloc(size_t n)
> {
> 	pthread_mutex_lock(&lock);
> 	for (volatile int i = 0; i < 2000; i++)
> 		;
> 	size_t *at = (size_t *)(memory + used + 16 - sizeof(size_t));
> 	used += (n + 31) & ~(size_t)15;
> 	if (used > sizeof memory - (1 << 20))
> 		used = 1 << 22;
> 	pthread_mutex_unlock(&lock);
> 	*at = n;
> 	return at + 1;
> }
> void free(void *at) { (void)at; }
> void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
> void *realloc(void *at, size_t n)
> {
> 	void *to = malloc(n);
> 	if (at)
> 		memcpy(to, at, ((size_t *)at)[-1] < n ? ((size_t *)at)[-1] : n);
> 	return to;
> }
> int main(void)
> {
> 	struct timespec t;
> 	unsigned long calls = 0;
> 	do {
> 		for (int i = 0; i < 100; i++)
> 			calls += malloc(20) != NULL;
> 		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
> 	} while (t.tv_sec == 0 && t.tv_nsec < 500000000);
> 	puts(calls ? "called" : "never");
> 	return 0;
> }
> END
$ gcc -O1 -w -pthread bears.c -o bears; WEFT_SAMPLE=500 weft record -q -o bears.weft -- ./bears; weft check -q bears.weft; weft dump bears.weft | awk '$3 == "sample" {n++} END {print (n > 20)}'
called
1

## In namespaces of their own, as another user, and in a folder that is the root: the last finds no library of ours, as the loader says.
$ unshare --map-root-user --pid --fork --ipc --net --uts weft record -q -o spaces.weft -- ./faults execs 1; echo $?; weft check -q spaces.weft
1 left
0 left
6
$ mkdir -p root && gcc -O1 -w -static -pthread faults.c -o root/faults && weft record -q -o root.weft -- unshare --map-root-user --root="$PWD/root" /faults cancel; weft check -q root.weft
way 0: cancelled
way 1: cancelled
way 2: cancelled
way 3: cancelled
cleaned 4, lock free

## Under valgrind programs run as they are.
$ if command -v valgrind >/dev/null; then weft record -q --on threads,io,memory -o valgrind.weft -- valgrind -q ./faults cancel; else ./faults cancel; fi
way 0: cancelled
way 1: cancelled
way 2: cancelled
way 3: cancelled
cleaned 4, lock free
