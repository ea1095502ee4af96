#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "jade/lcp/lcp_solver.h"
#include "jade/lcp/single_contact.h"

namespace jade::lcp {

/// Rows of a contact problem that no other row can feel, in the form every method works on:
///   * unilateral rows (normals and limits) first, [0, m), then tangents grouped by their normal, [m, n);
///   * in a canonical order that depends on the content of the rows and not on how they were numbered, so that
///     ties are broken alike for every permutation of the contacts;
///   * scaled by powers of two, Ã = D A D with Ã_ii in [½, 2): v = D⁻¹ṽ, f = D f̃. No rounding, so ties and a
///     change of units by powers of two stay exact.
struct ContactIsland {
  int n = 0;
  int m = 0;
  int stride = 0;  ///< n rounded up to whole registers; numbers from n on are zero
  // The arrays may be longer: they have kept their memory from larger islands.
  std::vector<double> diagonal;    ///< n, of A
  std::vector<double> b;           ///< n
  std::vector<double> beta;        ///< n, size of the terms of b
  std::vector<double> d;           ///< n, the direction of the path: one unit of velocity on every normal
  std::vector<double> mu;          ///< n, scaled: |f̃_t| ≤ mu f̃_n; 0 on unilateral rows
  std::vector<double> scale;       ///< n, D
  std::vector<int> normal;         ///< n, of a tangent: its normal; of a unilateral row: itself
  std::vector<int> tangent_begin;  ///< m + 1: tangents of normal i are [tangent_begin[i], tangent_begin[i+1])
  std::vector<int> row;            ///< stride, the row of the problem

  /// Columns are copied from the problem when first asked for: those of contacts that never touch are not.
  const double* column(int j) const {
    if (copied[static_cast<std::size_t>(j)] != extraction) copy_column(j);
    return A.data() + static_cast<std::ptrdiff_t>(j) * stride;
  }
  double at(int i, int j) const { return column(j)[i]; }
  /// Copies what is missing, so that the island outlives the problem.
  void copy_all_columns() const {
    for (int j = 0; j < n; ++j) column(j);
  }

 private:
  friend class IslandSplitter;
  void copy_column(int j) const;

  mutable std::vector<double> A;              ///< stride × n by columns
  mutable std::vector<unsigned long> copied;  ///< n, the extraction that the column belongs to
  unsigned long extraction = 0;
  const double* source = nullptr;  ///< A of the problem
  int source_rows = 0;
};

/// Splits a problem into islands. Rows with A_ii = 0 feel no force; they belong to none.
class IslandSplitter {
 public:
  /// Labels the rows; returns the number of islands.
  int split(const LcpProblem& problem);
  /// Whether there are rows that feel no force.
  bool has_inert_rows() const { return has_inert_rows_; }
  /// Whether any unilateral row of the k-th island would penetrate without forces.
  bool needs_force(const LcpProblem& problem, int k) const;
  /// The k-th island as one contact, if that is what it is.
  std::optional<SingleContact> single_contact(const LcpProblem& problem, int k) const;
  /// Fills `island` with the k-th of them.
  void extract(const LcpProblem& problem, int k, ContactIsland& island);  // which reads on in the problem

 private:
  bool order_by_velocity(const LcpProblem& problem, int begin, int end);
  void order_by_content(const LcpProblem& problem, int begin, int end);
  void begin_colours(const LcpProblem& problem, int begin, int end);
  void refine_colours(const LcpProblem& problem, const std::vector<int>& rows);

  std::vector<int> first_tangent_, next_tangent_;  ///< tangents of each normal as linked lists
  std::vector<int> unvisited_, queue_;
  std::vector<int> island_begin_;  ///< into queue_: the rows of island k
  std::vector<int> coloured_;      ///< rows of the island that is put into order
  std::vector<int> tying_;         ///< those whose place is not known yet
  std::vector<std::uint64_t> colour_, next_colour_;
  double colour_unit_ = 1;  ///< for entries of A
  bool has_colours_ = false;
  bool has_inert_rows_ = false;
};

}  // namespace jade::lcp
