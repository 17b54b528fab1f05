## SPDX-License-Identifier: Apache-2.0
## needs: gcc g++ jq
## tags: builds=release,debug
## weft record --probe: functions of programs that know nothing of Weft.
$ cat >sums.c <<'END'
> #include <stdio.h>
> #include <stdlib.h>
> #include <string.h>
> #include <sys/wait.h>
> #include <unistd.h>
> struct job { int kind; double weight[3]; const char *name; };
> int round_number;
> __attribute__((noinline)) long sum(const struct job *j, int n)
> {
> 	long s = 0;
> 	round_number++;
> 	for (int i = 0; i < n; i++)
> 		s += i * j->kind;
> 	return s;
> }
> __attribute__((noinline)) double scale(double by, int n)
> {
> 	return by * n;
> }
> int main(int argc, char **argv)
> {
> 	struct job j = {2, {0.5, 1.5, 2.5}, "first"};
> 	long all = 0;
> 	for (int i = 1; i <= 3; i++)
> 		all += sum(&j, i) + (long)scale(1.5, i);
> 	if (argc > 1 && strcmp(argv[1], "fork") == 0 && fork() == 0) {
> 		j.name = "child";
> 		usleep(200000);
> 		sum(&j, 7);
> 		_exit(0);
> 	}
> 	wait(NULL);
> 	if (argc > 1 && strcmp(argv[1], "exec") == 0)
> 		execl(argv[0], argv[0], NULL);
> 	printf("%ld\n", all);
> 	return 5;
> }
> END

$ gcc -O2 -g -o sums sums.c && gcc -O2 -s -rdynamic -o plain sums.c

## The program is as it was: its output, its status.
$ weft record -o a.weft --probe 'sum(n, j->weight[1], j->name; return, round_number)' --probe 'scale(by; return)' -- ./sums
16
weft record: [..] events of 1 process and 1 thread, [..], probes put into 1 process, in [..]; next: weft stat a.weft
? 5

$ weft dump a.weft | awk '/ (enter|leave|point[_a-z]*) /{$1=""; print}'
 1.1.1 enter sum
 1.1.1 point sum.n = 1
 1.1.1 point_f sum.j->weight[1] = 1.5
 1.1.1 point_s sum.j->name = "first"
 1.1.1 point sum.return = 0
 1.1.1 point sum.round_number = 1
 1.1.1 leave sum
 1.1.1 enter scale
 1.1.1 point_f scale.by = 1.5
 1.1.1 point_f scale.return = 1.5
 1.1.1 leave scale
 1.1.1 enter sum
 1.1.1 point sum.n = 2
 1.1.1 point_f sum.j->weight[1] = 1.5
 1.1.1 point_s sum.j->name = "first"
 1.1.1 point sum.return = 2
 1.1.1 point sum.round_number = 2
 1.1.1 leave sum
 1.1.1 enter scale
 1.1.1 point_f scale.by = 1.5
 1.1.1 point_f scale.return = 3
 1.1.1 leave scale
 1.1.1 enter sum
 1.1.1 point sum.n = 3
 1.1.1 point_f sum.j->weight[1] = 1.5
 1.1.1 point_s sum.j->name = "first"
 1.1.1 point sum.return = 6
 1.1.1 point sum.round_number = 3
 1.1.1 leave sum
 1.1.1 enter scale
 1.1.1 point_f scale.by = 1.5
 1.1.1 point_f scale.return = 4.5
 1.1.1 leave scale

$ weft check a.weft
a.weft: sound; [..]

$ weft stat --csv a.weft | cut -d, -f1-4 | sort
region,state,threads,calls
scale,running,1,3
sum,running,1,3

## Without debug information: symbols, registers, declared types.
$ weft record -q -o b.weft --probe 'sum($2:int; return:long)' --probe 'scale($1:double)' -- ./plain
16
? 5

