#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# For scripts behind tap.sh that want two hosts: network namespaces `a` and `b` with a cable between them, 10.177.$1.1 and .2. `more_host` adds
# one with a cable to `a`, 10.177.$1.2, which reaches all of its addresses.
a=wefta$$ b=weftb$$ more=()

end_hosts()
{
	ip netns del $a 2>/dev/null
	ip netns del $b 2>/dev/null
	for n in "${more[@]}"; do ip netns del "$n" 2>/dev/null; done
}

more_host()
{
	local c=weftc$1-$$
	if ! ip netns add "$c" || ! ip link add "va$1-$$" netns $a type veth peer name "vc$1-$$" netns "$c"; then
		skip 'no right to make network namespaces'
	fi
	more+=("$c")
	ip -n $a addr add "10.177.$1.1/24" dev "va$1-$$"
	ip -n "$c" addr add "10.177.$1.2/24" dev "vc$1-$$"
	ip -n $a link set "va$1-$$" up
	ip -n "$c" link set lo up
	ip -n "$c" link set "vc$1-$$" up
	ip -n "$c" route add default via "10.177.$1.1"
}

begin_hosts()
{
	if ! command -v ip >/dev/null || ! ip netns add $a 2>/dev/null || ! ip netns add $b || ! ip netns exec $a true 2>/dev/null ||
		! ip link add va$$ netns $a type veth peer name vb$$ netns $b; then
		skip 'no right to make network namespaces'
	fi
	ip -n $a addr add "10.177.$1.1/24" dev va$$
	ip -n $b addr add "10.177.$1.2/24" dev vb$$
	for n in $a $b; do ip -n "$n" link set lo up; done
	ip -n $a link set va$$ up
	ip -n $b link set vb$$ up
}
