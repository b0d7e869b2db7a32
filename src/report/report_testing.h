// A study of made-up candidates whose numbers look like those of a search: a cloud of accuracy over
// cost, refusals, pending evaluations, estimates, curves and drawings. For the tests of this
// folder, for the browser test and for measuring.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/fingerprint.h"
#include "base/random.h"
#include "report/report.h"
#include "store/study_store.h"

namespace cambium::report {

// A text that a page must show and never run.
inline constexpr char kHostile[] =
    "<script>window.hostile=1</script>\"'><img src=x onerror=hostile=1>&";

// The evaluators of the sample, as a search has them.
inline Evaluators sample_evaluators() {
  return {{"accuracy", "epochs"}, {"latency", "trials"}};
}

inline ReportOptions sample_options(const std::string& study) {
  ReportOptions options;
  options.study = study;
  options.evaluators = sample_evaluators();
  return options;
}

class SampleStudy {
 public:
  SampleStudy(store::StudyStore& study, std::uint64_t seed) : study_(study), rng_(seed) {}

  void head(const std::string& model = "tiny-resnet", const std::string& data = "fashion-mnist") {
    store::StudyHead head;
    head.base = fingerprint_of("base");
    head.model = model;
    head.data = data;
    head.options =
        R"j({"command":["cambium","search","tiny-resnet","--data","fashion-mnist","--select","conv(3x3)",)j"
        R"j("--strategy","tree","--seed","7","--device","cpu","--train-threads","2","--study","study.db"],"strategy":"tree","seed":7,"in_flight":2,)j"
        R"j("max_accuracy_drop":"1%"})j";
    head.commit = "4fce213";
    CAMBIUM_CHECK(study_.set_head(head).ok(), "the head is kept");
  }

  store::StudyCandidate candidate(std::int64_t ticket, const std::string& title) {
    store::StudyCandidate candidate;
    candidate.identity = fingerprint_of("candidate", ticket);
    candidate.document = ticket < 0
                             ? R"({"base":"00","edits":[]})"
                             : R"({"base":"00","edits":[{"space":"coordinate","sites":["all"],)"
                               R"("document":"unfold H k"}]})";
    candidate.strategy = ticket < 0 ? "" : "tree";
    candidate.space = ticket < 0 ? "" : (ticket % 5 == 0 ? "microdag" : "coordinate");
    candidate.seed = 7;
    candidate.ticket = ticket;
    candidate.search = "first";
    candidate.title = title;
    CAMBIUM_CHECK(study_.add(candidate).ok(), "the candidate is kept");
    return candidate;
  }

  store::Evaluation evaluation(const store::StudyCandidate& of, const std::string& evaluator,
                               double fidelity = 0, std::uint64_t seed = 0) const {
    store::Evaluation evaluation;
    evaluation.key = {of.identity, evaluator, "1", "{}", fidelity, seed, {}};
    if (evaluator == "latency") evaluation.key.machine = fingerprint_of("machine");
    evaluation.host = "laptop";
    evaluation.commit = "4fce213";
    evaluation.seconds = evaluator == "accuracy" ? 6 * fidelity : 0.01;
    return evaluation;
  }

  void add(const store::Evaluation& evaluation,
           const std::vector<store::Artifact>& artifacts = {}) {
    const auto added = study_.add(evaluation, artifacts);
    CAMBIUM_CHECK(added.ok(), added.rejection().message());
  }

  static store::Artifact artifact(const std::string& name, const std::string& text) {
    store::Artifact artifact{name, {}};
    for (const char c : text) artifact.bytes.push_back(static_cast<std::byte>(c));
    return artifact;
  }

  void original() {
    const auto base = candidate(-1, "the original");
    measure(base, 1, 9, false);
    train(base, 2, 0.882, 0);
    for (std::uint64_t seed = 0; seed < 3; ++seed) train(base, 12, 0.914, seed);
  }

