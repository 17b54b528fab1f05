/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Master/worker (weft/mw.h) for C++: classes under the names that the published specifications of tunlets use.
 *
 *     #include <weft/mw.hpp>                                mpicxx prog.cpp $(pkg-config --cflags --libs weft-frame)
 *
 *     struct _MyMaster : weft::master<in, out> { bool Partition(int iteration, std::vector<in> &tuples, std::string &shared) override; … };
 *     struct _MyWorker : weft::worker<in, out> { void Computing(const weft_mw_place &at, const in &tuple, out &result) override; };
 *     …
 *     weft::run(master, worker, &mpi.link);
 *
 * In and out are plain memory. What is measured (_CMaster::_M_SendIteration and so on) is in the library, which is C, under these
 * names: programs declare and call none of it. An exception ends the run in all processes, and comes out of run() where it was thrown.
 */
#ifndef WEFT_MW_HPP
#define WEFT_MW_HPP

#include <cerrno>
#include <exception>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>
#include <weft/mw.h>

class _CMaster
{
      public:
	virtual ~_CMaster() = default;
	virtual void Initialize(int /* rank */, int /* size */)
	{
	}
	virtual void Finalize()
	{
	}
};

class _CWorker
{
      public:
	virtual ~_CWorker() = default;
	virtual void Initialize(int /* rank */, int /* size */)
	{
	}
	virtual void Finalize()
	{
	}
};

namespace weft
{

template <class In, class Out> class master : public _CMaster
{
      public:
	/* false: there is no more work. `shared` is what every worker needs beside its tuples. */
	virtual bool Partition(int iteration, std::vector<In> &tuples, std::string &shared) = 0;
	virtual void Collect(const weft_mw_work & /* work */, const Out * /* results */)
	{
	}
};

template <class In, class Out> class worker : public _CWorker
{
      public:
	virtual void Computing(const weft_mw_place &at, const In &tuple, Out &result) = 0;
};

/* One run: hands the calls of the library on to the two objects. */
template <class In, class Out> class mw_calls
{
	static_assert(std::is_trivially_copyable<In>::value && std::is_trivially_copyable<Out>::value,
	              "tuples and results travel as bytes");

	master<In, Out> &m;
	worker<In, Out> &w;
	std::vector<In> tuples;
	std::string shared;
	std::exception_ptr thrown;

	template <class Call> static int guarded(void *user, Call call)
	{
		mw_calls &self = *static_cast<mw_calls *>(user);
		try {
			return call(self);
		} catch (...) {
			self.thrown = std::current_exception();
			return -ECANCELED;
		}
	}
	static int initialise(void *user, int rank, int size)
	{
		return guarded(user, [&](mw_calls &self) {
			rank == 0 ? self.m.Initialize(rank, size) : self.w.Initialize(rank, size);
			return 0;
		});
	}
	static int partition(void *user, weft_mw_work *work)
	{
		return guarded(user, [&](mw_calls &self) {
			self.tuples.clear();
			self.shared.clear();
			if (!self.m.Partition(work->iteration, self.tuples, self.shared))
				return 0;
			work->n = self.tuples.size();
			work->tuples = self.tuples.data();
			work->shared = self.shared.data();
			work->shared_bytes = self.shared.size();
			return 1;
		});
	}
	static int compute(void *user, const weft_mw_place *at, const void *tuple, void *result)
	{
		return guarded(user, [&](mw_calls &self) {
			self.w.Computing(*at, *static_cast<const In *>(tuple), *static_cast<Out *>(result));
			return 0;
		});
	}
	static int collect(void *user, const weft_mw_work *work, const void *results)
	{
		return guarded(user, [&](mw_calls &self) {
			self.m.Collect(*work, static_cast<const Out *>(results));
			return 0;
		});
	}
	static int finalise(void *user, int rank)
	{
		return guarded(user, [&](mw_calls &self) {
			rank == 0 ? self.m.Finalize() : self.w.Finalize();
			return 0;
		});
	}

      public:
	mw_calls(master<In, Out> &a, worker<In, Out> &b) : m(a), w(b)
	{
	}
	void run(weft_frame_link *link, const weft_mw_options *options)
	{
		const weft_mw program = {sizeof(In), sizeof(Out), initialise, partition, compute, collect, finalise};
		int rc = weft_mw_run(&program, this, link, options);
		if (thrown)
			std::rethrow_exception(thrown);
		if (rc)
			throw std::system_error(-rc, std::generic_category(), "weft_mw_run");
	}
};

/* To be called by all processes of the link. Throws what a method threw, or std::system_error. */
template <class In, class Out>
void run(master<In, Out> &m, worker<In, Out> &w, weft_frame_link *link, const weft_mw_options *options = nullptr)
{
	mw_calls<In, Out>(m, w).run(link, options);
}

}

#endif
