// The loss function for trees over rows that predict programs. The prediction for a program is the
// logarithm of the analytic model's seconds, plus the trees' values for its rows, each weighted by
// the row's share of the time. Only ratios between examples of one program count, and fast examples
// count more. It is independent of XGBoost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tune/cost_model.h"

namespace cambium::tune {

// The column with the row's share of the program.
std::size_t share_column();

class PackSum {
 public:
  // The examples must outlive it. Refused examples get twice the time of their program's slowest,
  // and little weight.
  explicit PackSum(std::vector<const Example*> examples);

  std::size_t rows() const { return rows_; }
  const std::vector<float>& matrix() const { return matrix_; }  // row after row
  const std::vector<const Example*>& examples() const { return examples_; }

  // One prediction per example, from the trees' value for each row.
  std::vector<double> predictions(std::span<const float> of_rows) const;
  // One gradient per row.
  void gradients(std::span<const double> predictions, std::vector<float>& gradient,
                 std::vector<float>& hessian) const;
  // The share of the differences within programs to which the predictions give the wrong sign: 0 is
  // the measured order, 1 the opposite order.
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

// log(draft) plus the trees' value for each row times its share. `at` is the first row of the
// example, and moves to the next example.
double packed(const Features& features, double draft_seconds, std::span<const float> of_rows,
              std::size_t& at);

}  // namespace cambium::tune
