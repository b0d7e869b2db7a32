// Internal command: `cambium tune` starts it to compile a candidate in which a process died.
#include <iostream>
#include <iterator>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "engine/rehearsal.h"

namespace cambium::cli {

void add_rehearse(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("rehearse", "Compile one candidate of the tuner");
  command->group("");  // hidden from the list of commands
  command->callback([&action] {
    action = [] {
      const std::string request(std::istreambuf_iterator<char>(std::cin), {});
      const Status answered =
          engine::answer_rehearsal(request, [] { static_cast<void>(print("compiling\n")); });
      return answered.ok() ? kDone : refuse(answered.rejection());
    };
  });
}

}  // namespace cambium::cli
