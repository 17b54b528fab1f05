#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=240
# Slurm: a cluster of one node, in a network of its own, with daemons, configuration and key in this test's folder. srun makes the processes
# of a step out of a daemon that began before, so none of them is a child of ours; batch jobs have weft inside. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=(said report.txt)

if [ "${1:-}" != --inside ]; then
	for one in gcc ip unshare munged slurmctld slurmd srun sbatch; do
		command -v $one >/dev/null || skip "needs $one (Debian: slurm-wlm, munge)"
	done
	[ "$(id -u)" = 0 ] || skip 'its daemons run as root here'
	unshare -n true 2>/dev/null || skip 'no network of its own can be made'
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	chmod 755 "$work"
	cat >"$work/ranks.c" <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		int iteration, chunk = 1;
		double load = 2.5;
		__attribute__((noinline)) void step_begin(int i) { iteration = i; __asm__ volatile("" ::: "memory"); }
		__attribute__((noinline)) void step_end(int i, double took) { __asm__ volatile("" ::"r"(i), "x"(took) : "memory"); }
		int main(int argc, char **argv)
		{
			/* So many steps, or until it is tuned: a minute at most. */
			int steps = argc > 1 ? atoi(argv[1]) : 12000;
			for (int i = 0; i < steps && (argc > 1 || chunk == 1); i++) {
				step_begin(i);
				usleep(5000);
				step_end(i, 5000);
			}
			printf("chunk %d\n", chunk);
			return argc > 2 ? atoi(argv[2]) : 0;
		}
	END
	gcc -O2 -g -o "$work/ranks" "$work/ranks.c" || exit 1
	sed 's/iter.number + 5/7/; s/iter.number == 2/iter.number >= 2/' "$source/tests/golden/tunlets/steps.tsl" >"$work/steps.tsl"
	cp "$0" "$work/inside"
	cd "$work" && unshare -n bash ./inside --inside
	exit
fi

# With nothing but 127.0.0.1, Slurm finds no address for localhost.
if ! ip link set lo up || ! ip address add 192.0.2.1/32 dev lo; then
	skip 'no loopback'
fi
head -c 1024 /dev/urandom >key
chmod 400 key
mkdir state spool run
cat >slurm.conf <<END
ClusterName=weft
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/run/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SwitchType=switch/none
ReturnToService=2
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/run/slurmctld.pid
SlurmdPidFile=$PWD/run/slurmd.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
SlurmdParameters=config_overrides
NodeName=localhost NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=weft Nodes=localhost Default=YES State=UP
END
export SLURM_CONF=$PWD/slurm.conf
munged --foreground --force --key-file="$PWD/key" --socket="$PWD/run/munge" --pid-file="$PWD/run/munged.pid" \
	--log-file="$PWD/munged.log" --seed-file="$PWD/seed" --num-threads=1 >>said 2>&1 &
daemons=($!)
slurmctld -D -f slurm.conf >>said 2>&1 &
daemons+=($!)
slurmd -D -f slurm.conf -N localhost >>said 2>&1 &
daemons+=($!)
# A step's own processes end with it.
trap 'timeout 10 scancel -f -u root; kill "${daemons[@]}" 2>/dev/null; wait' EXIT
until [ "$(timeout 10 sinfo -h -o %T 2>/dev/null)" = idle ]; do
	if ! kill -0 "${daemons[@]}" 2>/dev/null || [ $SECONDS -ge 60 ]; then
		skip 'the daemons of Slurm do not begin'
	fi
	sleep 0.2
done

weft=$build/weft
tune=("$weft" tune -q -t steps.tsl --exe ranks)
ranks()
{
	sed -nE 's/^  p ([0-9]+) .*/\1/p' "$@" | sort -n | tr '\n' ' '
}

echo 1..7
is 'all ranks of a step are tuned' "$(timeout 100 "${tune[@]}" --report report.txt -- srun -n 4 ./ranks 2>said | tr '\n' ' ')" \
	'chunk 7 chunk 7 chunk 7 chunk 7 '
is 'they are called by their ranks' "$(ranks report.txt)" '0 1 2 3 '
"${tune[@]}" -n -- srun -n 2 ./ranks 20 3 >said 2>&1
is "the step's status is ours" $? 3
"$weft" record -q -o probes.weft --probe 'step_end(i)' -- srun -n 3 ./ranks 20 >said 2>&1
is 'weft record --probe sees all ranks' "$("$weft" dump probes.weft | grep -c 'step_end.i = ')" 60

timeout 100 srun -n 2 sh -c "${tune[*]} --report report.\$SLURM_PROCID -- ./ranks" >out 2>said
is 'inside of a step, each rank tunes itself' "$(tr '\n' ' ' <out)$(ranks report.0 report.1)" 'chunk 7 chunk 7 0 1 '

launcher='srun -n 3'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_oob_tcp_if_include=lo
command -v mpirun >/dev/null && launcher='mpirun -np 3'
printf '#!/bin/sh\n%s --report report.txt -- %s ./ranks\n' "${tune[*]}" "$launcher" >job
timeout 100 sbatch -W -n 4 -o job.out job >said 2>&1
shown+=(job.out)
is "in a batch job, with $launcher" "$(tr '\n' ' ' <job.out)" 'chunk 7 chunk 7 chunk 7 '
is 'there, too, they are called by their ranks' "$(ranks report.txt)" '0 1 2 '
