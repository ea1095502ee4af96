#include "jade/lcp/lcp_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "jade/lcp/contact_doubts.h"

namespace jade {
namespace {

/// Relative to √(A_ii A_jj): A formed as J M⁻¹ Jᵀ differs from its transpose by rounding (1e-16 times a
/// cancellation of at most about 1e6 in articulated chains); a real mistake differs by whole entries.
constexpr double kSymmetryTolerance = 1e-8;

/// Calls `report(row, what)` for each mistake, `what(place, problem, remedy)` giving its words. The words are
/// only made when asked for, so that a sound problem is inspected without touching the heap.
template <class Report>
class Inspection {
 public:
  Inspection(const LcpProblem& problem, Report& report) : p_(problem), n_(problem.size()), report_(report) {}

  void run() {
    if (!dimensions()) return;
    matrix();
    numbers();
    if (p_.form == LcpForm::contact) rows();
    if (p_.form == LcpForm::contact) symmetry();
    if (p_.form == LcpForm::boxed) bounds();
  }
  /// The same, but only what a quick look has left in doubt.
  void run(const lcp::Doubts& doubts) {
    if (!dimensions()) return;
    if (doubts.matrix) matrix();
    if (doubts.numbers) numbers();
    if (doubts.rows) rows();
    if (doubts.matrix) symmetry();
  }

 private:
  bool dimensions() {
    bool sound = true;
    const auto expect = [&](bool good, const char* what, long found, long wanted) {
      if (good) return;
      sound = false;
      report_([&] {
        return Mistake{what, fmt::format("has size {}, b has {} rows", found, n_),
                       fmt::format("give it size {}", wanted)};
      });
    };
    expect(p_.A.rows() == n_, "A (rows)", p_.A.rows(), n_);
    expect(p_.A.cols() == n_, "A (columns)", p_.A.cols(), n_);
    expect(p_.beta.size() == 0 || p_.beta.size() == n_, "beta", p_.beta.size(), n_);
    if (p_.form == LcpForm::contact) {
      expect(static_cast<int>(p_.rows.size()) == n_, "rows", static_cast<long>(p_.rows.size()), n_);
    }
    if (p_.form == LcpForm::boxed) {
      expect(p_.lo.size() == n_, "lo", p_.lo.size(), n_);
      expect(p_.hi.size() == n_, "hi", p_.hi.size(), n_);
      expect(p_.findex.empty() || static_cast<int>(p_.findex.size()) == n_, "findex",
             static_cast<long>(p_.findex.size()), n_);
    }
    if (p_.form == LcpForm::contact && p_.factors) {
      const ContactFactors& c = *p_.factors;
      const long nv = c.u.size();
      expect(c.J.rows() == n_, "factors.J (rows)", c.J.rows(), n_);
      expect(c.J.cols() == nv, "factors.J (columns)", c.J.cols(), nv);
      expect(c.inverse_mass.rows() == nv, "factors.inverse_mass (rows)", c.inverse_mass.rows(), nv);
      expect(c.inverse_mass.cols() == nv, "factors.inverse_mass (columns)", c.inverse_mass.cols(), nv);
      expect(c.bias.size() == n_, "factors.bias", c.bias.size(), n_);
    }
    return sound;
  }

  void matrix() {
    // A sum of zeros is NaN as soon as one entry is not finite.
    if (n_ == 0 || (p_.A.array() * 0.0).sum() == 0) return;
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) {
        if (!std::isfinite(p_.A(i, j))) not_finite(fmt_row("A", i, j), p_.A(i, j));
      }
    }
  }

  void numbers() {
    for (int i = 0; i < n_; ++i) {
      if (!std::isfinite(p_.b[i])) not_finite(fmt_row("b", i), p_.b[i]);
      if (p_.beta.size() > 0 && !(p_.beta[i] >= 0 && std::isfinite(p_.beta[i]))) {
        report_([&] {
          return Mistake{fmt::format("beta[{}]", i), fmt::format("is {}", p_.beta[i]),
                         "give the finite size (≥ 0) of the terms of b, or leave beta empty"};
        });
      }
    }
  }

