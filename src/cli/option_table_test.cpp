#include "cli/option_table.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace cambium::cli {
namespace {

TEST(OptionTable, ListsNamesTypesTextsAndDefaults) {
  CLI::App app("", "tool");
  CLI::App* command = app.add_subcommand("cut", "Cut it");
  std::string what, how = "a|b";
  int times = 3;
  bool json = false;
  command->add_option("WHAT", what, "a file")->required()->type_name("");
  command->add_option("-t,--times", times, "number of cuts")->type_name("N")->capture_default_str();
  CLI::Option* flag = command->add_flag("--json", json, "print one *document*");
  command->add_option("--how", how, "cut\nthis way")
      ->type_name("A|B")
      ->capture_default_str()
      ->needs(flag)
      ->group("Ways");
  command->add_flag("--secret", json, "not shown")->group("");
  EXPECT_EQ(option_table(*command),
            "| option | what it does | default |\n"
            "|---|---|---|\n"
            "| `WHAT` | a file | required |\n"
            "| `-t, --times N` | number of cuts | `3` |\n"
            "| `--json` | print one \\*document\\* |  |\n"
            "| *Ways* | | |\n"
            "| `--how A\\|B` | cut this way; needs `--json` | `a\\|b` |\n");
}

TEST(OptionTable, ListsCommandsInsteadWhereThereAreSome) {
  CLI::App app("", "tool");
  CLI::App* zoo = app.add_subcommand("zoo", "Networks");
  zoo->add_subcommand("list", "All of them");
  app.add_subcommand("hidden", "Not for people")->group("");
  EXPECT_EQ(option_table(app), "| command | what it does |\n|---|---|\n| `zoo` | Networks |\n");
  EXPECT_EQ(option_table(*zoo),
            "| command | what it does |\n|---|---|\n| `zoo list` | All of them |\n");
}

}  // namespace
}  // namespace cambium::cli
