## SPDX-License-Identifier: Apache-2.0
## needs: gcc mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich unshare jq
## tags: builds=release,debug timeout=180
## A rank whose CLOCK_MONOTONIC is 5000 s ahead (a time namespace) is another node to us: both clocks meet at sync points in MPI_Init and MPI_Finalize.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ unshare -T --monotonic 5000 --fork true 2>/dev/null || echo 'skipped: no time namespaces may be made here'
$ cp "$WEFT_SOURCE"/tests/tools/mpi_faults.c .
$ for m in openmpi mpich; do mpicc.$m -w -O1 mpi_faults.c -o faults.$m -ldl || echo $m cannot be built; done
$ for m in openmpi mpich; do WEFT_CLOCKS=always weft record -q -o $m.weft -- mpirun.$m -np 1 ./faults.$m fork : -np 1 unshare -T --monotonic 5000 --fork ./faults.$m fork | sort; weft info --json $m.weft | jq -c '[.messages, .dropped, .problems]'; done
rank 0: child 3
rank 1: child 0
[20,0,0]
rank 0: child 3
rank 1: child 0
[20,0,0]

## Two points of two processes each. The ticks are in truth of one clock, where they are the processor's: they differ by less than was said (5 ticks a ns at most).
$ printf '%s\n' 'for f in "$1"/*.stream; do od -An -v -tx8 -w8 "$f" | awk "\$1 ~ /00000354\$/ {getline t; getline k; getline u; print k, t, u}"; done | sed "s/  */ /g" | sort | while read -r key a u; do if [ "$key" = "$last" ]; then d=$((0x$a - 0x$b)); [ $d -lt 0 ] && d=$((-d)); [ $d -gt 2500000000000 ] && d=$((d - 5000000000000)); [ $d -lt 0 ] && d=$((-d)); [ $d -le $((5 * 0x$u)) ] && [ $((0x$u)) -gt 0 ] && echo met || echo "$d ticks apart, $((0x$u)) ns"; fi; last=$key b=$a; done' >meet.sh
$ for m in openmpi mpich; do sh meet.sh $m.weft; done | uniq -c | sed 's/^ *//'
4 met

## No message is there before it left.
$ for m in openmpi mpich; do weft info $m.weft | grep -o '[0-9]* received before.*'; done
0 received before they were sent
0 received before they were sent

## One clock: nothing of it.
$ weft record -q -o one.weft -- mpirun.mpich -np 2 ./faults.mpich fork >/dev/null; sh meet.sh one.weft | wc -l
0
