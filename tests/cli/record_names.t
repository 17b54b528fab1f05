## SPDX-License-Identifier: Apache-2.0
## needs: gcc g++ clang++
## tags: builds=release,debug timeout=120
## Functions by the names that people know: of C++ in full, of one file, patterns, those that have variants.
$ cp "$WEFT_SOURCE"/tests/tools/names/* .

$ cat >count <<'END'
> # count PROGRAM PROBE…: how often each function was entered
> program=$1; shift
> for p; do set -- "$@" --probe "$p"; shift; done
> rm -rf o.weft
> weft record -q -o o.weft "$@" -- ./$program
> weft dump o.weft | awk '/ enter /{sub(/.* enter +/, ""); n[$0]++} END{for (k in n) print n[k], k}' | LC_ALL=C sort -k2
> END

$ g++ -O2 -g -o shop shop.cc; for p in 'shop::over(int)' 'shop::over(double)' 'over( std::string const &, unsigned long )' 'Vec::operator+' 'Vec::operator<(Vec const&) const' 'Vec::operator()' 'Vec::operator int' 'Vec::Vec(double)' '~Vec' 'shop::(anonymous namespace)::hidden(int)' 'shop::twice<int>' 'double shop::twice<double>(double)' 'Box::put' 'main::{lambda(int)#1}::operator()(int) const' 'single(Vec*)'; do sh count shop "$p"; done
5 shop::over(int)
4 shop::over(double)
3 over( std::string const &, unsigned long )
1 Vec::operator+
2 Vec::operator<(Vec const&) const
3 Vec::operator()
4 Vec::operator int
13 Vec::Vec(double)
13 ~Vec
5 shop::(anonymous namespace)::hidden(int)
4 shop::twice<int>
3 double shop::twice<double>(double)
2 Box::put
4 main::{lambda(int)#1}::operator()(int) const
2 single(Vec*)

## A name of several functions, or a pattern: each under its full name.
$ for how in 'g++ -O0 -no-pie' 'g++ -O1 -s -rdynamic' 'g++ -O3' 'clang++ -O0' 'clang++ -O2'; do $how -w -o shop shop.cc; sh count shop over 'Vec::oper*' 2>&1; done | sort | uniq -c | sed 's/^ *//'
5 1 Vec::operator+(Vec const&) const
5 2 Vec::operator<(Vec const&) const
5 3 Vec::operator()(int)
5 3 shop::over(std::string const&,unsigned long)
5 4 Vec::operator int() const
5 4 shop::over(double)
5 5 shop::over(int)
5 weft record: warning: 'Vec::oper*' stands for 4 functions
5 weft record: warning: 'over' stands for 3 functions

## Each has its own parameters, also what the compiler has made of one.
$ g++ -O2 -g -o shop shop.cc; rm -rf o.weft; weft record -q -o o.weft --probe 'shop::over(int)(n)' --probe 'single(v->x)' -- ./shop; weft dump o.weft | awk '/ point/{sub(/.* point(_f)? +/, ""); print}'
shop::over(int).n = 0
single.v->x = 0
shop::over(int).n = 1
single.v->x = 1
shop::over(int).n = 2
shop::over(int).n = 3
shop::over(int).n = 4

$ sh count shop 'shop::over(char)' 'nothing::*'
weft record: warning: nothing was watched by --probe 'shop::over(char)': no function 'shop::over(char)' in this process: did you mean 'shop::over(int)'?
weft record: warning: nothing was watched by --probe 'nothing::*': no function 'nothing::*' in this process: it is not there, or was inlined everywhere

$ gcc -O2 -shared -fPIC -o libmine.so lib.c; gcc -O2 -g -fno-builtin -o two a.c b.c -L. -lmine -Wl,-rpath,.

$ sh count two same; sh count two b.c:same; sh count two 'MPI_*'; sh count two c.c:same
weft record: warning: 'same' stands for 2 functions
5 a.c:same
6 b.c:same
6 b.c:same
weft record: warning: 'MPI_*' stands for 2 functions
5 MPI_a
3 MPI_b
weft record: warning: nothing was watched by --probe 'c.c:same': no function 'same' is of a file 'c.c'

$ for p in chosen memcpy strlen; do sh count two $p; done
weft record: warning: 'chosen' is the variant 'chosen_fast' here, which may stand for other functions, too
5 chosen
weft record: warning: 'memcpy' is the variant '[..]' here, which may stand for other functions, too
5 memcpy
weft record: warning: 'strlen' is the variant '[..]' here, which may stand for other functions, too
10 strlen
