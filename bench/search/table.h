// A recorded table: candidates of a study that were trained briefly, with what was measured of
// them, so that searches can be replayed without training. JSON lines
// (docs/schema/search_table.json): a head, then one candidate each. Refuses BadSyntax, MissingField
// and a table without candidates.
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
  std::string spaces;  // JSON: what spaces are made of
  search::RewardOptions reward;
  double epochs = 0;    // of the trainings
  std::string machine;  // fingerprint of where latencies were measured; empty: nowhere
  std::string commit;   // that the study was begun with
  study::Scores original;
  std::vector<TableRow> rows;  // by identity

  bool has(study::Metric metric) const;  // every row
};

// Of those trainings that had the fewest epochs, and the latencies that were tuned least: what all
// candidates have alike. Refuses what the study refuses, and one that has no trained candidate.
Result<SearchTable> table_of_study(const std::string& study);

std::string to_lines(const SearchTable& table);
Result<SearchTable> parse_table(std::string_view lines);

}  // namespace cambium::bench
