## SPDX-License-Identifier: Apache-2.0
## needs: gcc nm
## tags: builds=debug,release
## Where the processor is not x86-64, src/probe is one file that says so: it has all that others call, and compiles without a warning.
$ gcc -std=c17 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror -D_GNU_SOURCE -I$WEFT_SOURCE/src -I$WEFT_SOURCE/include -c -o none.o $WEFT_SOURCE/src/probe/probe_none.c
$ nm none.o | awk '$2 == "T" { print $3 }' | sort >has
$ nm $WEFT_BUILD/libmod-tune.a $WEFT_BUILD/libmod-cli.a 2>/dev/null | awk '$1 == "U" && $2 ~ /^probe_/ { print $2 }' | sort -u >wants
$ test -s wants && comm -13 has wants
