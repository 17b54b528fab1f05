#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# For scripts behind tap.sh that leave a process little of a processor: a cgroup of its own, in which those that it forks later are, too.
share_group=

begin_share()
{
	local old=/sys/fs/cgroup/cpu new=/sys/fs/cgroup
	share_group=$([ -d $old ] && echo $old || echo $new)/weft-test-$$
	mkdir "$share_group" 2>/dev/null || skip 'no right to make control groups'
	if [ -e "$share_group/cpu.cfs_quota_us" ]; then
		echo 100000 >"$share_group/cpu.cfs_period_us" && echo 1000 >"$share_group/cpu.cfs_quota_us"
	else
		echo '1000 100000' 2>/dev/null >"$share_group/cpu.max"
	fi || { end_share; skip 'no control groups for processors'; }
}

# The process has a hundredth of a processor from now on.
share_little()
{
	echo "$1" >"$share_group/cgroup.procs"
}

# As much as there is, again.
share_freely()
{
	if [ -e "$share_group/cpu.cfs_quota_us" ]; then
		echo -1 >"$share_group/cpu.cfs_quota_us"
	else
		echo 'max 100000' >"$share_group/cpu.max"
	fi
}

end_share()
{
	for _ in $(seq 50); do
		[ ! -d "$share_group" ] || rmdir "$share_group" 2>/dev/null && break
		sleep 0.1
	done
}