  // A candidate that went down the funnel as far as its numbers allow.
  void proposal(std::int64_t ticket) {
    const double size = std::exp(-3.2 * rng_.uniform());  // of the original's costs
    const double luck = 0.5 + 0.5 * rng_.uniform();
    const double accuracy =
        0.912 + 0.008 * luck - 0.06 * std::pow(1 - size, 4) - 0.09 * (1 - luck) * (1 - luck);
    const auto it = candidate(ticket, title(ticket, size));
    if (rng_.below(5) == 0) {
      refuse(it, "legality", "WrongDomain", "the output has the domain [N, C, 3*H]");
      return;
    }
    add(evaluation(it, "legality"));
    const bool pending = rng_.below(9) == 0;
    if (size > 0.8) {
      costs(it, size);
      refuse(it, "limits", "OverBudget", "macs: 41.2 M, the limit is 38.0 M");
      return;
    }
    measure(it, size * (0.8 + 0.5 * rng_.uniform()), size, pending);
    if (luck < 0.55) {
      refuse(it, "accuracy", "NotPromising", "accuracy after 1 epoch: 0.61, the median is 0.83", 2);
      return;
    }
    train(it, 2, accuracy - 0.03, 0);
    if (luck > 0.9 || rng_.below(20) == 0)
      for (std::uint64_t seed = 0; seed < 3; ++seed) train(it, 12, accuracy, seed);
  }

 private:
  static std::string title(std::int64_t ticket, double size) {
    static const char* const kinds[] = {"grouped convolution, G = 4", "shifted sum over H and W",
                                        "unfold, share, contract C", "strided bottleneck by 2",
                                        "two-stage contraction with a shift"};
    return std::string(kinds[ticket % 5]) + ", " + std::to_string(static_cast<int>(size * 100)) +
           " % of the MACs";
  }

  void refuse(const store::StudyCandidate& it, const std::string& evaluator,
              const std::string& reason, const std::string& detail, double fidelity = 0) {
    auto refusal = evaluation(it, evaluator, fidelity);
    refusal.state = store::EvaluationState::Refused;
    refusal.reason = reason;
    refusal.detail = detail;
    add(refusal);
  }

  void costs(const store::StudyCandidate& it, double size) {
    auto cost = evaluation(it, "cost");
    cost.values["macs"] = {41.2e6 * std::min(size, 1.0), 0, 1, false};
    cost.values["parameters"] = {272e3 * std::min(size * 1.1, 1.0), 0, 1, false};
    cost.values["memory"] = {3.1e6 * std::min(0.4 + size, 1.0), 0, 1, false};
    add(cost, it.ticket % 3 == 2 ? std::vector<store::Artifact>{} : drawings(it));
  }

  static std::vector<store::Artifact> drawings(const store::StudyCandidate& it) {
    return {
        artifact("drawing.dot",
                 "digraph d { rankdir=LR; node [shape=box, fontname=\"Helvetica\"]; x "
                 "[label=\"input N C H W\"]; u [label=\"unfold H k1\"]; v [label=\"unfold W "
                 "k2\"]; s [label=\"share C/" +
                     std::to_string(it.ticket % 4 + 1) +
                     "\"]; c [label=\"contract C k1 k2\"]; o [label=\"output N K H W\"]; x -> u "
                     "-> v -> c -> o; x -> s -> c }"),
        artifact("equation.txt",
                 "out[n, k, h, w] = sum(c, i, j) in[n, c, h + i - 1, w + j - 1] * weight[k, c "
                 "/ 4, i, j]\n"),
        artifact("loops.txt",
                 "for n in 1\n  for k in 64\n    for h in 28\n      for w in 28\n        for c "
                 "in 16, i in 3, j in 3\n          out[n, k, h, w] += in[n, c, h + i - 1, w + j "
                 "- 1] * weight[k, c, i, j]\n")};
  }

  void measure(const store::StudyCandidate& it, double slowness, double size, bool pending) {
    costs(it, size);
    auto latency = evaluation(it, "latency", 16);
    latency.values["latency"] = {2.9e-3 * slowness, pending ? 0.2 : 0.012, 20, pending};
    if (pending) {
      latency.state = store::EvaluationState::Pending;
      latency.detail = "this build has no LLVM";
    }
    add(latency);
  }

  void train(const store::StudyCandidate& it, double epochs, double accuracy, std::uint64_t seed) {
    auto training = evaluation(it, "accuracy", epochs, seed);
    const double end = accuracy + 0.002 * (rng_.uniform() - 0.5);
    training.values["accuracy"] = {end, 0, 1, false};
    for (double x = 1; x <= epochs; ++x) {
      const double rest = std::exp(-3 * x / epochs);
      training.curve.push_back(
          {x, end - 0.3 * rest + 0.3 * std::exp(-3.0), 0.2 + 1.5 * rest, 6 * x});
    }
    add(training);
  }

  store::StudyStore& study_;
  Rng rng_;
};

inline void fill(store::StudyStore& study, std::int64_t candidates, std::uint64_t seed = 1) {
  SampleStudy sample(study, seed);
  sample.head();
  sample.original();
  for (std::int64_t ticket = 0; ticket < candidates; ++ticket) sample.proposal(ticket);
}

}  // namespace cambium::report
