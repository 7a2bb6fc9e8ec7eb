// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/address_trace.h"

#include "base/text.h"
#include "systolic/array_timing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace tilewright::systolic {

namespace {

/// Base address and number of columns of each matrix.
struct MatrixAddresses
{
    Gemm gemm;
    [[nodiscard]] std::int64_t a(std::int64_t m, std::int64_t k) const { return m * gemm.k + k; }
    [[nodiscard]] std::int64_t b(std::int64_t k, std::int64_t n) const
    {
        return gemm.m * gemm.k + k * gemm.n + n;
    }
    [[nodiscard]] std::int64_t c(std::int64_t m, std::int64_t n) const
    {
        return gemm.m * gemm.k + gemm.k * gemm.n + m * gemm.n + n;
    }
};

/// Trace lines sorted by cycle, with one cell per lane.
class TraceLines
{
public:
    explicit TraceLines(std::int64_t lanes) : m_lanes(static_cast<std::size_t>(lanes)) {}
    void set(std::int64_t cycle, std::int64_t lane, std::int64_t address)
    {
        auto& line = m_lines[cycle];
        if (line.empty())
            line.assign(m_lanes, -1);
        line[static_cast<std::size_t>(lane)] = address;
    }
    /// Appends all lines for cycles before `cycle` to the text. These lines must be complete.
    void flushBefore(std::int64_t cycle)
    {
        while (!m_lines.empty() && m_lines.begin()->first < cycle) {
            const auto& [at, lanes] = *m_lines.begin();
            m_text += std::to_string(at);
            for (const std::int64_t address : lanes)
                (m_text += ", ") += std::to_string(address);
            m_text += '\n';
            m_lines.erase(m_lines.begin());
        }
    }
    [[nodiscard]] std::string text()
    {
        flushBefore(std::numeric_limits<std::int64_t>::max());
        return std::move(m_text);
    }

private:
    std::size_t m_lanes;
    std::map<std::int64_t, std::vector<std::int64_t>> m_lines;
    std::string m_text;
};

} // namespace

Result<SramTraces> sramTraces(const Gemm& gemm, const ArrayShape& array, const TimingOptions& timing)
{
    for (const Status& ok : {checkGemm(gemm), checkArray(array)})
        if (!ok)
            return ok.error();
    const FoldPlan plan(gemm, array, timing);
    const std::int64_t cells =
        saturatingMul(plan.cycles(), saturatingMul(2, saturatingAdd(array.rows, array.cols)));
    if (cells > kMaxTraceCells)
        return Error{ErrorCode::Problem,
                     "the traces would have " + formatGrouped(cells) + " cells, more than " +
                         formatGrouped(kMaxTraceCells) + "; choose a smaller GEMM or array",
                     "gemm",
                     {}};
    const MatrixAddresses at{gemm};
    const bool os = timing.dataflow == Dataflow::Os;
    const bool is = timing.dataflow == Dataflow::Is;
    TraceLines west(array.rows);
    TraceLines north(array.cols);
    TraceLines partial(array.cols);
    TraceLines results(array.cols);
    const std::int64_t stream = plan.stream();
    std::int64_t readOut = 0; // first cycle in which the shadow registers are free
    for (std::int64_t f = 0; f < plan.folds(); ++f) {
        const Fold fold = plan.fold(f);
        for (std::int64_t x = 0; x < stream; ++x)
            for (std::int64_t row = 0; row < fold.rows; ++row)
                west.set(fold.start + x + row, row,
                         os   ? at.a(fold.rowOffset + row, x)
                         : is ? at.b(fold.rowOffset + row, x)
                              : at.a(x, fold.rowOffset + row));
        if (os) {
            for (std::int64_t x = 0; x < stream; ++x)
                for (std::int64_t col = 0; col < fold.cols; ++col)
                    north.set(fold.start + x + col, col, at.b(x, fold.colOffset + col));
            const std::int64_t over = std::max(readOut, fold.start + stream + fold.rows + fold.cols - 2);
            readOut = over + fold.rows;
            for (std::int64_t row = 0; row < fold.rows; ++row)
                for (std::int64_t col = 0; col < fold.cols; ++col)
                    results.set(over + fold.rows - 1 - row, col,
                                at.c(fold.rowOffset + row, fold.colOffset + col));
        } else {
            const bool ahead = f > 0 && timing.readout == Readout::Shadow && timing.weightBuffers == 2;
            const std::int64_t loaded = ahead ? plan.start(f - 1) : fold.start - fold.rows;
            for (std::int64_t row = 0; row < fold.rows; ++row)
                for (std::int64_t col = 0; col < fold.cols; ++col) {
                    const std::int64_t k = fold.rowOffset + row;
                    const std::int64_t across = fold.colOffset + col;
                    north.set(loaded + fold.rows - 1 - row, col, is ? at.a(across, k) : at.b(k, across));
                }
            for (std::int64_t x = 0; x < stream; ++x)
                for (std::int64_t col = 0; col < fold.cols; ++col) {
                    const std::int64_t across = fold.colOffset + col;
                    const std::int64_t sum = is ? at.c(across, x) : at.c(x, across);
                    if (fold.rowOffset > 0)
                        partial.set(fold.start + x + col, col, sum);
                    results.set(fold.start + x + array.rows - 1 + col, col, sum);
                }
        }
        // Later folds add no lines before the start of the previous fold, so those lines are complete.
        const std::int64_t settled = plan.start(std::max<std::int64_t>(0, f - 1));
        for (TraceLines* lines : {&west, &north, &partial, &results})
            lines->flushBefore(settled);
    }
    SramTraces out;
    (is ? out.b : out.a) = west.text();
    (is ? out.a : out.b) = north.text();
    out.partial = partial.text();
    out.c = results.text();
    return out;
}

