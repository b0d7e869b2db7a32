// Why a schedule was refused: a trial of a database, or a trace in a file, replayed step by step on
// the program that it is for. Refuses NoSuchTrial, and BadOption where a fingerprint begins
// several. Called by `cambium why`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::engine {

struct Explanation {
  std::string verdict;  // one sentence
  // Of a trial; empty for a trace in a file.
  std::int64_t id = 0;
  std::string scheduled;    // fingerprint of the scheduled program
  std::string strategy;     // what proposed it
  std::int64_t number = 0;  // of the trial in its search
  int threads = 0;
  std::string codegen, machine;  // the machine by its fingerprint
  std::string reason, detail;    // as recorded; empty: it was measured
  double seconds = 0;            // if it was
  // What it was made from.
  std::string program;  // its name in the database, and its fingerprint
  std::string program_fingerprint;
  std::vector<std::string> steps;
  std::int64_t refused_step = -1;  // counted from 0; -1: all of them apply
  std::string refusal;             // of that step, or of what all of them make; empty: none
  std::string before;              // the program before that step, or what all steps make
};

// `what`: the number of a trial, the beginning of a fingerprint of a scheduled program, or a file
// with a trace, which is replayed on the program whose fingerprint or name begins with `program`,
// or else on the one of the database that it fits furthest.
Result<Explanation> explain(const std::string& what, const std::string& db,
                            const std::string& program = {});

nlohmann::json to_json(const Explanation& explanation);

}  // namespace cambium::engine
