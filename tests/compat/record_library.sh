#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=120
# libweft.so as programs meet it: linked, loaded with dlopen by way of a plugin that goes and comes back, preloaded into programs
# that know nothing of it, from C++, and on the small stack of a signal handler. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build
flags=(-O2 -Wall -Wextra -Werror "-I$source/include" "-L$build")
count=0

check() # NAME COMMAND...: passes when the command does; what it prints is shown when not
{
	count=$((count + 1))
	local name=$1
	shift
	if ("$@") >output 2>&1 </dev/null; then
		echo "ok $count - $name"
	else
		sed 's/^/# /' output
		echo "not ok $count - $name"
	fi
}

cat >plugin.c <<'END'
#include <weft/record.h>
WEFT_REGION(in_plugin, "in plugin", WEFT_STATE_RUNNING);
void plugin_work(void);
void plugin_work(void)
{
	weft_enter(in_plugin);
	weft_leave(in_plugin);
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 50; i++) {
		void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
		void (*work)(void) = plugin ? (void (*)(void))dlsym(plugin, "plugin_work") : NULL;
		if (!work) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		for (int k = 0; k < 100; k++)
			work();
		dlclose(plugin);
	}
	usleep(argc > 1 ? 1500000 : 0);
	return argv[0] == NULL;
}
END
cat >program.c <<'END'
#include <weft/record.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static weft_region r = WEFT_OFF;
static void *on_small_stack(void *arg)
{
	raise(SIGUSR1); /* the thread's first event is in the handler */
	return arg;
}
static void handler(int sig)
{
	(void)sig;
	weft_enter(r);
	weft_leave(r);
}
int main(void)
{
	static char small[8192];
	stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
	struct sigaction on_signal = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	pthread_t thread;
	r = weft_define_region("in handler", WEFT_STATE_RUNNING, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &on_signal, NULL);
	raise(SIGUSR1);
	return pthread_create(&thread, NULL, on_small_stack, NULL) || pthread_join(thread, NULL);
}
END
cat >forks.c <<'END'
#include <weft/record.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static weft_region r = WEFT_OFF;
static void handler(int sig)
{
	(void)sig;
	weft_enter(r);
	weft_leave(r);
}
int main(void)
{
	static char small[8192];
	stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
	struct sigaction on_signal = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	int status = 1;
	r = weft_define_region("in handler", WEFT_STATE_RUNNING, 0);
	if (fork() == 0) {
		/* The child opens its stream there, too. */
		sigaltstack(&stack, NULL);
		sigaction(SIGUSR1, &on_signal, NULL);
		raise(SIGUSR1);
		return 0;
	}
	return wait(&status) < 0 || status;
}
END
cat >scopes.cpp <<'END'
#include <weft/record.h>
#include <stdexcept>
WEFT_REGION(outer, "outer", WEFT_STATE_RUNNING);
WEFT_REGION(inner, "inner", WEFT_STATE_RUNNING);
static void throws()
{
	weft::scope in(inner);
	throw std::runtime_error("out of here");
}
int main()
{
	weft::scope in(outer);
	for (int i = 0; i < 10; i++)
		try {
			throws();
		} catch (const std::exception &) {
		}
}
END
cat >scopes.c <<'END'
#include <weft/record.h>
WEFT_REGION(outer, "outer", WEFT_STATE_RUNNING);
int main(void)
{
	for (int i = 0; i < 10; i++) {
		WEFT_SCOPE(outer);
		if (i % 2)
			continue;
	}
	return 0;
}
END

calls() # TRACE REGION: how often it was called
{
	"$build/weft" stat --csv "$1" | awk -F, -v r="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "calls") column = i }
		$1 == r { n = $column }
		END { print n + 0 }'
}
traces() { find . -maxdepth 1 -name '*.weft' | wc -l; }
streams() { find "$1" -name '*.stream' | wc -l; }
sound() { "$build/weft" check "$1" >/dev/null; }

build_all()
{
	cc "${flags[@]}" -shared -fPIC plugin.c -o plugin.so -lweft && cc "${flags[@]}" host.c -o host -ldl &&
		cc "${flags[@]}" program.c -o program -lweft -lpthread && cc "${flags[@]}" forks.c -o forks -lweft &&
		cc "${flags[@]}" scopes.c -o scopes -lweft
}
check "programs are built with the installed header" build_all

plugin()
{
	WEFT_DIR=plugin.weft ./host && sound plugin.weft && [ "$(calls plugin.weft 'in plugin')" = 5000 ]
}
check "a plugin that defines regions may go and come back" plugin

plugin_modules()
{
	WEFT_DIR=modules.weft ./host wait && strings -n 4 modules.weft/*.stream | grep -q 'plugin.so' && strings -n 4 modules.weft/*.stream | grep -q 'libweft.so'
}
check "the loaded objects are in the stream" plugin_modules

small_stack()
{
	WEFT_DIR=small.weft ./program && sound small.weft && [ "$(calls small.weft 'in handler')" = 2 ]
}
check "first events on the small stack of a signal handler" small_stack

small_stack_in_child()
{
	WEFT_DIR=child.weft ./forks && sound child.weft && [ "$(streams child.weft)" = 2 ] && [ "$(calls child.weft 'in handler')" = 1 ]
}
check "a child opens its stream on the small stack of a signal handler" small_stack_in_child

c_scopes()
{
	WEFT_DIR=c.weft ./scopes && sound c.weft && [ "$(calls c.weft outer)" = 10 ]
}
check "scopes in C" c_scopes

cpp_scopes()
{
	c++ "${flags[@]}" scopes.cpp -o scopes_cpp -lweft && WEFT_DIR=cpp.weft ./scopes_cpp && sound cpp.weft &&
		[ "$(calls cpp.weft inner)" = 10 ] && [ "$(calls cpp.weft outer)" = 1 ]
}
if command -v c++ >/dev/null; then
	check "scopes in C++ are left by exceptions" cpp_scopes
else
	count=$((count + 1))
	echo "ok $count - scopes in C++ # SKIP no c++"
fi

preloaded()
{
	WEFT_DIR=preload.weft LD_PRELOAD=$build/libweft.so sh -c 'ls / >/dev/null; (true | cat); exit 3'
	[ $? = 3 ] && sound preload.weft && [ "$(streams preload.weft)" -ge 2 ]
}
check "programs that know nothing of it do not notice" preloaded

# What is written to before main is a page each, in every process of a recorded command.
few_pages()
{
	place() { nm "$build/libweft-preload.so.0" | sed -n "s/^\([0-9a-f]*\) . $1\$/0x\1/p"; }
	[ "$(readelf -rW "$build/libweft-preload.so.0" | grep -c R_X86_64_RELATIVE)" -lt 150 ] &&
		[ "$(($(place first_process) - $(place _DYNAMIC)))" -lt 8192 ]
}
if [ "$(uname -m)" = x86_64 ] && readelf -d "$build/libweft-preload.so.0" >/dev/null 2>&1; then
	check "the preloaded library has little to set" few_pages
else
	count=$((count + 1))
	echo "ok $count - the preloaded library has little to set # SKIP another machine"
fi

unrecorded() { ./program && [ "$(traces)" = "$1" ]; }
check "without WEFT_DIR nothing is written" unrecorded "$(traces)"

echo "1..$count"
