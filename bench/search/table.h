// A recorded table: candidates of a study that were trained briefly, with their measured values. It
// allows replaying searches without training. JSON lines (docs/schema/search_table.json): a head,
// then one candidate each. Refuses BadSyntax, MissingField and a table without candidates.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "search/reward.h"
#include "spaces/candidate.h"
#include "study/scores.h"

namespace cambium::bench {

struct TableRow {
  spaces::Candidate candidate;
  study::Scores scores;
};

struct SearchTable {
  std::string model;                                      // as `load_model` takes it
  std::vector<std::pair<std::string, std::string>> bind;  // sizes of it, by name
  std::string data;
  std::string spaces;  // JSON: the settings of the spaces
  search::RewardOptions reward;
  double epochs = 0;    // of the trainings
  std::string machine;  // fingerprint of where latencies were measured; empty: nowhere
  std::string commit;   // of the program that began the study
  study::Scores original;
  std::vector<TableRow> rows;  // by identity

  bool has(study::Metric metric) const;  // every row
};

// Makes the table of a study. It takes the trainings with the fewest epochs and the latencies with
// the least tuning, because all candidates have these. Refuses what the study refuses, and a study
// without a trained candidate.
Result<SearchTable> table_of_study(const std::string& study);

std::string to_lines(const SearchTable& table);
Result<SearchTable> parse_table(std::string_view lines);

}  // namespace cambium::bench
