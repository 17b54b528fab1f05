## SPDX-License-Identifier: Apache-2.0
## needs: mpirun
## tags: timeout=120
## Programs on the frameworks under weft tune, with the tunlets that come with it: they decide, it is done, and the results are the same.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ e=$WEFT_BUILD/examples
$ tune() { weft tune -q --report report.txt "$@"; }
$ said() { grep -c "SetVariableValue $1" report.txt | sed 's/^[1-9].*/decided/'; grep "^Tunlet" report.txt | grep -o "0 faults"; }

## One worker to begin with; more are better, as computing takes 200 ms of one.
$ nbody="mpirun -np 5 $e/nbody --bodies 100 --steps 15 --speed 5e4"
$ mpirun -np 1 $e/nbody --bodies 100 --steps 15
100 bodies, 15 steps: checksum 16c120d0e3ae5186
$ WEFT_MW_WORKERS=1 tune -t nworkers -- $nbody; said 'NOptWorkers = [2-4]'
100 bodies, 15 steps: checksum 16c120d0e3ae5186
decided
0 faults

## One worker of four is three times as slow.
$ tune -t loadbalance -- $nbody --load 1-99:3@2; said globalSizeChunk
100 bodies, 15 steps: checksum 16c120d0e3ae5186
decided
0 faults

## Both at once.
$ WEFT_MW_WORKERS=1 tune -t nworkers -t loadbalance -- $nbody; said 'NOptWorkers = [2-4]'
100 bodies, 15 steps: checksum 16c120d0e3ae5186
decided
0 faults
0 faults

## In C++.
$ tune -t loadbalance -- mpirun -np 3 $e/mw_primes; said globalSizeChunk
669 primes below 5000
1229 primes below 10000
1754 primes below 15000
2262 primes below 20000
decided
0 faults

## The first stage takes six times as long as the others.
$ mpirun -np 1 $e/images --images 400
400 images: checksum 032d19c637354392
$ tune -t pipeline -- mpirun -np 7 $e/images --images 400 --cost 3000,500,500; said 'PipeReplicas1 = [34]'
400 images: checksum 032d19c637354392
decided
0 faults

$ mpirun -np 1 $e/sorting --numbers 4000 --arrays 8
8 arrays of 4000: checksum 2a89ea2dd8f120a0
$ tune -t divide -- mpirun -np 5 $e/sorting --numbers 4000 --arrays 8 --cost 400; said 'DivideDepth = [1-9]'
8 arrays of 4000: checksum 2a89ea2dd8f120a0
decided
0 faults

## All that the tunlets want can be done, and is known before a run.
$ for p in nbody:nworkers nbody:loadbalance images:pipeline sorting:divide mw_primes:nworkers; do weft tune check $e/${p%:*} ${p#*:} | grep -v '^predicted' | sed 's/.*: //; s/ok, by a trap.*/ok/' | sort | uniq -c | sed "s/^ */$p /"; done
nbody:nworkers 7 ok
nbody:loadbalance 6 ok
images:pipeline 13 ok
sorting:divide 6 ok
mw_primes:nworkers 7 ok
