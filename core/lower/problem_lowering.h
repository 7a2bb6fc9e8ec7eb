// SPDX-License-Identifier: GPL-3.0-or-later
// The state of one lowering to a problem, shared by the files that lower the kinds of operators.
#pragma once

#include "lower/lowered.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace tilewright::lower {

class ProblemLowering
{
public:
    ProblemLowering(const model::Model& model, const Machine& machine);
    Result<LoweredProblem> run();

private:
    using Order = std::vector<std::size_t>;

    // Functions of problem_lowering.cpp, which visits the operators of the model:
    void markImages();
    void addInputs();
    Status lower(const model::Operator& op);
    Status dispatch(const model::Operator& op);
    bool foldConstants(const model::Operator& op);
    void tellDependents();

    // Functions for all kinds of operators:
    [[nodiscard]] const Placement& at(ModelTensorId t) const { return *m_placements[t.index()]; }
    [[nodiscard]] const model::Tensor& tensor(ModelTensorId t) const { return m_model.tensors[t]; }
    [[nodiscard]] bool isConstant(ModelTensorId t) const { return m_table.isConstant(at(t).source); }
    void place(ModelTensorId t, Placement placement);
    /// Returns the order of dimensions in which a matrix stores the tensor, or the usual order of its kind if
    /// it is not stored as a matrix.
    [[nodiscard]] Order orderOf(ModelTensorId t) const;
    [[nodiscard]] Order kindOrder(const model::Shape& shape, bool image) const;
    [[nodiscard]] static std::pair<std::int64_t, std::int64_t> matrixOf(const model::Shape& shape,
                                                                        const Order& order);
    /// Returns the placement of the tensor after broadcasting to another shape.
    [[nodiscard]] static Placement broadcastTo(const Placement& placement, const model::Shape& shape);
    TensorId addOp(OpType type, std::vector<TensorId> inputs, SourceId result, std::int64_t cycles,
                   const std::string& name, bool helper = false);
    /// Cycles of a native tile of the product over its whole reduction.
    [[nodiscard]] std::int64_t productCycles(TensorId lhs, TensorId rhs) const;
    /// Cycles of a native tile of a Pointwise.
    [[nodiscard]] std::int64_t vectorCycles(std::int64_t passes) const;
    /// True if the array multiplies operands of these widths (Tensor::bits) without converting one of them.
    [[nodiscard]] bool multipliesPair(std::int64_t a, std::int64_t b) const;
    void chooseArray(); ///< kind and extents of the array (R8.4)
    /// Width (Tensor::bits) of a tensor of the model on this machine: 0 for the width of the machine's
    /// elements.
    [[nodiscard]] std::int64_t widthOf(ModelTensorId t) const { return widthOf(tensor(t).ownBits()); }
    [[nodiscard]] std::int64_t widthOf(std::int64_t bits) const
    {
        return m_elementBits == 0 || bits == m_elementBits ? 0 : bits;
    }
    /// Converts a value of Tensor::bits to a width in 1/1024 bit.
    [[nodiscard]] std::int64_t bitsOf(std::int64_t width) const { return width > 0 ? width : m_elementBits; }
    /// Returns the tensor of the model at another width, stored in `order`. If its own width differs, this is
    /// the result of a Pointwise that casts it.
    [[nodiscard]] Placement cast(ModelTensorId t, const Order& order, std::int64_t width);
    /// Returns an operand of a product at another width: the result of a Pointwise that converts it.
    [[nodiscard]] TensorId converted(TensorId operand, std::int64_t width);
    SourceId matmul(const Arrangement& lhs, const Arrangement& rhs, const std::string& name,
                    const std::string& result, bool helper = false);
    SourceId pointwise(std::vector<TensorId> inputs, std::int64_t passes, const std::string& name,
                       const std::string& result);
    /// Returns the operands of a Pointwise over `shape` in `order`. Broadcast constants are left out; their
    /// bytes are added to m_leftOut.
    std::vector<TensorId> operands(const model::Operator& op, std::size_t first, const model::Shape& shape,
                                   const Order& order);
    void leaveOut(ModelTensorId t);
    /// Joins matrices to one tensor, one below the other.
    SourceId stacked(const std::vector<SourceId>& parts, const model::Shape& shape);
    [[nodiscard]] std::int64_t passesOf(const model::Operator& op) const;
    [[nodiscard]] std::string partName(const model::Operator& op, const std::string& part,
                                       std::int64_t i = -1) const;
    /// Lowers an operator whose rearrangement cannot be described by strides. The result is stored in
    /// `order`.
    void rearrange(const model::Operator& op, const std::string& how, const Order& order);
    /// Returns an Error if the problem would have too many ops with `more` additional ones.
    [[nodiscard]] Status room(const model::Operator& op, std::int64_t more) const;
    [[nodiscard]] Error refuse(const model::Operator& op, std::string message) const;

    // Functions of lower_products.cpp:
    Status matMul(const model::Operator& op);
    Status einsum(const model::Operator& op);
    Status attention(const model::Operator& op);
    Status recurrent(const model::Operator& op);
    Status reduce(const model::Operator& op);

    // Functions of lower_windows.cpp:
    Status convolution(const model::Operator& op);
    Status convolutionByTaps(const model::Operator& op);
    Status transposedConvolution(const model::Operator& op);
    Status pool(const model::Operator& op);
    /// Some consecutive channels of a convolution's input that are stored in one matrix.
    struct Channels
    {
        Placement images;
        std::int64_t first = 0; ///< index of the first of these among all channels of the input
    };
    /// The images that together have all channels of a tensor: the parts of a concatenation of channels, or
    /// else its own placement.
    [[nodiscard]] std::vector<Channels> channelsOf(const Placement& images) const;
    [[nodiscard]] Result<Placement> padded(const model::Operator& op, const Placement& images);

    // Functions of lower_vector_and_windows.cpp:
    Status elementwise(const model::Operator& op);
    Status rotary(const model::Operator& op);
    Status moved(const model::Operator& op);
    Status concat(const model::Operator& op);
    Status kvAppend(const model::Operator& op);
    void slices(const model::Operator& op);
    void chooseTimeUnit();
    void addWidthsAndEnergy();

    const model::Model& m_model;
    const Machine& m_machine;
    LoweredProblem m_out;
    MatrixTable m_table;
    std::vector<std::optional<Placement>> m_placements;
    std::unordered_map<SourceId, std::vector<Channels>> m_joined; ///< parts of concatenations of channels
    std::vector<char> m_image; ///< for each tensor: true if it is stored as a matrix [N*H*W, C]
    /// Width of the machine's elements in 1/1024 bit; 0 if they are too wide to be counted in bits.
    std::int64_t m_elementBits = 0;
    std::int64_t m_resultBits = 0;  ///< width of the result of the operator that is being lowered
    std::int64_t m_conversions = 0; ///< Pointwise ops that convert operands of this operator
    std::unordered_map<std::string, SourceId> m_casts;                 ///< key: arrangement and width
    std::map<std::pair<TensorId, std::int64_t>, TensorId> m_converted; ///< key: operand and width
    std::vector<std::int64_t> m_cycles;                                ///< per op
    std::vector<std::int64_t> m_passes;                                ///< per op; 0 for products
    std::string m_note; ///< note on the operator that is being lowered
    NodeStatus m_status = NodeStatus::Mapped;
    std::int64_t m_leftOut = 0; ///< bytes of operands of the current operator that are left out
    OperatorId m_current;
};

} // namespace tilewright::lower
