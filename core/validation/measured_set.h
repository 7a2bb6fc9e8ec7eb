// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements of operators: a table with the shape of an operator and what was measured in each row.
#pragma once

#include "base/result.h"
#include "llm/model.h"
#include "model/model.h"
#include "npu/model.h"
#include "validation/measured_column.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::validation {

/// One measured operator, or one measured step of a language model.
struct MeasuredRow
{
    std::string name;
    std::size_t line = 0; ///< line of the file, from 1
    model::Model model;   ///< model that consists of this operator alone
    double measured = 0;  ///< measured value in the unit of the quantity
    npu::TileSizes tile;  ///< tile that the chip used, if the table states it
    /// For a step of a language model, which has no `model`: the file of its configuration as named in the
    /// table, the sizes of the step (llm::optionsOf()), and the number of tokens that it computes.
    std::string config;
    std::map<std::string, std::int64_t> dimensions;
    std::int64_t tokens = 0;
};

struct MeasuredSet
{
    std::string file;
    std::vector<std::string> head; ///< comments at the top of the file: source, configuration
    MeasuredColumn column;
    std::vector<MeasuredRow> rows;
    std::int64_t leftOut = 0; ///< number of rows that a condition excludes or that have no measurement
};

/// Options for reading a table. Every member may be empty.
struct ReadOptions
{
    std::string column;       ///< the column of measurements; empty: chosen by its name
    std::string operatorKind; ///< "softmax", "layer_norm", "rms_norm" or "elementwise", for tables of vectors
    std::vector<std::string> where; ///< conditions: "kind=conv", "R!=3", "macs>1e8", "batch<4"
    std::int64_t operandBits = 0; ///< width of the operands in 1/1024 bit; 0: that of the machine's elements
};

/// True if the text is a table whose columns state the shape of an operator and a time, cycles or bytes.
[[nodiscard]] bool isMeasuredSet(std::string_view text);
/// Reads a table with comments at its top (docs/rules/validation.md 1). Its columns determine what a row is.
/// Product: M, K and N. Convolution: C, K, R, S and sizes of the input or the output. Vector operator: M and
/// N, or elements. Attention: heads, dim and length. Products of experts: experts and their tokens. Step of a
/// language model: a configuration and a phase. The Error names file, line or column, and the reason.
[[nodiscard]] Result<MeasuredSet> readMeasuredSet(std::string_view text, const std::string& file,
                                                  const ReadOptions& options = {});

} // namespace tilewright::validation
