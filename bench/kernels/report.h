// The rows of a run as text and as the document of `cambium bench kernels --json`.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernels/measure_kernel.h"

namespace cambium::bench {

// {"peer", "implementation", "ratio", "spread", ...} or {"peer", "missing"}.
nlohmann::json json_of(const Row::Ratio& ratio);

std::string header_text(const Machine& machine, const Options& options);
std::string row_text(const Row& row, const Machine& machine);
std::string summary_text(const std::vector<Row>& rows);
nlohmann::json to_json(const std::vector<Row>& rows, const Machine& machine,
                       const Options& options);

}  // namespace cambium::bench
