#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign/table.h"
#include "ccd/ccd_methods.h"
#include "ccd_queries/ccd_query_file.h"

namespace jade::reports {

struct CcdFile {
  std::string path;
  CcdKind kind = CcdKind::vertex_face;
  std::vector<reference::RecordedQuery> queries;
};

struct CcdCheckSettings {
  std::vector<const CcdMethod*> methods;
  int passes = 9;  ///< over all queries; of each query the fastest pass counts, because machines are shared
  std::function<void(const std::string&)> progress;  ///< told what is being done; may be empty
};

/// One method on all queries of one kind.
struct CcdTally {
  const CcdMethod* method = nullptr;
  CcdKind kind = CcdKind::vertex_face;
  long long queries = 0;
  long long hits = 0;  ///< according to the files
  long long false_negatives = 0;
  long long false_positives = 0;
  long long by_exact_arithmetic = 0;
  long long not_asked = 0;  ///< coordinates that are no doubles, given to a method that takes nothing else
  double median_us = 0, p99_us = 0, worst_us = 0;

  bool keeps_promise() const {
    return !(method->promises_no_miss && false_negatives > 0) &&
           !(method->promises_no_false_hit && false_positives > 0);
  }
};

/// An answer that differs from the file's.
struct CcdDifference {
  const CcdMethod* method = nullptr;
  std::string path;
  int line = 0;
  bool truth = false;
};

struct CcdCheck {
  std::vector<CcdTally> tallies;
  std::vector<CcdDifference> differences;
  bool promises_kept() const;
};

/// Asks every method every query and compares with the truth of the files. Times are of single calls in the order
/// of the files, without reading or preparing the query and with the cost of reading the clock taken off.
CcdCheck check_ccd(const std::vector<CcdFile>& files, const CcdCheckSettings& settings);

const char* name_of(CcdKind kind);

Table table_of(const CcdCheck& check);

}  // namespace jade::reports
