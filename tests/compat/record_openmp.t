## SPDX-License-Identifier: Apache-2.0
## needs: gcc clang gfortran jq
## tags: builds=release,debug timeout=180
## OpenMP programs as they are, of GCC and LLVM: the program counts what it does itself, and the trace must say the same.
$ cp "$WEFT_SOURCE"/tests/tools/openmp_counts.* "$WEFT_SOURCE"/tests/tools/openmp_seen .
$ gcc -O1 -fopenmp openmp_counts.c -o counts.gcc && clang -O1 -fopenmp openmp_counts.c -o counts.clang; echo $?
0
$ for c in gcc clang; do weft record -q -o $c.weft -- ./counts.$c >$c.txt; echo $?; ./openmp_seen $c.weft arrows | diff $c.txt - && echo same; done
0
same
0
same

## All is sound, and nothing is left open.
$ for c in gcc clang; do weft check $c.weft | sed -n 's/: sound.*/ sound/p; /warning/p'; done
gcc.weft sound
clang.weft sound

## Cancelled loops; then tasks of a taskloop have no arrows with GCC's runtime.
$ for c in gcc clang; do OMP_CANCELLATION=true weft record -q -o $c-c.weft -- ./counts.$c >$c.txt; ./openmp_seen $c-c.weft $(test $c = clang && echo arrows) | diff $c.txt - && echo same; weft check $c-c.weft | sed -n /warning/p; done
same
same

## Compiled by GCC, run by LLVM's runtime: told once.
$ gcc -O1 -fopenmp openmp_counts.c -c -o gcc.o && clang gcc.o -fopenmp -o counts.mixed; weft record -q -o mixed.weft -- ./counts.mixed team,loops,tasks >mixed.txt; echo $?; ./openmp_seen mixed.weft arrows | grep -E 'parallel|bodies|tasks' >seen; grep -E 'parallel|bodies|tasks' mixed.txt | diff - seen && echo same
0
same

## Fortran.
$ gfortran -O1 -fopenmp openmp_counts.f90 -o counts.fortran; weft record -q -o fortran.weft -- ./counts.fortran >fortran.txt; ./openmp_seen fortran.weft arrows >seen; grep -Fxf seen fortran.txt | diff - fortran.txt && echo same
same

## Both runtimes in one process, each with a region of two threads, and a lock that both take.
$ printf '#include <omp.h>\nvoid theirs(omp_lock_t *l)\n{\n#pragma omp parallel num_threads(2)\n\t{\n\t\tomp_set_lock(l);\n\t\tomp_unset_lock(l);\n\t}\n}\n' >theirs.c
$ printf '#include <omp.h>\nvoid theirs(omp_lock_t *);\nint main(void)\n{\n\tomp_lock_t l;\n\tomp_init_lock(&l);\n#pragma omp parallel num_threads(2)\n\t{\n\t\tomp_set_lock(&l);\n\t\tomp_unset_lock(&l);\n\t}\n\ttheirs(&l);\n}\n' >ours.c
$ clang -O1 -fopenmp -fPIC -shared theirs.c -o libtheirs.so && gcc -O1 -fopenmp ours.c ./libtheirs.so -o both && ldd both | grep -c 'libg*omp[.]'
2
$ weft record -q -o both.weft -- ./both; echo $?; weft stat --by region --csv both.weft | grep -E 'parallel|lock 1,' | cut -d, -f1,4 | sort
0
main [omp parallel],2
omp lock 1,4
omp parallel in main,1
omp parallel in theirs,1
theirs [omp parallel],2

## Functions by their names, and the threads.
$ weft stat --by region --csv fortran.weft | cut -d, -f1,2 | grep MAIN__ | sort
MAIN__ [omp parallel],running
MAIN__#1 [omp parallel],running
MAIN__#2 [omp task],running
omp parallel in MAIN__#1,scheduling
omp parallel in MAIN__,scheduling
$ weft info --list threads --json fortran.weft | jq -r '.[].name' | grep omp | sort
omp worker 1
omp worker 2

## An exception that stays in the body; one that does not ends the program, as without us. A process that is forked away between regions.
$ printf '#include <cstdio>\n#include <cstdlib>\nint main(int argc, char **)\n{\n\tint n = 0;\n#pragma omp parallel num_threads(3) reduction(+ : n)\n\t{\n\t\ttry {\n\t\t\tthrow 1;\n\t\t} catch (int k) {\n\t\t\tn += k;\n\t\t}\n\t\tif (argc > 1)\n\t\t\tthrow 2;\n\t}\n\tprintf("%%d\\n", n);\n}\n' >throws.cc
$ for c in g++ clang++; do $c -O1 -fopenmp throws.cc -o throws; weft record -q --force -o throws.weft -- ./throws; weft stat --by region --csv throws.weft | grep -c '^main .omp parallel'; (weft record -q --force -o throws.weft -- ./throws 1) 2>/dev/null; echo $?; done
3
1
134
3
1
134
$ printf '#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\nint main(void)\n{\n\tint n = 0, status;\n#pragma omp parallel num_threads(2)\n#pragma omp atomic\n\tn++;\n\tif (fork() == 0)\n\t\t_exit(n);\n\twait(&status);\n#pragma omp parallel num_threads(2)\n#pragma omp atomic\n\tn++;\n\tprintf("%%d %%d\\n", WEXITSTATUS(status), n);\n}\n' >forks.c
$ for c in gcc clang; do $c -O1 -fopenmp forks.c -o forks; weft record -q --force -o forks.weft -- ./forks; weft info --json forks.weft | jq -c '[.processes, .problems]'; ./openmp_seen forks.weft | head -2; done
2 4
[2,0]
parallel 2
bodies 4
2 4
[2,0]
parallel 2
bodies 4

