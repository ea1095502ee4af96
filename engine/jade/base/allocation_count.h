#pragma once

#include <cstdlib>

/// Counts what a test allocates. Every way to the heap ends in malloc (Eigen calls it itself, operator new does too), so it
/// is replaced: include this in exactly one source of an executable. A sanitizer has a malloc of its own, which must not be
/// replaced; tests that count stand under JADE_COUNTS_ALLOCATIONS.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define JADE_COUNTS_ALLOCATIONS 1

namespace jade::test {

inline bool counting = false;
inline int allocations = 0;

template <class Function>
int allocations_of(Function&& f) {
  allocations = 0;
  counting = true;
  f();
  counting = false;
  return allocations;
}

}  // namespace jade::test

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
  if (jade::test::counting) ++jade::test::allocations;
  return __libc_malloc(size);
}
#endif
