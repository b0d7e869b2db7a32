// Checks a JSON document against the part of JSON Schema that docs/schema uses: type, const, enum,
// properties, required, additionalProperties, items, anyOf and $ref to $defs. A keyword that is not
// one of these is an error of the schema, so that nothing in a schema is silently not checked.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cambium::tests {

// Empty if the document fits, otherwise the first place where it does not and why.
std::string misfit(const nlohmann::json& document, const nlohmann::json& schema);

}  // namespace cambium::tests