## What tasks wait for.
$ printf 'int main(void)\n{\n\tint a, b;\n#pragma omp parallel num_threads(2)\n#pragma omp single\n\t{\n#pragma omp task depend(out : a)\n\t\ta = 1;\n#pragma omp task depend(out : b)\n\t\tb = 1;\n#pragma omp task depend(in : a)\n\t\t__asm__ volatile("");\n#pragma omp task depend(in : a) depend(in : b)\n\t\t__asm__ volatile("");\n#pragma omp task depend(inout : a)\n\t\ta++;\n\t}\n\treturn 0;\n}\n' >depends.c
$ for c in gcc clang; do $c -O1 -fopenmp depends.c -o depends; weft record -q --force -o depends.weft -- ./depends; weft dump depends.weft | sed -nE 's/.*omp task dependency 0x[0-9]0*(.) 0x[0-9]0*(.)$/\1 \2/p' | sort; done
2 4
2 5
3 5
4 6
5 6
2 4
2 5
3 5
4 6
5 6

## Detached tasks, reductions over tasks, teams, target, conditional lastprivate: the program's results, and regions that are all left.
$ cp "$WEFT_SOURCE"/tests/tools/openmp_later.c . && gcc -O1 -fopenmp openmp_later.c -o later && ./later >later.txt; weft record -q -o later.weft -- ./later | diff - later.txt && weft check later.weft | sed -n '/warning/p; s/: sound.*/ sound/p'; weft stat --by region --csv later.weft | grep -E 'teams|target|taskloop|taskgroup,' | cut -d, -f1,4 | sort
later.weft sound
elsewhere [omp teams],2
elsewhere#2 [omp target],1
omp taskgroup,1
omp taskloop,1
omp teams in elsewhere,1

## A program that is built with AddressSanitizer.
$ gcc -O1 -g -fsanitize=address -fopenmp openmp_counts.c -o counts.asan; ASAN_OPTIONS=detect_leaks=0 weft record -q -o asan.weft -- ./counts.asan >asan.txt; echo $?; ./openmp_seen asan.weft arrows | diff asan.txt - && echo same
0
same

## With ThreadSanitizer LLVM's runtime keeps the tool that it needs for that, and the program says what it says alone.
$ printf '#include <stdio.h>\nint main(void)\n{\n\tint n = 0, m = 0;\n#pragma omp parallel num_threads(3)\n\t{\n#pragma omp critical\n\t\tn++;\n#pragma omp barrier\n#pragma omp single\n\t\tm = n;\n\t}\n\tprintf("%%d %%d\\n", n, m);\n}\n' >races.c
$ clang -g -O1 -fsanitize=thread -fopenmp races.c -o races; export TSAN_OPTIONS=ignore_noninstrumented_modules=1; ./races >alone.txt 2>&1; weft record -q -o races.weft -- ./races >races.txt 2>&1; diff alone.txt races.txt && cat races.txt
3 3

## Into a trace that others begin.
$ env $(weft record --environment -o handed.weft) ./counts.clang team >/dev/null; weft stat --by region --csv handed.weft | grep -c 'omp parallel'
8

## Not asked for: nothing of it.
$ for c in gcc clang; do weft record -q --off openmp -o off.weft --force -- ./counts.$c >/dev/null; weft stat --by region --csv off.weft | sed 1d | grep -c omp; done
0
0
? 1

## Objects of compilers before GCC 4.9: a region is begun, its part of the caller's is called by the caller, and ended.
$ for c in gcc clang; do $c -O1 "$WEFT_SOURCE"/tests/tools/openmp_old.c -o old.$c -l:libgomp.so.1; OMP_SCHEDULE=dynamic,5 weft record -q -o old-$c.weft -- ./old.$c >old.txt; ./openmp_seen old-$c.weft >seen; grep -Fxf seen old.txt | diff - old.txt && echo same; weft check old-$c.weft | sed -n '/warning/p'; done
same
same

## Outside of parallel regions a program computes, too: a second of it in ten parts, with a small region behind each.
$ printf '#include <time.h>\nint main(void)\n{\n\tfor (int i = 0; i < 10; i++) {\n\t\tclock_t t = clock();\n\t\twhile (clock() - t < CLOCKS_PER_SEC / 10)\n\t\t\t;\n#pragma omp parallel num_threads(2)\n\t\t{\n\t\t\tvolatile int x = i;\n\t\t\t(void)x;\n\t\t}\n\t}\n}\n' >serial.c
$ gcc -O1 -fopenmp serial.c -o serial && weft record -q -o serial.weft -- ./serial && weft table -q load-balance serial.weft --csv | awk -F, '$1 ~ /^serial/ { print ($2 > 9e5) }'
1
$ weft efficiency -q --no-ideal -a serial.weft --csv | awk -F, '$2 == "Serial region efficiency" { print ($3 > 45 && $3 < 55) }'
1
