#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "jade/geometry/exact_ccd.h"

namespace jade::reference {

/// A query of a file together with the truth that the file states.
struct RecordedQuery {
  CcdQuery query;                                    ///< filled when every coordinate is a double
  std::unique_ptr<const RationalCcdQuery> rational;  ///< set when some coordinate is not
  bool truth = false;
  int line = 0;  ///< of its first row

  bool is_double() const { return rational == nullptr; }
};

/// Reads the format of Wang et al., "A Large Scale Benchmark and an Inclusion-Based Algorithm for Continuous
/// Collision Detection" (2021): eight rows a query, first the four points at t = 0, then the same at t = 1, in the
/// order of CcdQuery. A row has seven integers separated by commas: numerator and denominator of x, y and z, then
/// the truth, 1 for a hit, the same in all eight rows. Nothing is rounded.
/// The rows do not say which kind of query they are: the caller does.
/// Throws std::filesystem::filesystem_error if the file cannot be read and InvalidInput, which names lines, if it is
/// not of this format.
std::vector<RecordedQuery> read_ccd_queries(const std::filesystem::path& path, CcdKind kind);

/// The kind that a part of the path names, `vertex-face` or `edge-edge`; the last one counts.
std::optional<CcdKind> kind_from_path(const std::filesystem::path& path);

}  // namespace jade::reference
