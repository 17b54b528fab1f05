## SPDX-License-Identifier: Apache-2.0
## needs: gcc mpicc.mpich mpirun.mpich jq nm
## tags: builds=release,debug timeout=120
## Programs that have MPI from an archive, linked with -lweft-mpi-static in front of it: recorded with what they count themselves; as they are without WEFT_DIR.
$ cat >ring.c <<'END'
> #include <mpi.h>
> #include <stdio.h>
> int main(int argc, char **argv)
> {
> 	int me, n, v[50]; long calls = 5, sent = 0, received = 0; MPI_Request r[2]; MPI_Status s; MPI_Comm mine;
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &me);
> 	MPI_Comm_size(MPI_COMM_WORLD, &n);
> 	MPI_Comm_dup(MPI_COMM_WORLD, &mine);
> 	for (int i = 1; i <= 40; i++) {
> 		MPI_Irecv(v, 50, MPI_INT, MPI_ANY_SOURCE, 3, mine, &r[0]);
> 		MPI_Isend(v, i, MPI_INT, (me + 1) % n, 3, mine, &r[1]);
> 		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
> 		MPI_Sendrecv(v, 5, MPI_BYTE, (me + 1) % n, 5, v, 200, MPI_BYTE, (me + n - 1) % n, 5, MPI_COMM_WORLD, &s);
> 		calls += 4; sent += 4 * i + 5; received += 4 * i + 5;
> 	}
> 	printf("%d %ld %ld %ld\n", me, calls, sent, received); fflush(stdout);
> 	MPI_Finalize();
> 	return 0;
> }
> END
$ archive=$(pkg-config --variable=libdir mpich)/libmpich.a; gcc -O1 -w $(pkg-config --cflags mpich) ring.c -L"$WEFT_BUILD" -Wl,-rpath,"$WEFT_BUILD" -lweft-mpi-static "$archive" -lhwloc -lucp -lucs -o ring && readelf -d ring | grep -c mpi; true
0
$ mpirun.mpich -np 3 ./ring | sort
0 165 3480 3480
1 165 3480 3480
2 165 3480 3480
$ weft record -q --off threads,io,samples -o ring.weft -- mpirun.mpich -np 3 ./ring >/dev/null; weft info --json ring.weft | jq -c '[.messages, .dropped, .problems]'; weft stat --by region --csv ring.weft | awk -F, '/^MPI/ {n += $4} END {print n}'
[240,0,0]
495
$ weft convert ring.weft -o ring.prv; awk -F: '/^3/ {to[$10] += $14; from[$4] += $14} END {for (r in from) print from[r], to[r]}' ring.prv
3480 3480
3480 3480
3480 3480

## Of what the program does not call nothing is there.
$ nm ring | grep -c ' T MPI_'; nm ring | grep -c ' T MPI_File'; true
9
0

## Linked statically altogether: what records is in the program, too, which loads nothing. (Debian has no archive of libudev, which hwloc asks for devices.)
$ cat >udev.c <<'END'
> void *udev_new(void) { return 0; }
> void *udev_unref(void *u) { return 0; }
> void *udev_device_unref(void *d) { return 0; }
> void *udev_device_new_from_subsystem_sysname(void *u, const char *a, const char *b) { return 0; }
> const char *udev_device_get_property_value(void *d, const char *k) { return 0; }
> END
$ cat >link <<'END'
> # With what records, or without.
> gcc -O1 -w -static $(pkg-config --cflags mpich) ring.c udev.c -L"$WEFT_BUILD" -lweft-mpi-static $2 $(pkg-config --variable=libdir mpich)/libmpich.a -Wl,--whole-archive -lucp -luct -lucs -lucm -Wl,--no-whole-archive -lhwloc -lnuma -lpthread -lm -lrt -ldl -o $1 2>/dev/null || echo not linked
> END
$ sh link whole '-Wl,-u,weft_mpi_begin -lweft-mpi-whole'; sh link bare; readelf -l whole bare | grep -c INTERP; true
0
$ mpirun.mpich -np 3 ./whole | sort
0 165 3480 3480
1 165 3480 3480
2 165 3480 3480
$ weft record -q --off samples -o whole.weft -- mpirun.mpich -np 3 ./whole >/dev/null; weft check -q whole.weft; weft info --json whole.weft | jq -c '[.messages, .dropped, .problems]'; weft stat --by region --csv whole.weft | awk -F, '/^MPI/ {n += $4} END {print n}'
[240,0,0]
495

## Without it such a program is as it was, also where a library would be found.
$ LD_LIBRARY_PATH="$WEFT_BUILD" weft record -q -o bare.weft -- mpirun.mpich -np 2 ./bare | sort; weft stat --by region --csv bare.weft 2>/dev/null | grep -c MPI
0 165 3480 3480
1 165 3480 3480
0
? 1
