// SPDX-License-Identifier: GPL-3.0-or-later
// What lowered problems read: index maps of drawn arrangements and convolutions, element by element
// (docs/rules/real.md R1.8, R18).
#include "drawn_cases.h"
#include "edit/fit.h"
#include "eval/fast_evaluator.h"
#include "lower/lowered.h"
#include "model/networks.h"
#include "test_main.h"

#include <QTest>

#include <map>
#include <random>
#include <set>

namespace test_lower_maps {

using namespace tilewright;
using namespace tilewright::lower;
using K = model::OperatorKind;

namespace {

using Element =
    std::optional<std::pair<std::int64_t, std::int64_t>>; // row and column of a matrix; none: a zero

class Draw
{
public:
    explicit Draw(unsigned seed) : m_random(seed) {}
    std::int64_t operator()(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(int percent) { return (*this)(1, 100) <= percent; }

private:
    std::mt19937 m_random;
};

std::vector<std::int64_t> offsetsOf(const std::vector<Axis>& axes)
{
    std::vector<std::int64_t> out{0};
    for (const Axis& axis : axes) {
        std::vector<std::int64_t> next;
        for (const std::int64_t before : out)
            for (std::int64_t i = 0; i < axis.size; ++i)
                next.push_back(before + i * axis.stride);
        out = std::move(next);
    }
    return out;
}

/// Compares a map with an arrangement, element by element; `at` is the element of the base at an index of the
/// arrangement's source.
template <typename At>
std::string differs(const IndexMap& map, const Arrangement& a, std::pair<std::int64_t, std::int64_t> base,
                    const At& at)
{
    const auto rows = offsetsOf(a.rows), cols = offsetsOf(a.cols);
    if (const Status s = checkMap(map, {std::ssize(rows), std::ssize(cols)}, base); !s)
        return s.error().text();
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < cols.size(); ++c)
            if (mappedElement(map, std::int64_t(r), std::int64_t(c)) != at(a.offset + rows[r] + cols[c]))
                return std::string(mapKind(map)) + " at " + std::to_string(r) + ", " + std::to_string(c);
    return {};
}

std::size_t plainViews(const LoweredProblem& p)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(p.data.views, [](const TensorView& v) { return !v.map.has_value(); }));
}

/// The elements of the stored tensor under each element of an operand.
std::pair<TensorId, const IndexMap*> reading(const LoweredProblem& p, TensorId operand)
{
    for (const TensorView& v : p.data.views)
        if (v.tensor == operand)
            return {v.bases.front(), v.map ? &*v.map : nullptr};
    return {operand, nullptr};
}

LoweredProblem lowered(const model::Model& m, const Machine& machine)
{
    auto out = lowerToProblem(m, machine);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    if (auto problem = Problem::build(out->data); !problem)
        qFatal("%s", problem.error().text().c_str());
    return *out;
}

LoweredProblem lowered(model::ModelBuilder b, const Machine& machine = *machinePreset("edge"))
{
    auto m = std::move(b).build();
    if (!m)
        qFatal("%s", m.error().text().c_str());
    return lowered(*m, machine);
}

} // namespace

class TestLowerMaps : public QObject
{
    Q_OBJECT
private slots:
    void rule_R1_8_everyDrawnMapIsFound();
    void rule_R1_8_mapsReadWhatTheArrangementReads();
    void rule_R18_convolutionsReadTheirWindows();
    void rule_R18_tapsReadTheirPixels();
    void rule_R18_convolutionOfAConcatenation();
    void rule_R18_attentionAndBroadcasts();
    void rule_R18_everyConvolutionReadsItsInputOnce();
    void rule_R18_networksAreValid();
};

