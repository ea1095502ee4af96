#include "ccd/ccd_fuzz.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "campaign/index_pool.h"
#include "ccd/ccd_methods.h"
#include "ccd_queries/dense_oracle.h"
#include "jade/geometry/time_of_impact.h"

namespace jade::reports {
namespace {

using generators::TrianglePair;
using Corners = std::array<std::array<Vec3, 3>, 2>;
using PreparedPair = std::array<PreparedShape, 2>;

constexpr double kDuration = 0.01;            // a step of ten milliseconds: 200 rad/s turn by 115 degrees
constexpr int kSamples = 2048;                // of the oracle, in one step
constexpr double kLateBy = 1e-8 * kDuration;  // ten times the oracle's own resolution in time

Corners corners_at(const TrianglePair& pair, double t) { return {pair[0].at(t), pair[1].at(t)}; }

/// The motion with straight lines between the corners' true places at the ends of `pieces` equal pieces.
Corners straightened_at(const TrianglePair& pair, int pieces, double t) {
  const double piece = kDuration / pieces;
  const int i = std::clamp(static_cast<int>(t / piece), 0, pieces - 1);
  const Corners from = corners_at(pair, i * piece), to = corners_at(pair, (i + 1) * piece);
  const double s = std::clamp(t / piece - i, 0.0, 1.0);
  Corners x;
  for (std::size_t body = 0; body < 2; ++body) {
    for (std::size_t k = 0; k < 3; ++k) x[body][k] = (1 - s) * from[body][k] + s * to[body][k];
  }
  return x;
}

/// The first contact on one straight piece, as a part of it: six vertex-face and nine edge-edge queries. 2 if none.
double first_on_piece(const CcdMethod& method, const Corners& from, const Corners& to) {
  double first = 2;
  const auto ask = [&](CcdKind kind, std::array<std::pair<std::size_t, std::size_t>, 4> points) {
    CcdQuery query;
    query.kind = kind;
    for (std::size_t i = 0; i < 4; ++i) {
      query.start[i] = from[points[i].first][points[i].second];
      query.end[i] = to[points[i].first][points[i].second];
    }
    const CcdResult result = method.decide(query);
    if (result.hit) first = std::min(first, result.time_of_impact);
  };
  for (std::size_t body = 0; body < 2; ++body) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t other = 1 - body;
      ask(CcdKind::vertex_face, {{{body, k}, {other, 0}, {other, 1}, {other, 2}}});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      ask(CcdKind::edge_edge, {{{0, i}, {0, (i + 1) % 3}, {1, j}, {1, (j + 1) % 3}}});
    }
  }
  return first;
}

SweepAnswer sweep_straightened(const CcdMethod& method, int pieces, const TrianglePair& pair,
                               double duration) {
  const double piece = duration / pieces;
  Corners from = corners_at(pair, 0);
  for (int i = 0; i < pieces; ++i) {
    const Corners to = corners_at(pair, (i + 1) * piece);
    const double first = first_on_piece(method, from, to);
    if (first <= 1) return {.hit = true, .time = (i + first) * piece};
    from = to;
  }
  return {};
}

/// The triangle as a convex solid, which time_of_impact wants: a tetrahedron of this height over it. It holds the
/// triangle, so a time that is not late for it is not late for the triangle.
constexpr double kHeight = 1e-4;
constexpr double kGap = 1e-6;  // at which advancement stops

PreparedShape thickened(const generators::RotatingTriangle& body) {
  const auto& [a, b, c] = body.corners;
  const Vec3 middle = (a + b + c) / 3;
  return PreparedShape(ConvexHull{{a, b, c, middle + kHeight * (b - a).cross(c - a).normalized()}});
}

RigidMotion motion_of(const generators::RotatingTriangle& body, const PreparedShape& shape, double duration) {
  return {shape.core(), Transform{.R = Mat3::Identity(), .p = body.p_W},
          RigidPath{.c = body.p_W, .v = body.v_W, .omega = body.w_W}, duration};
}

/// The engine's own sweep of the curved motion.
SweepAnswer advance(const PreparedPair& shapes, const TrianglePair& pair, double duration) {
  const RigidMotion motion_a = motion_of(pair[0], shapes[0], duration);
  const RigidMotion motion_b = motion_of(pair[1], shapes[1], duration);
  const TimeOfImpactResult result =
      time_of_impact({shapes[0], motion_a}, {shapes[1], motion_b}, {.duration = duration, .target = kGap});
  return {.hit = result.status != TimeOfImpactResult::Status::free, .time = result.time};
}

/// What the oracle proves about an answer.
struct Outcome {
  bool hit = false, missed = false, late = false, unproven = false, wrong_on_own_path = false;
  double microseconds = 0;
};

bool later_than(const SweepAnswer& answer, const reference::DenseTruth& truth) {
  return truth.hit && (!answer.hit || answer.time > truth.contact + kLateBy);
}

