#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# For scripts behind tap.sh that want two hosts: network namespaces `a` and `b` with a cable between them, 10.177.$1.1 and .2.
a=wefta$$ b=weftb$$

end_hosts()
{
	ip netns del $a 2>/dev/null
	ip netns del $b 2>/dev/null
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