std::string dramTrace(const Program& p, const PipelineRun& run)
{
    const ProgramOptions& o = p.options;
    const MatrixAddresses at{o.gemm};
    const std::int64_t e = o.elementBytes;
    // Numbers of rows and columns of the block of C that one array command computes.
    const std::int64_t blockRows = o.dataflow == Dataflow::Os   ? o.array.rows
                                   : o.dataflow == Dataflow::Ws ? o.depth
                                                                : o.array.cols;
    const std::int64_t blockCols = o.dataflow == Dataflow::Is ? o.depth : o.array.cols;
    std::string out = "start,end,access,matrix,address,bytes\n";
    for (std::size_t n = 0; n < p.commands.size(); ++n) {
        const Command& c = p.commands[n];
        if (resourceOf(c.kind) != Resource::Dma)
            continue;
        const bool store = c.kind == CommandKind::DmaStore;
        std::int64_t row = c.matrix == Matrix::B ? c.k * p.tile.tk : c.i * p.tile.ti;
        std::int64_t col = c.matrix == Matrix::A ? c.k * p.tile.tk : c.j * p.tile.tj;
        std::int64_t toCol = std::min(c.matrix == Matrix::A ? o.gemm.k : o.gemm.n,
                                      col + (c.matrix == Matrix::A ? p.tile.tk : p.tile.tj));
        if (store) {
            row += c.bi * blockRows;
            col += c.bj * blockCols;
            toCol = std::min(toCol, col + blockCols);
        }
        const std::int64_t rowBytes = (toCol - col) * e;
        const std::int64_t width = (c.matrix == Matrix::A ? o.gemm.k : o.gemm.n) * e;
        const std::int64_t rows = c.bytes / rowBytes;
        const std::int64_t first = e * (c.matrix == Matrix::A   ? at.a(row, col)
                                        : c.matrix == Matrix::B ? at.b(row, col)
                                                                : at.c(row, col));
        const std::string head = std::to_string(run.events[n].start) + "," +
                                 std::to_string(run.events[n].end) + (store ? ",write," : ",read,") +
                                 std::string(matrixName(c.matrix)) + ",";
        if (rowBytes == width) { // whole rows are contiguous in memory
            out += head + std::to_string(first) + "," + std::to_string(c.bytes) + "\n";
            continue;
        }
        for (std::int64_t r = 0; r < rows; ++r)
            out += head + std::to_string(first + r * width) + "," + std::to_string(rowBytes) + "\n";
    }
    return out;
}

} // namespace tilewright::systolic
