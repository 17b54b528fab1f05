#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2317,SC2207
# Programs of Debian as they are, alone and under `weft record` by its defaults, in turns: the results must be the same, bit for bit, and the
# exit status. Prints wall and CPU time, and the ratios of pairs. What is not installed is skipped.
#   bench/programs.sh [--build DIR] [--rounds N] [--keep] [PROGRAM]...
# Packages: hpcc lammps quantum-espresso quantum-espresso-data python3-mpi4py mpich clang make xz-utils (by hand: 300 MB, too much for dev/packages).
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
build=$source/build rounds=10 keep=
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=$(cd "$2" && pwd); shift 2 ;;
	--rounds) rounds=$2; shift 2 ;;
	--keep) keep=yes; shift ;;
	-*) sed -n '3,6s/^# *//p' "$0" >&2; exit 2 ;;
	*) break ;;
	esac
done
work=$(mktemp -d)
[ -n "$keep" ] || trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
failed=0

# Each program: needs_X names commands or files, make_X its input, run_X runs it (in a folder that holds a copy of the input), result_X prints what
# must be the same. "$@" of run_X is empty, or `weft record ... --`.

needs_hpcc() { echo hpcc; }
make_hpcc()
{
	cat >hpccinf.txt <<-'END'
	HPLinpack benchmark input file
	.
	HPL.out      output file name (if any)
	8            device out (6=stdout,7=stderr,file)
	1            # of problems sizes (N)
	2000         Ns
	1            # of NBs
	80           NBs
	0            PMAP process mapping (0=Row-,1=Column-major)
	1            # of process grids (P x Q)
	2            Ps
	1            Qs
	16.0         threshold
	1            # of panel fact
	2            PFACTs (0=left, 1=Crout, 2=Right)
	1            # of recursive stopping criterium
	4            NBMINs (>= 1)
	1            # of panels in recursion
	2            NDIVs
	1            # of recursive panel fact.
	1            RFACTs (0=left, 1=Crout, 2=Right)
	1            # of broadcast
	1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
	1            # of lookahead depth
	1            DEPTHs (>=0)
	2            SWAP (0=bin-exch,1=long,2=mix)
	64           swapping threshold
	0            L1 in (0=transposed,1=no-transposed) form
	0            U  in (0=transposed,1=no-transposed) form
	1            Equilibration (0=no,1=yes)
	8            memory alignment in double (> 0)
	END
}
run_hpcc() { "$@" mpirun -np 2 hpcc; }
# What is not a time: HPL's residuals, errors of RandomAccess, the FFTs' greatest error, what passed.
result_hpcc() { grep -E '\|\|Ax-b\|\||tests completed|Found .* errors|ErrorsFraction|maxErr|Success=|_N=|VersionMajor|FAILED' hpccoutf.txt; }

needs_melt() { echo lmp; }
make_melt() { lammps melt 'lattice fcc 0.8442' 'region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve' 600 'atom_style atomic'; }
run_melt() { "$@" mpirun -np 2 lmp -log none -in in.melt; }
result_melt() { grep -vE 'time|Time|CPU|Performance|^(Pair|Neigh|Comm|Output|Modify|Other|Bond) |WARNING|Memory' out; cksum dump; }
lammps()
{
	printf '%s\n' 'units lj' "$5" "$2" "$3" 'thermo 100' 'thermo_modify format float %.17g' "run $4" \
		'write_dump all custom dump id x y z vx vy vz modify sort id format float %.17g' >"in.$1"
}

