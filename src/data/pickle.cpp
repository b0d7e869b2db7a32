#include "data/pickle.h"

#include <utility>

#include <fmt/core.h>

#include "data/pickle_machine.h"

namespace cambium::data {
namespace {

using Kind = PickleNode::Kind;

Rejection missing(std::string_view field, std::string_view form) {
  return Rejection(Reason::MissingField, std::string(field), std::string(form));
}

}  // namespace

Result<Pickle> Pickle::parse(Bytes bytes) {
  PickleMachine machine(bytes);
  return machine.run();
}

const PickleNode* Pickle::find(std::string_view field) const {
  const PickleNode& dict = root();
  if (dict.kind != Kind::Dict) return nullptr;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleNode& key = node(dict.items[i]);
    if (key.kind == Kind::Text && key.text == field) return &node(dict.items[i + 1]);
  }
  return nullptr;
}

Result<std::vector<std::int64_t>> Pickle::integers(std::string_view field) const {
  const PickleNode* list = find(field);
  if (list == nullptr || list->kind != Kind::List) return missing(field, "a list of integers");
  std::vector<std::int64_t> values;
  values.reserve(list->items.size());
  for (const std::int32_t item : list->items) {
    if (node(item).kind != Kind::Int) return missing(field, "a list of integers");
    values.push_back(node(item).number);
  }
  return values;
}

Result<std::vector<std::string>> Pickle::texts(std::string_view field) const {
  const PickleNode* list = find(field);
  if (list == nullptr || list->kind != Kind::List) return missing(field, "a list of texts");
  std::vector<std::string> values;
  for (const std::int32_t item : list->items) {
    if (node(item).kind != Kind::Text) return missing(field, "a list of texts");
    values.emplace_back(node(item).text);
  }
  return values;
}

Result<const PickleNode*> Pickle::array(std::string_view field) const {
  const PickleNode* found = find(field);
  if (found == nullptr || found->kind != Kind::Array)
    return missing(field, "a numpy array of unsigned bytes");
  return found;
}

}  // namespace cambium::data
