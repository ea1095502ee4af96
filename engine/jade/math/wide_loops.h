#pragma once

/// In front of a function whose loops are long: compiled twice, and the loader takes the version with registers of
/// four doubles where the processor has them. Both do the same additions and multiplications in the same order, none
/// of them fused, so the results have the same bits on every machine. Sanitizers run before the loader can choose.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define JADE_WIDE_LOOPS __attribute__((target_clones("default", "avx2")))
#else
#define JADE_WIDE_LOOPS
#endif

/// In front of a helper of such functions: always inside them, so that it gets their registers.
#define JADE_INSIDE_LOOPS __attribute__((always_inline)) inline

namespace jade {

/// Four doubles, anywhere in memory. For arrays whose length is a multiple of four.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long FourBits __attribute__((vector_size(32), aligned(8), may_alias));
JADE_INSIDE_LOOPS const Four& four_at(const double* p) { return *reinterpret_cast<const Four*>(p); }
JADE_INSIDE_LOOPS Four& four_at(double* p) { return *reinterpret_cast<Four*>(p); }

/// size = |x|
JADE_INSIDE_LOOPS void take_size(const Four& x, Four& size) {
  constexpr long long kAllButSign = 0x7fffffffffffffff;
  reinterpret_cast<FourBits&>(size) =
      reinterpret_cast<const FourBits&>(x) & FourBits{kAllButSign, kAllButSign, kAllButSign, kAllButSign};
}
/// y += |x|
JADE_INSIDE_LOOPS void add_size(const Four& x, Four& y) {
  Four size;
  take_size(x, size);
  y += size;
}

}  // namespace jade