# A chain of beads for each molecule, and Langevin's bath: bonds, random numbers.
needs_chain() { echo lmp python3; }
make_chain()
{
	python3 - <<-'END' >data.chain
	chains, length, n = 64, 50, 0
	print("chains\n\n%d atoms\n%d bonds\n1 atom types\n1 bond types\n" % (chains * length, chains * (length - 1)))
	print("0 48 xlo xhi\n0 8 ylo yhi\n0 8 zlo zhi\n\nMasses\n\n1 1.0\n\nAtoms\n")
	for c in range(chains):
	    for k in range(length):
	        n += 1
	        print(n, c + 1, 1, 0.96 * k % 48, c % 8 + 0.5, c // 8 + 0.5)
	print("\nBonds\n")
	bond = 0
	for c in range(chains):
	    for k in range(1, length):
	        bond += 1
	        print(bond, 1, c * length + k, c * length + k + 1)
	END
	lammps chain 'special_bonds fene' 'read_data data.chain
neighbor 0.4 bin
neigh_modify every 1 delay 1
bond_style fene
bond_coeff 1 30.0 1.5 1.0 1.0
pair_style lj/cut 1.12
pair_modify shift yes
pair_coeff 1 1 1.0 1.0 1.12
fix 1 all nve
fix 2 all langevin 1.0 1.0 10.0 904297
timestep 0.006' 2000 'atom_style bond'
}
run_chain() { "$@" mpirun -np 2 lmp -log none -in in.chain; }
result_chain() { result_melt; }

pseudo=/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz
needs_espresso() { echo pw.x "$pseudo"; }
make_espresso()
{
	gzip -dc "$pseudo" >Si.UPF
	cat >si.in <<-'END'
	&control
	 calculation='scf', prefix='si', pseudo_dir='.', outdir='./tmp'
	/
	&system
	 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=24
	/
	&electrons
	 conv_thr=1d-10
	/
	ATOMIC_SPECIES
	 Si 28.086 Si.UPF
	ATOMIC_POSITIONS alat
	 Si 0 0 0
	 Si 0.25 0.25 0.25
	K_POINTS automatic
	 10 10 10 1 1 1
	END
}
run_espresso() { "$@" mpirun -np 2 pw.x -in si.in; }
result_espresso() { cksum tmp/si.save/charge-density.dat tmp/si.save/wfc*.dat; grep -E '^!|convergence has|JOB DONE' out; }

# Python loads MPI when it is asked to: by dlopen, after the program began.
needs_mpi4py() { echo /usr/bin/python3 python:mpi4py; }
make_mpi4py()
{
	cat >ring.py <<-'END'
	import zlib
	from mpi4py import MPI
	world = MPI.COMM_WORLD
	me, n = world.rank, world.size
	data, crc = bytearray(range(256)) * 64, 0
	for i in range(20000):
	    got = bytearray(len(data))
	    world.Sendrecv(data, (me + 1) % n, 7, got, (me - 1) % n, 7)
	    crc = zlib.crc32(got, crc)
	    data[i % len(data)] ^= crc & 255
	    if i % 100 == 0:
	        crc = world.allreduce(crc, MPI.MAX)
	for line in world.gather("rank %d: %08x" % (me, crc)) or []:
	    print(line)
	raise SystemExit(world.bcast(5))
	END
}
run_mpi4py() { "$@" mpirun -np 2 /usr/bin/python3 ring.py; }
result_mpi4py() { cat out; }

needs_make() { echo make gcc; }
make_make()
{
	# shellcheck disable=SC2016
	printf 'OBJECTS := $(patsubst %%,f%%.o,$(shell seq 8))\nall: $(OBJECTS)\n\tcksum $(OBJECTS)\nf%%.o: f%%.c\n\tgcc -O2 -c $< -o $@\n' >Makefile
	for i in $(seq 8); do
		seq 200 | sed "s/.*/double g&(double *a, int n) { double s = $i; for (int k = 0; k < n; k++) s += a[k] * a[(k * &) % n]; return s \/ &; }/" >"f$i.c"
	done
}
run_make() { rm -f f*.o; "$@" make -j2; }
result_make() { grep ' f[0-9]*.o$' out; }

needs_xz() { echo xz; }
make_xz() { cat "$build/weft" "$build"/*.so.* | head -c 16000000 >in; }
run_xz() { "$@" xz -3 -T2 --block-size=2000000 -kc in; }
result_xz() { cksum out; }

openmp_program()
{
	cat >solve.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#define N 1200
	static double a[N][N], b[N][N];
	static long fib(int n)
	{
		long x, y;
		if (n < 2)
			return n;
		if (n < 16)
			return fib(n - 1) + fib(n - 2);
	#pragma omp task shared(x)
		x = fib(n - 1);
		y = fib(n - 2);
	#pragma omp taskwait
		return x + y;
	}
	int main(void)
	{
		long f = 0;
		unsigned long crc = 0;
		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++)
				a[i][k] = (i * 31 + k * 17) % 101;
		for (int step = 0; step < 2000; step++) {
	#pragma omp parallel for schedule(dynamic, 40)
			for (int i = 1; i < N - 1; i++)
				for (int k = 1; k < N - 1; k++)
					b[i][k] = 0.25 * (a[i - 1][k] + a[i + 1][k] + a[i][k - 1] + a[i][k + 1]);
	#pragma omp parallel for
			for (int i = 1; i < N - 1; i++)
				for (int k = 1; k < N - 1; k++)
					a[i][k] = b[i][k];
		}
	#pragma omp parallel
	#pragma omp single
		f = fib(36);
		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++)
				crc = crc * 31 + *(unsigned long *)&a[i][k];
		printf("%ld %lx\n", f, crc);
		return 3;
	}
	END
}
needs_gcc_openmp() { echo gcc; }
make_gcc_openmp() { openmp_program; gcc -O2 -w -fopenmp solve.c -o solve; }
run_gcc_openmp() { OMP_NUM_THREADS=2 "$@" ./solve; }
result_gcc_openmp() { cat out; }
needs_clang_openmp() { echo clang; }
make_clang_openmp() { openmp_program; clang -O2 -w -fopenmp solve.c -o solve; }
run_clang_openmp() { OMP_NUM_THREADS=2 "$@" ./solve; }
result_clang_openmp() { cat out; }

there()
{
	for need; do
		case $need in
		python:*) /usr/bin/python3 -c "import ${need#*:}" 2>/dev/null || return ;;
		/*) [ -e "$need" ] || return ;;
		*) command -v "$need" >/dev/null || return ;;
		esac
	done
}

# Runs it once in a copy of its input: times to times.$how, its result to result.$how.
once()
{
	local name=$1 how=$2 status
	rm -rf "$work/run"
	cp -r "$work/in" "$work/run"
	cd "$work/run" || exit 70
	set --
	[ "$how" = plain ] || set -- "$build/weft" record -q --force -o "$work/trace.weft" --
	TIMEFORMAT='%R %U %S'
	{ time "run_$name" "$@" >out 2>err; } 2>"$work/time"
	status=$?
	awk '{ print $1, $2 + $3 }' "$work/time" >>"$work/times.$how"
	{ "result_$name"; echo "status $status"; } >"$work/result.$how"
	cd "$work" || exit 70
}

median() { sort -g | awk '{ v[NR] = $1 } END { printf "%.4g %.4g %.4g", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[1], v[NR] }'; }
# The like of bench.h: the word is the statistic.
say() { local m; m=($(median)); echo "bench programs $1 ${m[0]} $2 median ${m[1]} ${m[2]}"; }
ratios() { paste "$work/times.plain" "$work/times.recorded" | awk -v a="$1" '{ print $(a + 2) / $a }' | median; }

measure()
{
	local name=$1 trace wall cpu
	mkdir -p "$work/in"
	rm -rf "$work/in" "$work"/times.* "$work/trace.weft"
	mkdir "$work/in"
	(cd "$work/in" && "make_$name") || { echo "failed programs $name its input"; failed=1; return; }
	for i in $(seq "$rounds"); do
		# Who goes first alternates.
		for how in $([ $((i % 2)) = 0 ] && echo plain recorded || echo recorded plain); do
			once "$name" "$how"
		done
		if ! cmp -s "$work/result.plain" "$work/result.recorded" || [ "$(wc -l <"$work/result.plain")" -lt 2 ]; then
			echo "failed programs $name results differ in round $i:"
			diff "$work/result.plain" "$work/result.recorded"
			sed 's/^/# /' "$work/run/err" | head -5
			failed=1
		fi
	done
	cut -d' ' -f1 "$work/times.plain" | say "$name-alone" s
	cut -d' ' -f1 "$work/times.recorded" | say "$name-recorded" s
	wall=($(ratios 1)) cpu=($(ratios 2))
	echo "ratio programs $name-recorded/$name-alone ${wall[0]}"
	echo "ratio programs $name-recorded/$name-alone-cpu ${cpu[0]}"
	trace=$(du -sb "$work/trace.weft" | cut -f1)
	echo "bench programs $name-trace $trace bytes last"
}

[ -x "$build/weft" ] || { echo "bench/programs.sh: no weft in '$build'" >&2; exit 2; }
[ $# -gt 0 ] || set -- hpcc melt chain espresso mpi4py make xz gcc_openmp clang_openmp
for name; do
	declare -F "needs_$name" >/dev/null || { echo "bench/programs.sh: no program is called '$name'" >&2; exit 2; }
	# shellcheck disable=SC2046
	if there $("needs_$name"); then
		measure "$name"
	else
		echo "skip programs $name not installed: $("needs_$name")"
	fi
done
exit $failed
