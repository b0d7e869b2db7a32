// Tuning records as JSON lines (docs/schema/tuning_record.json): how they travel between files and
// machines. A line is one program, one machine or one trial with its key. Refuses, of a line that
// is none: BadRecord, with its number.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "store/trial.h"

namespace cambium::store {

// Trials come and go without their ids, which mean nothing elsewhere.
using TuningRecord = std::variant<TunedProgram, TunedMachine, KeyedTrial>;

std::string to_line(const TuningRecord& record);
Result<TuningRecord> parse_line(std::string_view line, std::int64_t number);

}  // namespace cambium::store