void TestLowerMaps::rule_R1_8_everyDrawnMapIsFound()
{
    std::map<std::string_view, int> found;
    for (unsigned seed = 0; seed < test::drawnCases(4000U); ++seed) {
        Draw draw(seed);
        Arrangement a;
        std::optional<ImageShape> image;
        std::int64_t rows = 0, cols = 0;
        std::string_view kind;
        if (const auto which = draw(0, 2); which == 0) {
            kind = "slice";
            rows = draw(1, 9), cols = draw(1, 9);
            const auto axis = [&](std::int64_t extent, std::int64_t unit) {
                const std::int64_t first = draw(0, extent - 1), stride = draw(1, 3);
                a.offset += first * unit;
                return Axis{draw(1, (extent - 1 - first) / stride + 1), stride * unit};
            };
            a.rows = {axis(rows, cols)};
            a.cols = {axis(cols, 1)};
            if (draw.chance(50))
                std::swap(a.rows, a.cols);
        } else if (which == 1) {
            kind = "repeat";
            rows = draw(1, 5), cols = draw(1, 5);
            a.rows = {{draw(1, 3), 0}, {rows, cols}, {draw(1, 3), 0}};
            a.cols = {{draw(1, 3), 0}, {cols, 1}, {draw(1, 3), 0}};
        } else {
            kind = "windows";
            const std::int64_t n = draw(1, 2), h = draw(1, 6), w = draw(1, 6);
            image = ImageShape{n, h, w, {draw(0, 2), draw(0, 2), draw(0, 2), draw(0, 2)}};
            const std::int64_t height = h + image->zeros[0] + image->zeros[2],
                               width = w + image->zeros[1] + image->zeros[3];
            rows = n * h * w, cols = draw(1, 4);
            const std::int64_t first = draw(0, cols - 1), count = draw(1, cols - first);
            const auto axes = [&](std::int64_t extent) {
                const std::int64_t at = draw(0, extent - 1), left = extent - 1 - at;
                const std::int64_t dilation = draw(1, 2), window = draw(1, left / dilation + 1);
                const std::int64_t stride = draw(1, 2), rest = left - dilation * (window - 1);
                return std::tuple{at, window, dilation, draw(1, rest / stride + 1), stride};
            };
            const auto [y, kh, dh, oh, sh] = axes(height);
            const auto [x, kw, dw, ow, sw] = axes(width);
            const std::int64_t line = width * cols;
            a.offset = y * line + x * cols + first;
            a.rows = {{n, height * line}, {oh, sh * line}, {ow, sw * cols}};
            a.cols = {{kh, dh * line}, {kw, dw * cols}, {count, 1}};
            if (kh * kw == 1 && draw.chance(50))
                a.cols = {{count, 1}};
        }
        const auto map = mapOf(a, rows, cols, image);
        QVERIFY2(map, std::to_string(seed).c_str());
        ++found[kind];
        const auto at = [&](std::int64_t index) -> Element {
            if (!image)
                return std::pair{index / cols, index % cols};
            const std::int64_t height = image->h + image->zeros[0] + image->zeros[2],
                               width = image->w + image->zeros[1] + image->zeros[3];
            const std::int64_t pixel = index / cols, i = pixel / (height * width);
            const std::int64_t y = pixel / width % height - image->zeros[0],
                               x = pixel % width - image->zeros[1];
            if (y < 0 || y >= image->h || x < 0 || x >= image->w)
                return std::nullopt;
            return std::pair{(i * image->h + y) * image->w + x, index % cols};
        };
        const std::string fault = differs(*map, a, {rows, cols}, at);
        QVERIFY2(fault.empty(), (std::to_string(seed) + ": " + fault).c_str());
    }
    QVERIFY(found["slice"] > test::drawnAtLeast(1000) && found["repeat"] > test::drawnAtLeast(1000) &&
            found["windows"] > test::drawnAtLeast(1000));
}