  void rows() {
    for (int i = 0; i < n_; ++i) {
      if (p_.A(i, i) < 0) {
        report_([&] {
          return Mistake{fmt::format("A[{0}][{0}]", i), fmt::format("is negative ({})", p_.A(i, i)),
                         "A = J M⁻¹ Jᵀ has no negative diagonal; use the plain form for other matrices"};
        });
      }
      const LcpRow& row = p_.rows[static_cast<std::size_t>(i)];
      if (row.kind != RowKind::tangent) continue;
      if (row.normal < 0 || row.normal >= n_) {
        report_([&] {
          return Mistake{fmt::format("rows[{}].normal", i),
                         fmt::format("is {}, out of range 0…{}", row.normal, n_ - 1),
                         "name the normal row of the same contact"};
        });
      } else if (p_.rows[static_cast<std::size_t>(row.normal)].kind != RowKind::normal) {
        report_([&] {
          return Mistake{fmt::format("rows[{}].normal", i),
                         fmt::format("row {} is not a normal row", row.normal),
                         "name the normal row of the same contact"};
        });
      }
      if (!(row.mu >= 0) || !std::isfinite(row.mu)) {
        report_([&] {
          return Mistake{fmt::format("rows[{}].mu", i), fmt::format("is {}", row.mu),
                         "give a finite friction coefficient ≥ 0"};
        });
      }
    }
  }

  void symmetry() {
    double largest = 0;
    for (int i = 0; i < n_; ++i) largest = std::max(largest, p_.A(i, i));
    const double floor = 1e-12 * largest;
    for (int j = 0; j < n_; ++j) {
      const double* column = p_.A.data() + static_cast<long>(j) * n_;
      const double* row = p_.A.data() + j;
      const double ajj = std::max(column[j], floor) * kSymmetryTolerance * kSymmetryTolerance;
      for (int i = 0; i < j; ++i, row += n_) {
        if (column[i] == *row) continue;
        const double difference = column[i] - *row;
        if (difference * difference <= ajj * std::max(p_.A(i, i), floor)) continue;
        if (!std::isfinite(difference)) continue;  // said already
        report_([&] {
          return Mistake{fmt::format("A[{}][{}]", i, j),
                         fmt::format("is {}, A[{}][{}] is {}: not symmetric", p_.A(i, j), j, i, p_.A(j, i)),
                         "a contact problem has A = J M⁻¹ Jᵀ; use the plain form for other matrices"};
        });
      }
    }
  }

  void bounds() {
    for (int i = 0; i < n_; ++i) {
      const int j = p_.findex.empty() ? -1 : p_.findex[static_cast<std::size_t>(i)];
      if (!(p_.lo[i] <= p_.hi[i])) {
        report_([&] {
          return Mistake{fmt::format("lo[{}], hi[{}]", i, i), fmt::format("{} > {}", p_.lo[i], p_.hi[i]),
                         "give lo ≤ hi, neither of them NaN"};
        });
      } else if (p_.lo[i] == HUGE_VAL || p_.hi[i] == -HUGE_VAL) {
        report_([&] {
          return Mistake{fmt::format("lo[{}], hi[{}]", i, i), "leave no finite value",
                         "give lo < ∞ and hi > −∞"};
        });
      }
      if (j < -1 || j >= n_ || j == i) {
        report_([&] {
          return Mistake{fmt::format("findex[{}]", i), fmt::format("is {}", j),
                         fmt::format("name another row 0…{}, or −1 for constant bounds", n_ - 1)};
        });
      } else if (j >= 0 && !p_.findex.empty() && p_.findex[static_cast<std::size_t>(j)] >= 0) {
        report_([&] {
          return Mistake{fmt::format("findex[{}]", i), fmt::format("row {} has moving bounds itself", j),
                         "name a row with constant bounds"};
        });
      }
    }
  }

  static auto fmt_row(const char* name, int i, int j = -1) {
    return [=] { return j < 0 ? fmt::format("{}[{}]", name, i) : fmt::format("{}[{}][{}]", name, i, j); };
  }
  template <class Place>
  void not_finite(Place place, double value) {
    report_([&] { return Mistake{place(), fmt::format("is {}", value), "give a finite number"}; });
  }

