#include "spaces/candidate.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::spaces {
namespace {

using Json = nlohmann::json;

Result<std::string> text_at(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) {
    return Rejection(Reason::MissingField, name, "a text");
  }
  return found->get<std::string>();
}

Result<Fingerprint> fingerprint_at(const Json& object, const char* name) {
  CAMBIUM_TRY(const std::string text, text_at(object, name));
  auto fingerprint = Fingerprint::parse(text);
  if (!fingerprint) return Rejection(Reason::MissingField, name, "32 hexadecimal digits");
  return fingerprint;
}

Result<Edit> edit_of(const Json& json) {
  if (!json.is_object()) return Rejection(Reason::MissingField, "edit", "an object");
  Edit edit;
  CAMBIUM_TRY(edit.space, text_at(json, "space"));
  CAMBIUM_TRY(edit.document, text_at(json, "document"));
  const auto sites = json.find("sites");
  if (sites == json.end() || !sites->is_array()) {
    return Rejection(Reason::MissingField, "sites", "a list of texts");
  }
  for (const Json& site : *sites) {
    if (!site.is_string()) return Rejection(Reason::MissingField, "sites", "a list of texts");
    edit.sites.push_back(site.get<std::string>());
  }
  return edit;
}

}  // namespace

Fingerprint identity_of(const Candidate& candidate) {
  Hasher hasher;
  hasher.add("candidate").add(candidate.base).add(candidate.edits.size());
  for (const Edit& edit : candidate.edits) {
    std::vector<std::string> sites = edit.sites;
    std::sort(sites.begin(), sites.end());
    hasher.add(edit.space).add_range(sites).add(edit.document);
  }
  return hasher.done();
}

Json json_of(const Candidate& candidate) {
  Json edits = Json::array();
  for (const Edit& edit : candidate.edits) {
    edits.push_back({{"space", edit.space}, {"sites", edit.sites}, {"document", edit.document}});
  }
  Json json = {{"base", candidate.base.text()}, {"edits", std::move(edits)}};
  if (candidate.parent) json["parent"] = candidate.parent->text();
  return json;
}

std::string to_json(const Candidate& candidate) {
  return json_text(json_of(candidate));
}

Result<Candidate> parse_candidate(std::string_view text) {
  CAMBIUM_TRY(const Json json, parse_json(text));
  return read_candidate(json);
}

Result<Candidate> read_candidate(const Json& json) {
  if (!json.is_object()) return Rejection(Reason::MissingField, "candidate", "an object");
  Candidate candidate;
  CAMBIUM_TRY(candidate.base, fingerprint_at(json, "base"));
  if (json.contains("parent")) {
    CAMBIUM_TRY(candidate.parent, fingerprint_at(json, "parent"));
  }
  const auto edits = json.find("edits");
  if (edits == json.end() || !edits->is_array()) {
    return Rejection(Reason::MissingField, "edits", "a list");
  }
  for (std::size_t i = 0; i < edits->size(); ++i) {
    CAMBIUM_TRY(Edit edit, edit_of((*edits)[i]).at("edit " + std::to_string(i)));
    candidate.edits.push_back(std::move(edit));
  }
  return candidate;
}

}  // namespace cambium::spaces