$ weft dump b.weft | awk '/ (enter|leave|point[_a-z]*) /{$1=""; print}' | head -6
 1.1.1 enter sum
 1.1.1 point sum.$2 = 1
 1.1.1 point sum.return = 0
 1.1.1 leave sum
 1.1.1 enter scale
 1.1.1 point_f scale.$1 = 1.5

$ weft record -q -o c.weft --probe 'sum(n)' -- ./plain
16
weft record: warning: nothing was watched by --probe 'sum(n)': there is no debug information: 'n' wants a number ($1) and a type
? 5

## fork: a process of its own, with the probes.
$ weft record -q -o d.weft --probe 'sum(n)' -- ./sums fork
16
? 5

$ weft dump d.weft | awk '/ point /{$1=""; print}'
 1.1.1 point sum.n = 1
 1.1.1 point sum.n = 2
 1.1.1 point sum.n = 3
 1.2.1 point sum.n = 7

## exec: the same process goes on as another program, which is watched again.
$ weft record -q -o e.weft --probe 'sum(n)' -- ./sums exec
16
? 5

$ weft info --json e.weft | jq .processes; weft dump e.weft | grep -c 'sum.n ='; ls e.weft | grep -v launcher | grep -c stream
1
6
2

## Shells and other programs of the command that do not have the function are left alone.
$ weft record -q -o f.weft --probe 'sum(n)' -- sh -c './sums >/dev/null; ./sums; exit 3'
16
? 3

$ weft dump f.weft | grep -c 'sum.n ='
6

## C++: by qualified name.
$ cat >step.cpp <<'END'
> #include <cstdio>
> namespace ns { struct Solver { int level; int step(int by); }; }
> __attribute__((noinline)) int ns::Solver::step(int by) { if (by == 2) throw by; return level += by; }
> int main() { ns::Solver s{1}; int n = 0; for (int i = 0; i < 4; i++) try { n += s.step(i); } catch (int) { n += 100; } printf("%d\n", n); }
> END

$ g++ -O2 -g -o step step.cpp && weft record -q -o g.weft --probe 'Solver::step(this->level, by; return)' -- ./step
108

$ weft dump g.weft | awk '/ (enter|leave|point[_a-z]*) /{$1=""; print}' | head -8
 1.1.1 enter Solver::step
 1.1.1 point Solver::step.this->level = 1
 1.1.1 point Solver::step.by = 0
 1.1.1 point Solver::step.return = 1
 1.1.1 leave Solver::step
 1.1.1 enter Solver::step
 1.1.1 point Solver::step.this->level = 1
 1.1.1 point Solver::step.by = 1

## An exit that cannot be watched: a point (the C library's start calls it, too).
$ cat >jump.c <<'END'
> #include <setjmp.h>
> int main(void) { static jmp_buf b; volatile int n = 0; setjmp(b); if (n++ < 2) longjmp(b, 1); return 0; }
> END

$ gcc -O2 -o jump jump.c && weft record -q -o h.weft --probe _setjmp -- ./jump && weft dump h.weft | grep -c 'point  *_setjmp = 1'
2

## What cannot be read.
$ weft record -o x.weft --probe 'sum(n' -- ./sums
weft record: error: 'sum(n': expected ')' at the end
? 2

$ ls -d x.weft
ls: cannot access 'x.weft': No such file or directory
? 2

## Nowhere.
$ weft record -q -o y.weft --probe smu -- ./sums
16
weft record: warning: nothing was watched by --probe 'smu': no function 'smu' in this process: did you mean 'sum'?
? 5

## What the agent keeps open has high numbers: a shell puts what it redirects under the numbers that its script says, and its commands would wait for one another.
$ sh -c 'ls /proc/$$/fd' >plain; weft record -q --probe main -o fds.weft -- sh -c 'ls /proc/$$/fd' >probed 2>/dev/null; awk '$1 < 200' probed | diff plain - && awk '$1 >= 200' probed | grep -c . | awk '{print ($1 > 2 ? "out of the way" : "none")}'
out of the way
