## SPDX-License-Identifier: Apache-2.0
## needs: gcc gfortran
## tags: builds=release,debug,asan
## Programs that call Extrae's interface: what they tell is in the trace, by their numbers, and in Paraver's files.
$ gcc -O1 -rdynamic -I "$WEFT_SOURCE"/include "$WEFT_SOURCE"/tests/tools/extrae_calls.c -o calls && ./calls
no Extrae
$ weft record -q -o calls.weft -- ./calls
recording: 1
recording: 0
$ weft dump -f kind=point calls.weft | awk '{$1 = $2 = $3 = ""; print}' | tr -s ' '
 Phase = 1 "one"
 type 1000 = 1
 type 1000 = 0
 type 1000 = 2
 type 1000 = 0
 type 1000 = 3
 type 1000 = 0
 type 1000 = 9
 Phase = 2 "two"
 type 3000 = 5
 type 3000 = 6
 type 3000 = 5
 type 3000 = 0
 type 10 = 1
 type 11 = 2
 type 12 = 3
 type 1000 = 78

## The three of one call are of one instant; functions nest; a message has both ends.
$ weft dump -f 'kind=point and (name="type 10" or name="type 11" or name="type 12")' calls.weft | awk '{print $1}' | uniq | wc -l
1
$ weft stat --by region --csv calls.weft | awk -F, '/^(inner|outer)/ {print $1, $4}' | sort
inner 3
outer 1
$ weft info --json calls.weft | jq -c '[.messages, .dropped, .problems]'
[1,0,0]

## As Paraver has it: types are the program's numbers, several values of one instant stand in one line.
$ weft convert calls.weft -o calls.prv; grep -oE ':(10|11|12|1000|2000|3000):[0-9].*' calls.prv
:2000:1
:1000:1
:1000:0
:1000:2
:1000:0
:1000:3
:1000:0
:1000:9
:2000:2
:3000:5
:3000:6
:3000:5
:3000:0
:10:1:11:2:12:3
:1000:78
$ grep -A3 '2000    Phase' calls.pcf
0    2000    Phase
VALUES
1    one
2    two

## In Fortran arguments are references; the program is linked with the library, which does nothing where nothing records.
$ printf 'program p\n integer*4 :: t(2) = (/500, 501/), n = 2\n integer*8 :: v(2) = (/7, 8/)\n call extrae_init()\n call extrae_event(t(1), v(1))\n call extrae_nevent(n, t, v)\n call extrae_fini()\nend program\n' >calls.f90; gfortran calls.f90 -o fcalls -L"$WEFT_BUILD" -lweft-preload -Wl,-rpath,"$WEFT_BUILD" && ./fcalls && weft record -q -o fcalls.weft -- ./fcalls; weft dump -f kind=point fcalls.weft | awk '{print $4, $5, $6, $7}'
type 500 = 7
type 500 = 7
type 501 = 8
