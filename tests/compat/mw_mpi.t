## SPDX-License-Identifier: Apache-2.0
## needs: mpirun
## Master/worker over MPI: what comes out is what one process computes, with any number of workers and any chunks.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ nbody() { mpirun -np "$1" "$WEFT_BUILD/examples/nbody" --bodies 60 --steps 12; }
$ nbody 1
60 bodies, 12 steps: checksum 273369bf98cae671

$ for n in 2 4 6; do nbody $n; done
60 bodies, 12 steps: checksum 273369bf98cae671
60 bodies, 12 steps: checksum 273369bf98cae671
60 bodies, 12 steps: checksum 273369bf98cae671

$ for chunk in 1 7 59 1000; do WEFT_MW_WORKERS=3 WEFT_MW_CHUNK=$chunk nbody 5; done
60 bodies, 12 steps: checksum 273369bf98cae671
60 bodies, 12 steps: checksum 273369bf98cae671
60 bodies, 12 steps: checksum 273369bf98cae671
60 bodies, 12 steps: checksum 273369bf98cae671

## In C++, under the published names.
$ mpirun -np 3 "$WEFT_BUILD/examples/mw_primes"
669 primes below 5000
1229 primes below 10000
1754 primes below 15000
2262 primes below 20000