void TestLowerMaps::rule_R1_8_mapsReadWhatTheArrangementReads()
{
    int maps = 0, none = 0;
    for (unsigned seed = 0; seed < test::drawnCases(20'000U); ++seed) {
        Draw draw(seed);
        const std::int64_t n = draw(1, 2), h = draw(1, 4), w = draw(1, 4), cols = draw(1, 4),
                           rows = n * h * w;
        const std::array<std::int64_t, 8> strides{0, 1, 2, cols, 2 * cols, w * cols, h * w * cols, cols - 1};
        Arrangement a;
        std::int64_t last = 0;
        const auto add = [&](std::vector<Axis>& list) {
            for (auto more = draw(0, 3); more > 0; --more) {
                const Axis axis{draw(1, 3), strides[static_cast<std::size_t>(draw(0, 7))]};
                if (last + (axis.size - 1) * axis.stride >= rows * cols)
                    continue;
                last += (axis.size - 1) * axis.stride;
                list.push_back(axis);
            }
        };
        add(a.rows);
        add(a.cols);
        a.offset = draw.chance(50) ? 0 : draw(0, rows * cols - 1 - last);
        std::optional<ImageShape> image;
        if (draw.chance(70))
            image = ImageShape{n, h, w, {}};
        const auto map = mapOf(a, rows, cols, image);
        ++(map ? maps : none);
        const auto at = [&](std::int64_t index) -> Element { return std::pair{index / cols, index % cols}; };
        const std::string fault = map ? differs(*map, a, {rows, cols}, at) : std::string();
        QVERIFY2(fault.empty(), (std::to_string(seed) + ": " + fault).c_str());
    }
    QVERIFY(maps > test::drawnAtLeast(2000) && none > test::drawnAtLeast(2000));
}

/// Every product of a convolution reads the channels of its group under each tap of each window, as the
/// definition of a convolution says; parts of a concatenation together read each channel once.
void TestLowerMaps::rule_R18_convolutionsReadTheirWindows()
{
    int products = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        Draw draw(seed);
        const std::int64_t n = draw(1, 2), h = draw(3, 7), w = draw(3, 7), groups = draw(1, 3);
        model::ModelBuilder b("drawn");
        std::vector<ModelTensorId> inputs;
        // for each channel of the convolution, name and column of the input
        std::vector<std::pair<std::string, std::int64_t>> channel;
        const std::int64_t parts = draw(1, 3);
        for (std::int64_t i = 0; i < parts; ++i) {
            const std::int64_t c = groups * draw(2, 3);
            const std::string name = "x" + std::to_string(i);
            ModelTensorId x = b.input(name, {n, c, h, w});
            std::int64_t first = 0, count = c;
            if (draw.chance(30)) { // some of its channels
                first = draw(0, 1) * groups;
                count = c - groups;
                model::SliceAttributes s;
                s.axes = {1}, s.starts = {first}, s.ends = {first + count};
                x = b.add(K::Slice, name + ".some", {x}, s);
            }
            inputs.push_back(x);
            for (std::int64_t k = 0; k < count; ++k)
                channel.emplace_back(name, first + k);
        }
        model::AxisAttributes axis;
        axis.axis = 1;
        ModelTensorId x = parts > 1 ? b.add(K::Concat, "joined", inputs, axis) : inputs[0];
        const std::int64_t c = std::ssize(channel);
        model::WindowAttributes a;
        const std::int64_t kh = draw(1, 3), kw = draw(1, 3);
        a.groups = groups;
        a.stride = {draw(1, 3), draw(1, 2)};
        a.dilation = {draw(1, 2), draw(1, 2)};
        a.padding = {draw(0, 2), draw(0, 2), draw(0, 2), draw(0, 2)};
        if ((kh - 1) * a.dilation[0] >= h || (kw - 1) * a.dilation[1] >= w)
            continue;
        const std::int64_t perGroup = c / groups;
        if (groups > 1 && perGroup == 1)
            continue; // vector work
        b.add(K::Conv2d, "c", {x, b.constant("w", {2 * groups, perGroup, kh, kw})}, a);
        const LoweredProblem p = lowered(std::move(b));
        QVERIFY2(plainViews(p) == 0, std::to_string(seed).c_str());
        const auto outOf = [&](std::size_t d, std::int64_t extent, std::int64_t k) {
            return model::windowOutput(extent, k, a.stride[d], a.padding[d] + a.padding[d + 2],
                                       a.dilation[d]);
        };
        const std::int64_t oh = outOf(0, h, kh), ow = outOf(1, w, kw);
        std::vector<std::pair<std::string, std::int64_t>> read; // channels in the order of the products
        bool known = true;                                      // false if a view has nothing but zeros
        for (const Op& op : p.data.ops) {
            if (op.type != OpType::MatMul)
                continue;
            ++products;
            const auto [base, map] = reading(p, op.inputs[0]);
            const Tensor& view = p.data.tensors[op.inputs[0]];
            const std::int64_t count = view.width / (kh * kw);
            QCOMPARE(view.height, n * oh * ow);
            QCOMPARE(p.data.tensors[op.inputs[1]].height, view.width);
            std::set<std::int64_t> firstColumns;
            for (std::int64_t r = 0; r < view.height; ++r)
                for (std::int64_t k = 0; k < view.width; ++k) {
                    const Element element = map ? mappedElement(*map, r, k) : std::pair{r, k};
                    const std::int64_t i = r / (oh * ow), tap = k / count;
                    const std::int64_t y =
                        r / ow % oh * a.stride[0] - a.padding[0] + tap / kw * a.dilation[0];
                    const std::int64_t z = r % ow * a.stride[1] - a.padding[1] + tap % kw * a.dilation[1];
                    const bool inside = y >= 0 && y < h && z >= 0 && z < w;
                    QVERIFY2(element.has_value() == inside, std::to_string(seed).c_str());
                    if (!inside)
                        continue;
                    QCOMPARE(element->first, (i * h + y) * w + z);
                    firstColumns.insert(element->second - k % count);
                }
            known = known && firstColumns.size() == 1;
            QVERIFY(firstColumns.size() <= 1);
            for (std::int64_t k = 0; known && k < count; ++k)
                read.emplace_back(p.data.tensors[base].name, *firstColumns.begin() + k);
        }
        QVERIFY2(!known || read == channel, std::to_string(seed).c_str());
    }
    QVERIFY(products > 2000);
}

