// Shared by the tests of rules: applies one rule to one block of a program's text with wanted
// decisions, and compares the result with the original program by interpreting both.
#pragma once

#include "program/text.h"
#include "program/walk.h"
#include "schedule/rules/rule.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {

class RuleSubject {
 public:
  using Options = std::vector<std::pair<std::string, std::string>>;

  explicit RuleSubject(std::string_view text, int threads = 1)
      : before_(program::parse(cx_, text).value()),
        machine_(machine_named("avx512").value()),
        options_{.seed = 1, .otherwise = Otherwise::Preferred, .threads = threads},
        draft_(cx_, before_, machine_, options_) {}

  // Decisions for the rules that are applied from now on, under their full keys.
  void want(const std::string& key, Decision decision) {
    options_.wanted[key] = std::move(decision);
  }

  // Options by name, for keys that begin with the prefix.
  void want_options(const std::string& prefix, const Options& options) {
    for (const auto& [key, option] : options) want(prefix + key, {{0}, option});
  }

  // The reason for which the rule refused; nothing: it worked, and the program computes the same.
  std::optional<Reason> apply(const Rule& rule, const std::string& block) {
    draft_.enter(rule.name, block);
    const Status done = rule.apply(draft_, block);
    if (!done.ok()) return done.rejection().reason();
    EXPECT_TRUE(same_results(cx_, before_, draft_.program())) << "after " << rule.name;
    return std::nullopt;
  }

  Draft& draft() { return draft_; }
  const Program& program() const { return draft_.program(); }
  std::string text() { return program::to_text(cx_, program()); }
  std::string trace() const { return to_text(draft_.schedule().trace()); }
  bool has(std::string_view part) { return text().find(part) != std::string::npos; }
  // The loops around a block, outermost first, as in "i.0 3, k 5, j 16 vectorized".
  std::string nest(std::string_view block) const {
    std::string nest;
    for (const program::Loop* loop : program::find_site(program(), block).loops) {
      nest += (nest.empty() ? "" : ", ") + std::string(loop->name()) + " ";
      nest += std::to_string(loop->extent());
      if (loop->how != program::LoopKind::Serial) nest += " " + std::string(name_of(loop->how));
    }
    return nest;
  }

 private:
  Context cx_;
  Program before_;
  Machine machine_;
  DraftOptions options_;
  Draft draft_;
};

// A product with an elementwise block behind it.
constexpr std::string_view kProduct = R"(
  program p(a: f32[12, 10] input, b: f32[10, 32] input, y: f32[12, 32] output) {
    local t: f32[12, 32]
    for i in 12 { for j in 32 { for k in 10 {
      block t(spatial i = i, spatial j = j, reduce k = k) { t[i, j] += a[i, k] * b[k, j] init 0.0 }
    } } }
    for i.2 in 12 { for j.2 in 32 {
      block y(spatial i = i.2, spatial j = j.2) { y[i, j] = max(t[i, j], 0.0) }
    } }
  })";

}  // namespace cambium::schedule
