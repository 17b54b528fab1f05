## SPDX-License-Identifier: Apache-2.0
## needs: mpicc.openmpi mpirun.openmpi ompi-server jq
## tags: builds=release,debug timeout=120
## Worlds that meet at a port, or over a socket (Open MPI): messages between them have both ends.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ mpicc.openmpi -w -O1 "$WEFT_SOURCE"/tests/tools/mpi_ports.c -o meet; timeout 100 ompi-server --no-daemonize -r uri >server.out 2>&1 </dev/null & echo $! >server; until [ -s uri ]; do sleep 0.05; done
$ cat >seen <<'END'
> # seen TRACE OUTPUT: what the program counted and what the trace has, and ends that are alone.
> sort $2; awk '{n += $3 + $5} END {print n}' $2; weft info --json $1 | jq -c '[.messages, .dropped, .problems]'; weft check $1 | grep -c -e 'one end' -e 'operations lost'
> END
$ cat >world <<'END'
> exec timeout --foreground 20 mpirun.openmpi --ompi-server file:uri "$@" </dev/null
> END

## Two clients at one port, connected at the same time.
$ weft record -q --off threads,io,samples -o meet.weft -- sh -c 'sh world -np 2 ./meet serve at 2 & sh world -np 2 ./meet call at & sh world -np 1 ./meet call at; wait' >meet.out 2>/dev/null; sh seen meet.weft meet.out
call 0: 6 between, 1 within
call 0: 6 between, 1 within
call 1: 6 between, 1 within
serve 0: 9 between, 2 within
serve 1: 9 between, 2 within
43
[43,0,0]
0
? 1

## Recorded each by a run of its own, in two traces: what belongs together is said by the communicators' keys.
$ sh -c 'weft record -q --off threads,io,samples -o server.weft -- sh world -np 1 ./meet serve bt 1 & weft record -q --off threads,io,samples -o client.weft -- sh world -np 2 ./meet call bt; wait' 2>/dev/null | sort
call 0: 3 between, 1 within
call 1: 3 between, 1 within
serve 0: 6 between, 1 within
$ for t in server client; do weft dump -f kind=send $t.weft | wc -l; done
7
8

## A client that is not recorded holds nobody up.
$ sh -c 'sh world -np 1 ./meet call ct & weft record -q --off threads,io,samples -o alone.weft -- sh world -np 2 ./meet serve ct 1; wait' 2>/dev/null | sort; weft info --json alone.weft | jq -c '[.dropped, .problems]'
call 0: 6 between, 1 within
serve 0: 3 between, 1 within
serve 1: 3 between, 1 within
[0,0]

## Processes of one world.
$ weft record -q --off threads,io,samples -o both.weft -- mpirun.openmpi -np 2 ./meet both dt >both.out 2>/dev/null; sh seen both.weft both.out
both 0: 3 between, 1 within
both 1: 3 between, 1 within
8
[8,0,0]
0
? 1

## Of the first sends only: each process for itself.
$ weft record -q --off threads,io,samples --first MPI_Send=2 -o few.weft -- mpirun.openmpi -np 2 ./meet both gt >/dev/null 2>&1; weft dump -f kind=leave few.weft | awk '$4 == "MPI_Send" {n[$2]++} $4 == "MPI_Intercomm_merge" {m++} END {for (t in n) print n[t]; print m + 0}'
2
2
0

## Over a socket, of one world and of two.
$ weft record -q --off threads,io,samples -o join.weft -- mpirun.openmpi -np 1 ./meet join et : -np 1 ./meet join et call >join.out 2>/dev/null; sh seen join.weft join.out
join 0: 1 between, 1 within
join 1: 1 between, 1 within
4
[4,0,0]
0
? 1
$ weft record -q --off threads,io,samples -o joins.weft -- sh -c 'sh world -np 1 ./meet join ft & sh world -np 1 ./meet join ft call; wait' >joins.out 2>/dev/null; sh seen joins.weft joins.out
join 0: 1 between, 1 within
join 0: 1 between, 1 within
4
[4,0,0]
0
? 1
$ kill $(cat server)
