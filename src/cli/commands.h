// The commands, one source file each. `add_x` declares the options of a command under `app`. When
// the command line names the command, `action` becomes the function that runs it and returns the
// exit code.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cambium::cli {

using Action = std::function<int()>;

void add_inspect(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_zoo(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);            // in cambium-train, which loads libtorch
void add_train_elsewhere(CLI::App& app, Action& action);  // becomes cambium-train
void add_tune(CLI::App& app, Action& action);
void add_search(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_rehearse(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_study(CLI::App& app, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_synth(CLI::App& app, Action& action);
void add_why(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_machine(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);

}  // namespace cambium::cli
