// docs/spaces/loopnest.md against the program: the table of the catalogue, and the documents that
// the page shows.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "schedule/recipe/catalogue.h"
#include "schedule/recipe/recipe_testing.h"

namespace cambium::schedule {
namespace {

std::string page() {
  return read_file(CAMBIUM_LOOPNEST_PAGE).value();
}

struct Shown {
  std::string name;  // the bold words before it: "group 4"
  std::string document;
};

std::vector<Shown> documents_shown() {
  std::vector<Shown> all;
  std::string name;
  bool is_inside = false;
  const std::string text = page();
  for (const std::string_view line : split(text, '\n')) {
    if (is_inside && line == "```") is_inside = false;
    if (is_inside) all.back().document += std::string(line) + "\n";
    if (line.starts_with("**")) name = line.substr(2, line.find_first_of("*.", 2) - 2);
    if (line != "```document") continue;
    is_inside = true;
    all.push_back({name, ""});
  }
  return all;
}

TEST(LoopNestPage, ListsTheWholeCatalogueInItsOrder) {
  std::vector<std::string> wanted;
  for (const CatalogueRow& row : catalogue()) {
    const std::string numbers = row.numbers;
    wanted.push_back(numbers.empty() ? row.name : row.name + (" " + numbers));
  }
  const std::string text = page();
  const std::size_t begin = text.find("| name | computes |");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = text.substr(begin, text.find("\n\n", begin) - begin);
  std::vector<std::string> listed;
  for (const std::string_view line : split(table, '\n')) {
    if (line.starts_with("| `")) listed.emplace_back(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(listed, wanted);
}

TEST(LoopNestPage, ShowsDocumentsThatConvolutionsAccept) {
  for (const Shown& shown : documents_shown()) {
    Context cx;
    const auto read = read_document(cx, original_of(cx, ConvShape{}), shown.document);
    ASSERT_TRUE(read.ok()) << shown.document << read.rejection().message();
    EXPECT_FALSE(read->is_original()) << shown.document;
  }
}

TEST(LoopNestPage, ShowsTheDocumentOfEveryNameWithOneOrTwoNumbers) {
  std::set<std::string> met;
  for (const Shown& shown : documents_shown()) {
    if (!catalogue_document(shown.name)) continue;
    Context cx;
    const Original original = original_of(cx, ConvShape{});
    const auto named = read_document(cx, original, shown.name);
    const auto read = read_document(cx, original, shown.document);
    ASSERT_TRUE(named.ok()) << named.rejection().message();
    ASSERT_TRUE(read.ok()) << read.rejection().message();
    EXPECT_EQ(read->text, named->text) << shown.name;
    EXPECT_EQ(read->identity, named->identity) << shown.name;
    met.insert(shown.name.substr(0, shown.name.find_first_of("0123456789")));
  }
  for (const CatalogueRow& row : catalogue()) {
    const std::string numbers = row.numbers;
    if (split(numbers, ' ').size() > 2) continue;  // as halves, but longer
    EXPECT_EQ(met.count(numbers.empty() ? row.name : row.name + std::string(" ")), 1u) << row.name;
  }
}

}  // namespace
}  // namespace cambium::schedule