void TestLowerMaps::rule_R18_tapsReadTheirPixels()
{
    for (unsigned seed = 0; seed < 500; ++seed) {
        Draw draw(seed);
        const std::int64_t n = draw(1, 2), h = draw(3, 6), w = draw(3, 6), c = draw(2, 5);
        const bool pool = draw.chance(50);
        model::WindowAttributes a;
        a.kernel = {draw(1, 3), draw(1, 3)};
        a.stride = {draw(1, 2), draw(1, 2)};
        a.padding = {draw(0, 1), draw(0, 1), draw(0, 1), draw(0, 1)};
        a.groups = pool ? 1 : c;
        model::ModelBuilder b("taps");
        const ModelTensorId x = b.input("x", {n, c, h, w});
        if (pool)
            b.add(K::MaxPool, "y", {x}, a);
        else
            b.add(K::Conv2d, "y", {x, b.constant("w", {c, 1, a.kernel[0], a.kernel[1]})}, a);
        const LoweredProblem p = lowered(std::move(b));
        QCOMPARE(plainViews(p), std::size_t{0});
        const Op& op = p.data.ops[OpId(0)];
        QCOMPARE(std::ssize(op.inputs), a.kernel[0] * a.kernel[1]);
        const std::int64_t ow =
            model::windowOutput(w, a.kernel[1], a.stride[1], a.padding[1] + a.padding[3], 1);
        const std::int64_t oh =
            model::windowOutput(h, a.kernel[0], a.stride[0], a.padding[0] + a.padding[2], 1);
        const Tensor& out = p.data.tensors[op.output];
        QCOMPARE(out.height, n * oh * ow);
        for (std::int64_t r = 0; r < out.height; ++r) {
            std::multiset<std::int64_t> expected, read;
            const std::int64_t i = r / (oh * ow), y = r / ow % oh * a.stride[0] - a.padding[0],
                               z = r % ow * a.stride[1] - a.padding[1];
            for (std::int64_t s = 0; s < a.kernel[0]; ++s)
                for (std::int64_t t = 0; t < a.kernel[1]; ++t)
                    if (y + s >= 0 && y + s < h && z + t >= 0 && z + t < w)
                        expected.insert((i * h + y + s) * w + z + t);
            for (const TensorId operand : op.inputs)
                for (std::int64_t k = 0; k < c; ++k) {
                    const IndexMap* map = reading(p, operand).second;
                    const Element element = map ? mappedElement(*map, r, k) : std::pair{r, k};
                    if (!element)
                        continue;
                    QCOMPARE(element->second, k);
                    if (k == 0)
                        read.insert(element->first);
                }
            QVERIFY2(read == expected, std::to_string(seed).c_str());
        }
    }
}

