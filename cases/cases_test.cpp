// Each case on each engine as a test. A failed expectation of ours fails; a peer's is a finding that is printed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/gradient_case.h"
#include "cases/optimisation_case.h"

namespace jade::cases {
namespace {

class CaseTest : public testing::Test {
 public:
  CaseTest(const Case& c, reference::Engine engine) : case_(c), engine_(std::move(engine)) {}

  void TestBody() override {
    const CaseResult result = run_case(case_, engine_);
    if (result.verdict == Verdict::not_applicable) GTEST_SKIP() << result.reason;
    // An engine that did not finish, whoever wrote it: something of the suite needs mending.
    ASSERT_NE(result.verdict, Verdict::engine_error) << result.reason;
    for (const Measurement& m : result.measurements) {
      if (m.verdict == Verdict::pass || m.verdict == Verdict::not_applicable) continue;
      std::cout << (result.ours ? "failure: " : "finding: ") << m.quantity << " " << m.expectation
                << ": error " << m.error << " " << m.unit << " over tolerance " << m.tolerance
                << " at t = " << m.at << " s " << m.reason << "\n";
      if (result.ours) ADD_FAILURE() << case_.claim << "\n" << m.quantity << " " << m.expectation;
    }
  }

 private:
  const Case& case_;
  reference::Engine engine_;
};

/// Everything off by a twentieth.
void make_wrong(SceneDescription& scene) {
  scene.gravity *= 1.05;
  for (MaterialPair& pair : scene.pairs) {
    pair.friction *= 1.05;
    pair.restitution *= 0.95;
  }
  for (BodyDescription& body : scene.bodies) {
    for (double& stiffness : body.joint.stiffness) stiffness *= 1.05;
    body.joint.limit_restitution *= 0.95;
    if (body.joint.kind == JointKind::free && body.inertia) body.inertia->inertia(2, 2) *= 0.95;
  }
}

/// A case that a wrong engine passes is worth nothing: ours on a world that is wrong must fail it.
class MutantTest : public testing::Test {
 public:
  MutantTest(const Case& c, reference::Engine engine) : case_(c), engine_(std::move(engine)) {}

  void TestBody() override {
    reference::Engine mutant = engine_;
    mutant.run = [this](reference::RunRequest request) {
      case_.wrong ? case_.wrong(request.scene) : make_wrong(request.scene);
      return engine_.run(request);
    };
    EXPECT_EQ(run_case(case_, mutant).verdict, Verdict::fail) << case_.claim;
  }

 private:
  const Case& case_;
  reference::Engine engine_;
};

/// Every derivative of a gradient case is right; and a gradient of another world is not taken for it.
class GradientCaseTest : public testing::Test {
 public:
  explicit GradientCaseTest(const GradientCase& c) : case_(c) {}

  void TestBody() override {
    const GradientResult result = run_gradient_case(case_);
    EXPECT_EQ(result.verdict, Verdict::pass) << case_.claim << "\n" << result.reason;
    for (const GradientMeasurement& m : result.measurements) {
      if (m.verdict == Verdict::pass) continue;
      ADD_FAILURE() << m.entry.outcome << " by " << m.entry.variable << ": " << m.entry.analytic << ", exact "
                    << m.exact.value_or(NAN) << ", difference " << m.entry.difference << " (left "
                    << m.entry.left << ", right " << m.entry.right << ", " << name_of(m.entry.smoothness)
                    << ") " << m.reason << "; " << result.regularity.why;
    }
  }

 private:
  const GradientCase& case_;
};

class GradientMutantTest : public testing::Test {
 public:
  explicit GradientMutantTest(const GradientCase& c) : case_(c) {}
  void TestBody() override { EXPECT_EQ(verdict_on_wrong_world(case_), Verdict::fail) << case_.claim; }

 private:
  const GradientCase& case_;
};

class OptimisationCaseTest : public testing::Test {
 public:
  explicit OptimisationCaseTest(const OptimisationCase& c) : case_(c) {}

  void TestBody() override {
    const OptimisationResult result = run_optimisation_case(case_);
    EXPECT_EQ(result.verdict, Verdict::pass) << case_.claim << "\n" << result.reason;
    for (const OptimisationRow& row : result.rows) {
      if (row.verdict() != Verdict::fail) continue;
      ADD_FAILURE() << row.method << ": " << row.found << ": " << row.quantity << " " << row.error << " "
                    << row.unit << " over tolerance " << row.tolerance;
    }
  }

 private:
  const OptimisationCase& case_;
};

/// `sliding_prism.jade_semi_implicit_euler`: a colon in a name would be read as two names by --gtest_filter, and the
/// variant would never be run by itself.
void add_test(const std::string& case_name, std::string name, const std::function<testing::Test*()>& make) {
  std::replace(name.begin(), name.end(), ':', '_');
  testing::RegisterTest(case_name.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__, make);
}

}  // namespace

void register_tests() {
  for (const Case& c : all_cases()) {
    for (const reference::Engine& engine : reference::known_engines()) {
      add_test(c.name, engine.name, [&c, engine] { return new CaseTest(c, engine); });
    }
    add_test(c.name, "fails_a_wrong_engine",
             [&c] { return new MutantTest(c, reference::known_engines().front()); });
  }
  for (const GradientCase& c : all_gradient_cases()) {
    add_test("gradient_" + c.name, "is_right", [&c] { return new GradientCaseTest(c); });
    add_test("gradient_" + c.name, "fails_a_wrong_world", [&c] { return new GradientMutantTest(c); });
  }
  for (const OptimisationCase& c : all_optimisation_cases())
    add_test("optimise_" + c.name, "reaches_its_goal", [&c] { return new OptimisationCaseTest(c); });
}

}  // namespace jade::cases

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  jade::cases::register_tests();
  return RUN_ALL_TESTS();
}
