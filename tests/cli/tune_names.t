## SPDX-License-Identifier: Apache-2.0
## needs: gcc g++
## tags: builds=release,debug
## weft tune: functions by all names that weft record --probe knows; values that several functions have in different places.
$ cp "$WEFT_SOURCE"/tests/tools/names/* .

$ cat >tunlet <<'END'
> variable() { printf 'variable\n  id: %s\n  path: %s\n  comment: /* v */\n  source: %s\n  type: %s\n  actorId: p\nendvariable\n' $1 "$2" ${4:-asFuncParamValue} $3; }
> event() { printf 'event\n  id: %s\n  actorId: p\n  controliter: %s\n  utility: always\n  method: %s\n  class: %s\n  place: entry\nATTRS\n' $1 $2 "$3" ${4:-none}; [ $# -lt 5 ] || printf '  id: %s\n' "$5"; echo endevent; }
> tunlet() { printf 'TUNLET\nname: names\ncomment: /* t */\ninclude: math.h\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n'; variable n n int; echo EVENTS; cat; printf 'ACTORS\nactor\n  id: p\n  min: 1\n  max: 1\n  completion: /# t1 > 0 #/\n  class: none\n  exe: any\nATTRS\n  id: t1\n  comment: /* a */\n  type: double\n  inic: /# t1 = 0; #/\n  depinic: none\n  value: /# p[B.id].t1 = B.timestamp; #/\n  cum: false\n  dependency: B\nendactor\nITERATION INFORMATION\nMODEL PARAMETERS\nPERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n'; }
> END
$ g++ -O1 -g -o shop shop.cc; gcc -O2 -shared -fPIC -o libmine.so lib.c; gcc -O2 -g -fno-builtin -o two a.c b.c -L. -lmine -Wl,-rpath,.

$ . ./tunlet; { event B begin 'over(int)' shop n; event E end 'Vec::operator+(Vec const&) const'; event C no over shop n; event D no over shop; event F no 'shop::twice<int>'; } | tunlet >names.tsl; weft tune check ./shop names.tsl | grep -v '^predicted'
event 'B' of p: ok
event 'E' of p: ok
event 'C' of p: cannot be measured: 'shop::over' stands for 3 functions, which have 'n' in different places ('shop::over([..])', 'shop::over([..])')
event 'D' of p: ok; 'shop::over' stands for 3 functions
event 'F' of p: ok

$ . ./tunlet; { event B begin a.c:same none n; event E end memcpy; event C no same none n; event D no 'MPI_*'; } | tunlet >names.tsl; weft tune check ./two names.tsl | grep -v '^predicted'
event 'B' of p: ok
event 'E' of p: ok; 'memcpy' is the variant '[..]' here, which may stand for other functions, too
event 'C' of p: ok; 'same' stands for 2 functions
event 'D' of p: ok; 'MPI_*' stands for 2 functions

## What is measured is what was called.
$ . ./tunlet; { event B begin 'over(int)' shop n; event E end 'Vec::operator+'; event D no over shop; event F no '(anonymous namespace)::hidden'; } | tunlet >names.tsl; weft tune -q -t names.tsl -o t.weft -- ./shop; weft dump t.weft | awk '/ point +names\.[BDEF] = /{n[$4]++} END{for (k in n) print n[k], k}' | sort -k2
5 names.B
12 names.D
1 names.E
5 names.F
