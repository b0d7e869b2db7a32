// Explains why a schedule was refused: replays a trial of a database, or a trace in a file, step by
// step on its program. Refuses NoSuchTrial, and BadOption if several fingerprints begin like the
// given one. Called by `cambium why`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::engine {

struct Explanation {
  std::string verdict;  // one sentence
  // Facts of a trial; empty for a trace in a file.
  std::int64_t id = 0;
  std::string scheduled;    // fingerprint of the scheduled program
  std::string strategy;     // the strategy that proposed it
  std::int64_t number = 0;  // number of the trial in its search
  int threads = 0;
  std::string codegen, machine;  // the machine is a fingerprint
  std::string reason, detail;    // as recorded; empty: the trial was measured
  double seconds = 0;            // if it was measured
  // The program and the steps that made it.
  std::string program;  // name in the database
  std::string program_fingerprint;
  std::vector<std::string> steps;
  std::int64_t refused_step = -1;  // counted from 0; -1: all steps apply
  std::string refusal;             // of that step, or of the final program; empty: none
  std::string before;              // the program before that step, or the final one
};

// `what` is the number of a trial, the beginning of the fingerprint of a scheduled program, or a
// file with a trace. A trace from a file is replayed on the program whose fingerprint or name
// begins with `program`; without `program`, on the program of the database on which most of its
// steps apply. In the trace of a rewritten nest, only the steps after canonical_names are replayed,
// because the database has the program that the earlier steps made. If `program` is a file, the
// whole trace is replayed on the program in it, and the database is not read: `cambium export`
// writes such pairs.
Result<Explanation> explain(const std::string& what, const std::string& db,
                            const std::string& program = {});

nlohmann::json to_json(const Explanation& explanation);

}  // namespace cambium::engine
