## SPDX-License-Identifier: Apache-2.0
## needs: mpicc.mpich mpirun.mpich
## The same library serves MPICH: the part that knows an MPI is compiled with the program.
$ mpicc.mpich -Wall -Wextra -Werror -O2 "$WEFT_SOURCE/examples/nbody.c" -I"$WEFT_SOURCE/include" -L"$WEFT_BUILD" -lweft-frame -lm -o nbody
$ export LD_LIBRARY_PATH=$WEFT_BUILD
$ mpirun.mpich -np 1 ./nbody --bodies 60 --steps 12
60 bodies, 12 steps: checksum 273369bf98cae671

$ WEFT_MW_CHUNK=7 mpirun.mpich -np 4 ./nbody --bodies 60 --steps 12
60 bodies, 12 steps: checksum 273369bf98cae671

## And is tuned in the same way: ranks come from its environment.
$ WEFT_MW_WORKERS=1 weft tune -q --report report.txt -t nworkers -- mpirun.mpich -np 4 ./nbody --bodies 60 --steps 12 --speed 4e4
60 bodies, 12 steps: checksum 273369bf98cae671
$ grep -c 'SetVariableValue NOptWorkers = [23]' report.txt | sed 's/^[1-9].*/decided/'; grep -o "0 faults" report.txt
decided
0 faults