void TestLowerMaps::rule_R18_convolutionOfAConcatenation()
{
    model::ModelBuilder b("joined");
    const ModelTensorId x = b.input("x", {1, 8, 6, 6}), y = b.input("y", {1, 4, 6, 6});
    const ModelTensorId a = b.elementwise("relu", "a", {x}), c = b.elementwise("relu", "c", {y});
    model::AxisAttributes axis;
    axis.axis = 1;
    const ModelTensorId joined = b.add(K::Concat, "joined", {a, c}, axis);
    model::WindowAttributes w;
    w.padding = {1, 1, 1, 1};
    b.add(K::Conv2d, "conv", {joined, b.constant("w", {16, 12, 3, 3})}, w);
    b.add(K::Conv2d, "point", {joined, b.constant("v", {16, 12, 1, 1})}, model::WindowAttributes{});
    auto m = std::move(b).build();
    const LoweredProblem p = lowered(*m, *machinePreset("edge"));
    std::vector<std::string> names;
    for (const Op& op : p.data.ops)
        names.push_back(op.name);
    QCOMPARE(names, (std::vector<std::string>{"a", "c", "conv/product[0]", "conv/product[1]", "conv/sum",
                                              "point/product[0]", "point/product[1]", "point/sum"}));
    QCOMPARE(matMulMacs(p), model::macsOf(*m));
    QCOMPARE(plainViews(p), std::size_t{0});
    QCOMPARE(p.data.views.size(), std::size_t{2});
    QCOMPARE(p.data.ops[OpId(5)].inputs[0], p.data.ops[OpId(0)].output); // 1 x 1: the part itself
    QCOMPARE(p.data.tensors[p.data.ops[OpId(4)].output].name, std::string("conv"));
    // Other readers keep the plain view.
    model::ModelBuilder other("other");
    const ModelTensorId left = other.input("x", {1, 8, 6, 6}), right = other.input("y", {1, 4, 6, 6});
    const ModelTensorId both = other.add(K::Concat, "joined", {left, right}, axis);
    other.elementwise("relu", "relu", {both});
    other.add(K::Conv2d, "conv", {both, other.constant("w", {16, 12, 3, 3})}, w);
    const LoweredProblem q = lowered(std::move(other));
    QCOMPARE(plainViews(q), std::size_t{1});
    QCOMPARE(q.data.ops.size(), std::size_t{4});
}

void TestLowerMaps::rule_R18_attentionAndBroadcasts()
{
    model::ModelBuilder b("attention");
    const ModelTensorId x = b.input("x", {32, 64});
    b.add(K::Attention, "attention", {b.linear("q", x, 64), b.linear("k", x, 32), b.linear("v", x, 32)},
          model::AttentionAttributes{4, 2, false});
    const LoweredProblem p = lowered(std::move(b));
    for (const Op& op : p.data.ops) {
        if (op.name != "attention/scores[3]")
            continue;
        const auto [q, queries] = reading(p, op.inputs[0]);
        const auto [k, keys] = reading(p, op.inputs[1]);
        QVERIFY(queries && std::get<SliceMap>(*queries) == (SliceMap{{0, 1, 32}, {48, 1, 16}, false}));
        QVERIFY(keys && std::get<SliceMap>(*keys) == (SliceMap{{0, 1, 32}, {16, 1, 16}, true}));
        QCOMPARE(p.data.tensors[q].name, std::string("q"));
        QCOMPARE(p.data.tensors[k].name, std::string("k"));
    }
    QCOMPARE(plainViews(p), std::size_t{0}); // nothing reads the heads side by side
    model::ModelBuilder e("excitation");
    const ModelTensorId image = e.input("image", {2, 8, 3, 5});
    const ModelTensorId scale = e.elementwise("sigmoid", "scale", {e.input("s", {2, 8, 1, 1})});
    e.elementwise("mul", "scaled", {image, scale});
    e.add(K::Conv2d, "c", {image, e.constant("w", {4, 8, 1, 1})}, model::WindowAttributes{});
    const LoweredProblem r = lowered(std::move(e));
    QCOMPARE(r.data.views.size(), std::size_t{1});
    QVERIFY(r.data.views[0].map && std::get<RepeatMap>(*r.data.views[0].map) == (RepeatMap{{2, 15}, {8, 1}}));
}