Outcome judge(const SweepMethod& method, const TrianglePair& pair, const reference::DenseTruth& truth) {
  const std::function<SweepAnswer()> sweep = method.prepare(pair, kDuration);
  const auto start = std::chrono::steady_clock::now();
  const SweepAnswer answer = sweep();
  const auto end = std::chrono::steady_clock::now();
  Outcome outcome;
  outcome.microseconds = std::chrono::duration<double, std::micro>(end - start).count();
  outcome.hit = truth.hit;
  outcome.missed = truth.hit && !answer.hit;
  outcome.late = answer.hit && later_than(answer, truth);
  outcome.unproven = answer.hit && !truth.hit;
  if (method.pieces > 0) {
    const auto own = reference::dense_truth([&](double t) { return straightened_at(pair, method.pieces, t); },
                                            kDuration, kSamples / 8);
    outcome.wrong_on_own_path = later_than(answer, own);
  }
  return outcome;
}

/// A pair that is free at the start: the first of a stream that depends on seed, spin and index alone.
TrianglePair free_pair(std::uint64_t seed, double spin, std::uint64_t index) {
  generators::RandomStream random(generators::mixed_seed(seed, fmt::format("ccd {}", spin), index));
  while (true) {
    const TrianglePair pair = generators::random_triangle_pair(random, spin);
    if (!reference::triangles_meet(pair[0].at(0), pair[1].at(0))) return pair;
  }
}

CcdFuzzRow summary(const SweepMethod& method, double spin, const std::vector<Outcome>& outcomes) {
  CcdFuzzRow row{.method = method.name, .spin = spin};
  row.never_late = method.never_late && method.pieces == 0;
  row.promises_that = method.never_late && method.pieces > 0;
  std::vector<double> times;
  for (const Outcome& outcome : outcomes) {
    ++row.pairs;
    row.hits += outcome.hit;
    row.missed += outcome.missed;
    row.late += outcome.late;
    row.unproven += outcome.unproven;
    row.wrong_on_own_path += outcome.wrong_on_own_path;
    times.push_back(outcome.microseconds);
  }
  std::sort(times.begin(), times.end());
  row.median_us = times.empty() ? 0 : times[times.size() / 2];
  return row;
}

}  // namespace

std::vector<SweepMethod> sweep_methods() {
  std::vector<SweepMethod> methods;
  for (const char* name : {"exact", "cubic"}) {
    const CcdMethod& method = ccd_method_named(name);
    for (const int pieces : {1, 8}) {
      methods.push_back({.name = fmt::format("{}, {} piece{}", method.name, pieces, pieces == 1 ? "" : "s"),
                         .never_late = method.promises_no_miss,
                         .pieces = pieces,
                         .prepare = [&method, pieces](const TrianglePair& pair, double duration) {
                           return [&method, pieces, pair, duration] {
                             return sweep_straightened(method, pieces, pair, duration);
                           };
                         }});
    }
  }
  methods.push_back({.name = "advancement",
                     .never_late = true,
                     .pieces = 0,
                     .prepare = [](const TrianglePair& pair, double duration) {
                       const PreparedPair shapes{thickened(pair[0]), thickened(pair[1])};
                       return [shapes, pair, duration] { return advance(shapes, pair, duration); };
                     }});
  return methods;
}

std::vector<CcdFuzzRow> fuzz_ccd(const CcdFuzzSettings& settings) {
  std::vector<CcdFuzzRow> rows;
  const std::uint64_t all = settings.count * settings.spins.size();
  std::uint64_t before = 0;
  for (const double spin : settings.spins) {
    std::vector<std::vector<Outcome>> outcomes(settings.methods.size(), std::vector<Outcome>(settings.count));
    const auto work = [&](std::size_t, std::uint64_t i) {
      const TrianglePair pair = free_pair(settings.seed, spin, i);
      const auto truth =
          reference::dense_truth([&](double t) { return corners_at(pair, t); }, kDuration, kSamples);
      for (std::size_t m = 0; m < settings.methods.size(); ++m)
        outcomes[m][i] = judge(settings.methods[m], pair, truth);
    };
    const auto progress = [&](std::uint64_t done) {
      if (settings.progress) settings.progress(before + done, all);
    };
    run_indices({.count = settings.count, .jobs = settings.jobs, .progress = progress}, work);
    before += settings.count;
    for (std::size_t m = 0; m < settings.methods.size(); ++m) {
      rows.push_back(summary(settings.methods[m], spin, outcomes[m]));
    }
  }
  return rows;
}

Table table_of(const std::vector<CcdFuzzRow>& rows, std::uint64_t seed) {
  Table table{
      .title = "Random spinning triangle pairs: methods of continuous collision detection",
      .columns = {"spin rad/s", "method", "pairs", "true hits", "missed", "late", "unproven hits",
                  "wrong on own path", "median µs"},
      .rows = {},
      .notes = {
          fmt::format("Seed {}. Truth: {} samples a step of {} s with exact predicates, refined; it "
                      "proves hits, so an unproven hit may be a contact between samples.",
                      seed, kSamples, kDuration),
          "Pieces: straight lines stand for the curved motion. Missed and late are measured against "
          "the curved motion, the own path is the straightened one.",
          fmt::format("Advancement sweeps the triangles as tetrahedra {} m high down to a gap of {} m: its "
                      "unproven hits are pairs that come that near.",
                      kHeight, kGap)}};
  for (const CcdFuzzRow& row : rows) {
    table.rows.push_back({row.spin, row.method, row.pairs, row.hits, row.missed, row.late, row.unproven,
                          row.wrong_on_own_path, row.median_us});
  }
  return table;
}

}  // namespace jade::reports
