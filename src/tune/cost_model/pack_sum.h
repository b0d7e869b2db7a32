// What is minimized when trees over rows are to predict programs: a program's prediction is the
// logarithm of the analytic model's seconds plus the trees of its rows, each by the share of the
// time that the row has. Only ratios between the examples of one program count, and those of the
// fast ones count more. Knows nothing of XGBoost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tune/cost_model.h"

namespace cambium::tune {

// Which column of a row says what share of the program it is.
std::size_t share_column();

class PackSum {
 public:
  // The examples must live as long. Those that were refused get twice the time of their program's
  // slowest, and little weight.
  explicit PackSum(std::vector<const Example*> examples);

  std::size_t rows() const { return rows_; }
  const std::vector<float>& matrix() const { return matrix_; }  // row after row
  const std::vector<const Example*>& examples() const { return examples_; }

  // Per example, from what the trees say of each row.
  std::vector<double> predictions(std::span<const float> of_rows) const;
  // Per row.
  void gradients(std::span<const double> predictions, std::vector<float>& gradient,
                 std::vector<float>& hessian) const;
  // The share of the differences within programs that the predictions have the wrong way round: 0
  // orders as measured, 1 the other way.
  double disorder(std::span<const double> predictions) const;

 private:
  struct Target {
    double log_seconds = 0, weight = 1;
    std::size_t group = 0;
  };

  std::vector<const Example*> examples_;
  std::vector<Target> targets_;
  std::vector<std::vector<std::size_t>> groups_;  // examples of one program
  std::vector<float> matrix_;
  std::size_t rows_ = 0;
};

// log(draft) + the trees of each row by its share; `at` is the first row of the example, and moves.
double packed(const Features& features, double draft_seconds, std::span<const float> of_rows,
              std::size_t& at);

}  // namespace cambium::tune