/// A convolution by itself, in one tile: what it loads is its input and its weights, each element once.
void TestLowerMaps::rule_R18_everyConvolutionReadsItsInputOnce()
{
    for (const auto& [kind, expected] :
         {std::pair{model::NetworkKind::ResNet18, 20}, std::pair{model::NetworkKind::MobileNetV2, 1}}) {
        model::NetworkOptions o;
        o.kind = kind;
        const LoweredProblem p = lowered(*model::generateNetwork(o), *machinePreset("edge"));
        const ProblemPtr problem = *Problem::build(p.data);
        int convolutions = 0;
        double patches = 0, read = 0;
        for (std::size_t i = 0; i < problem->opCount(); ++i) {
            const OpId op(i);
            const TensorId lhs = problem->operands(op)[0];
            const IndexMap* map = problem->map(lhs);
            if (problem->op(op).type != OpType::MatMul || !map || !std::holds_alternative<WindowsMap>(*map))
                continue;
            ++convolutions;
            const Tensor& out = problem->tensor(problem->op(op).output);
            Subgraph s;
            s.ops = {op};
            s.granularity = {out.width, out.height, problem->reductionSize(op)};
            const SubgraphEvaluation e = evaluateSubgraph(*problem, s, {}, Rules::machine());
            QVERIFY(e.structurallyValid);
            const auto& windows = std::get<WindowsMap>(*map);
            const Tensor& base = problem->tensor(problem->stored(lhs));
            const double weights = static_cast<double>(problem->tensor(problem->operands(op)[1]).elements());
            QCOMPARE(e.loadElements, static_cast<double>(problem->volume(lhs)) + weights);
            if (windows.window[0] >= windows.stride[0]) // every pixel is under some window
                QCOMPARE(problem->volume(lhs), base.elements());
            patches += static_cast<double>(windows.window[0] > 1 ? problem->tensor(lhs).elements() : 0);
            read += static_cast<double>(windows.window[0] > 1 ? problem->volume(lhs) : 0);
        }
        QCOMPARE(convolutions, expected);
        if (kind == model::NetworkKind::ResNet18) { // 29.2 MB of patches, 3.7 MB of inputs
            QCOMPARE(2 * patches, 29'202'432.0);
            QCOMPARE(2 * read, 3'662'848.0);
        }
    }
}

void TestLowerMaps::rule_R18_networksAreValid()
{
    for (const model::NetworkKindInfo& info : model::networkKinds()) {
        model::NetworkOptions o;
        o.kind = info.kind;
        if (info.kind >= model::NetworkKind::Bert)
            o.layers = 1;
        const LoweredProblem p = lowered(*model::generateNetwork(o), *machinePreset("edge"));
        const ProblemPtr problem = *Problem::build(p.data);
        const Evaluation e = evaluate(*problem, oneOpPerSubgraph(*problem), Rules::machine());
        QVERIFY2(e.valid(), (std::string(info.name) + (e.valid() ? "" : ": " + e.verdict()->text)).c_str());
        QVERIFY(e.energy > 0);
    }
}

TILEWRIGHT_TEST(TestLowerMaps)

} // namespace test_lower_maps
#include "test_lower_maps.moc"
