## SPDX-License-Identifier: Apache-2.0
## needs: pj_dump jq
## What weft reads from a Paje file, and what pj_dump says of the same file.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft convert -q heat.weft -o heat.paje; weft check heat.paje | tail -1
heat.paje: sound; 3 threads, 56 records
$ states() { pj_dump -l 9 "$1" | awk -F', ' '/^State,/ {split($6, t, "."); n[$8]++; s[$8] += t[1] * 1000000000 + t[2]} END {for (v in n) printf "%s %d %.0f\n", v, n[v], s[v]}' | sort; }
$ regions() { weft stat -q --json "$1" | jq -r '.[] | "\(.region) \(.calls) \(.total_ns)"' | sort; }
$ states heat.paje | diff - <(regions heat.paje); regions heat.paje | diff - <(regions heat.weft); states heat.paje | wc -l
4
$ pj_dump heat.paje | grep -c ^Link; weft info -q --json heat.paje | jq '.messages + .flows'
3
3

## Written again it is the same file, but for the names that our own kinds have taken.
$ weft convert -q heat.paje -o again.paje; pj_dump again.paje | sed 's/ (type)//; s/ (counter)//' | sort >again; pj_dump heat.paje | sort | diff - again

## Another tool's style: states are set and reset, variables added to, aliases and names mixed.
$ cat >other.trace <<'END'
> %EventDef PajeDefineContainerType 1
> %	Name string
> %	Type string
> %	Alias string
> %EndEventDef
> %EventDef PajeDefineStateType 2
> %	Name string
> %	Type string
> %	Alias string
> %EndEventDef
> %EventDef PajeDefineVariableType 3
> %	Name string
> %	Type string
> %	Color color
> %	Alias string
> %EndEventDef
> %EventDef PajeCreateContainer 4
> %	Time date
> %	Alias string
> %	Type string
> %	Container string
> %	Name string
> %EndEventDef
> %EventDef PajeSetState 5
> %	Time date
> %	Container string
> %	Type string
> %	Value string
> %EndEventDef
> %EventDef PajePushState 6
> %	Time date
> %	Container string
> %	Type string
> %	Value string
> %EndEventDef
> %EventDef PajePopState 7
> %	Time date
> %	Container string
> %	Type string
> %EndEventDef
> %EventDef PajeResetState 8
> %	Time date
> %	Container string
> %	Type string
> %EndEventDef
> %EventDef PajeAddVariable 9
> %	Time date
> %	Container string
> %	Type string
> %	Value double
> %EndEventDef
> %EventDef PajeSetVariable 11
> %	Time date
> %	Type string
> %	Container string
> %	Value double
> %EndEventDef
> %EventDef PajeDestroyContainer 10
> %	Time date
> %	Name string
> %	Type string
> %EndEventDef
> 1 Platform 0 P
> 1 Worker P W
> 2 Work W S
> 3 load W "1 0 0" V
> 4 0 p P 0 "the platform"
> 4 0 w1 W p "worker one"
> 4 0 w2 W p "worker two"
> 5 0.5 w1 S init
> 5 1.25 w1 S compute
> 6 1.5 w1 S wait
> 6 1.75 w1 S spin
> 11 1.75 V w1 2
> 7 2 w1 S
> 7 2.5 w1 S
> 5 3 w2 S compute
> 9 3 w1 V 3
> 8 4 w1 S
> 5 5 w1 S init
> 10 6 w1 W
> 10 6 w2 W
> 10 6 p P
> END
$ states other.trace | diff - <(regions other.trace); states other.trace
compute 2 5750000000
init 2 1750000000
spin 1 250000000
wait 1 1000000000
$ pj_dump -l 0 other.trace | grep ^Variable
Variable, worker one, load, 2, 3, 1, 2
Variable, worker one, load, 3, 6, 3, 5
$ weft dump -q other.trace -f kind=counter
1750000000  1.1.1   counter       load = 2
3000000000  1.1.1   counter       load = 5
