#include "proxies/nasbench_table.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace cambium::bench {

namespace {

constexpr std::int64_t kLargest = 64 << 20;

Result<std::size_t> column(const std::vector<std::string_view>& names, std::string_view wanted) {
  const auto at = std::find(names.begin(), names.end(), wanted);
  if (at == names.end()) {
    return Rejection(Reason::MissingField, std::string(wanted), "a column of the first line");
  }
  return static_cast<std::size_t>(at - names.begin());
}

Result<NasBenchRow> row_of(const std::vector<std::string_view>& fields, std::size_t cell,
                           std::size_t accuracy) {
  if (fields.size() <= std::max(cell, accuracy)) {
    return Rejection(Reason::MissingField, fields.size() <= cell ? "the cell" : "the accuracy",
                     "there");
  }
  NasBenchRow row;
  CAMBIUM_TRY(row.cell, model::zoo::parse_cell(trim(fields[cell])));
  CAMBIUM_TRY(row.accuracy, parse_double(trim(fields[accuracy])));
  if (row.accuracy < 0 || row.accuracy > 100) {
    return Rejection(Reason::BadNumber, quote(fields[accuracy]), "a percentage");
  }
  return row;
}

Result<std::vector<NasBenchRow>> parsed(std::string_view text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  const std::vector<std::string_view> names = split(trim(lines[0]), ',');
  CAMBIUM_TRY(const std::size_t cell, column(names, "ArchitectureString"));
  CAMBIUM_TRY(const std::size_t accuracy, column(names, "CIFAR10TestAccuracy200Epochs"));
  std::vector<NasBenchRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) continue;
    auto row = row_of(split(lines[i], ','), cell, accuracy);
    if (!row.ok()) return std::move(row).rejection().at("line " + std::to_string(i + 1));
    rows.push_back(*row);
  }
  if (rows.empty()) return Rejection(Reason::NoSamples, "the table", "cells");
  return rows;
}

}  // namespace

Result<std::vector<NasBenchRow>> read_nasbench(const std::string& path) {
  CAMBIUM_TRY(const std::string text, read_file(path, kLargest));
  if (text.starts_with("\xFD"
                       "7zXZ")) {
    return Rejection(Reason::Unreadable, path, "it is packed: unpack it first (xz -dk)");
  }
  auto rows = parsed(text);
  if (!rows.ok()) return std::move(rows).rejection().at(path);
  return rows;
}

}  // namespace cambium::bench