  const LcpProblem& p_;
  int n_;
  Report& report_;
};

}  // namespace

LcpProblem make_contact_problem(ContactFactors factors, std::vector<LcpRow> rows) {
  LcpProblem problem;
  problem.form = LcpForm::contact;
  problem.rows = std::move(rows);
  const long n = factors.J.rows();
  const long nv = factors.J.cols();
  if (factors.bias.size() == 0) factors.bias = VecX::Zero(n);
  if (factors.inverse_mass.rows() != nv || factors.inverse_mass.cols() != nv || factors.u.size() != nv ||
      factors.bias.size() != n || static_cast<long>(problem.rows.size()) != n) {
    throw InvalidInput("contact factors",
                       {{"J, inverse_mass, u, bias, rows",
                         fmt::format("J is {} × {}, inverse_mass {} × {}, u {}, bias {}, rows {}", n, nv,
                                     factors.inverse_mass.rows(), factors.inverse_mass.cols(),
                                     factors.u.size(), factors.bias.size(), problem.rows.size()),
                         "J is rows × nv, inverse_mass nv × nv, u nv, bias and rows have one entry a row"}});
  }
  problem.A = factors.J * factors.inverse_mass * factors.J.transpose();
  problem.A = (0.5 * (problem.A + problem.A.transpose())).eval();
  problem.b = factors.J * factors.u + factors.bias;
  problem.beta = factors.J.cwiseAbs() * factors.u.cwiseAbs() + factors.bias.cwiseAbs();
  problem.factors = std::move(factors);
  return problem;
}

std::vector<Mistake> check_problem(const LcpProblem& problem) {
  std::vector<Mistake> mistakes;
  const auto list = [&](auto&& words) { mistakes.push_back(words()); };
  Inspection(problem, list).run();
  return mistakes;
}

bool is_sound(const LcpProblem& problem) {
  bool sound = true;
  const auto note = [&](auto&&) { sound = false; };
  if (problem.form != LcpForm::contact) {
    Inspection(problem, note).run();
  } else if (const lcp::Doubts doubts = lcp::doubts_about_contacts(problem); doubts.any()) {
    Inspection(problem, note).run(doubts);
  }
  return sound;
}

bool is_contact_in_boxes(const LcpProblem& problem) {
  if (problem.form != LcpForm::boxed || problem.findex.empty()) return false;
  const int n = problem.size();
  bool friction = false;
  for (int i = 0; i < n; ++i) {
    const int j = problem.findex[static_cast<std::size_t>(i)];
    if (j < 0) {
      if (problem.lo[i] != 0 || problem.hi[i] != HUGE_VAL) return false;
    } else {
      if (problem.lo[i] != -problem.hi[i] || !std::isfinite(problem.hi[i])) return false;
      friction = true;
    }
  }
  return friction;
}

namespace {

void contact_rows_of(const LcpProblem& boxed, std::vector<LcpRow>& rows) {
  const std::size_t n = static_cast<std::size_t>(boxed.size());
  rows.assign(n, LcpRow{.kind = RowKind::limit});
  for (std::size_t i = 0; i < n; ++i) {
    const int j = boxed.findex[i];
    if (j < 0) continue;
    rows[i] = {.kind = RowKind::tangent, .normal = j, .mu = boxed.hi[static_cast<long>(i)]};
    rows[static_cast<std::size_t>(j)].kind = RowKind::normal;
  }
}

}  // namespace

LcpProblem recognise_contacts(LcpProblem problem) {
  if (!is_contact_in_boxes(problem) || !is_sound(problem)) return problem;
  LcpProblem contact;
  contact.form = LcpForm::contact;
  contact_rows_of(problem, contact.rows);
  contact.A = problem.A;
  contact.b = problem.b;
  contact.beta = problem.beta;
  // Contacts come from mechanics, where A is symmetric; anything else stays a boxed problem.
  return is_sound(contact) ? contact : problem;
}

}  // namespace jade
