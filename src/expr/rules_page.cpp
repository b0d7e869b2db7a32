#include "expr/rules_page.h"

namespace cambium::expr {
namespace {

// A bar inside a cell would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out.empty() ? "" : "`" + out + "`";
}

}  // namespace

std::string rules_page(const RuleSet& rules) {
  std::string page =
      "# Rewrite rules of index expressions\n\n"
      "Written from the rows in `src/expr/rules/` by the test `expr/Rules.TheirPageIsUpToDate`\n"
      "(`CAMBIUM_UPDATE_GOLDEN=1` writes it). `src/expr/rules/rule.h` says what the letters stand\n"
      "for. \"1..16\" marks the rows that z3 does not decide with symbolic divisors and proves "
      "for\n"
      "every divisor up to 16.\n";
  for (std::size_t row = 0; row < rules.rows().size(); ++row) {
    const Rule& rule = rules.rows()[row];
    if (row == 0 || rules.root_of(row) != rules.root_of(row - 1)) {
      page += "\n## " + std::string(info(rules.root_of(row)).name) + "\n\n";
      page += "| name | from | to | when | proved for |\n|---|---|---|---|---|\n";
    }
    page += "| " + std::string(rule.name) + " | " + cell(rule.pattern) + " | " + cell(rule.result) +
            " | " + cell(rule.guard) + " | " + (rule.proof == Proof::Symbolic ? "all" : "1..16") +
            " |\n";
  }
  return page;
}

}  // namespace cambium::expr
