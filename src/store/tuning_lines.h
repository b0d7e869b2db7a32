// Tuning records as JSON lines (docs/schema/tuning_record.json), to move them between files and
// machines. A line is one program, one machine or one trial with its key. Refuses a bad line
// (BadRecord) with its number. Used by the store.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "store/trial.h"

namespace cambium::store {

// Trials are written and read without ids, which mean nothing in another file.
using TuningRecord = std::variant<TunedProgram, TunedMachine, KeyedTrial>;

std::string to_line(const TuningRecord& record);
Result<TuningRecord> parse_line(std::string_view line, std::int64_t number);

}  // namespace cambium::store
