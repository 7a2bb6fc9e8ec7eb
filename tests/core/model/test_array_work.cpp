// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays without skew, several arrays of a core, rates by widths, and launches, by hand
// (docs/rules/workload.md 2.1).
#include "lower/array_work.h"
#include "lower/launch.h"
#include "model/topology.h"
#include "npu/graph.h"
#include "test_main.h"
#include "verbs/workload.h"

#include <QTest>

namespace test_array_work {

using namespace tilewright;
using namespace tilewright::lower;

namespace {

FixedArray dots(std::int64_t rows, std::int64_t cols, std::int64_t rowGranule, std::int64_t colGranule)
{
    FixedArray out;
    out.rows = rows;
    out.cols = cols;
    out.rowGranule = rowGranule;
    out.colGranule = colGranule;
    return out;
}

ArrayWork convolution(std::int64_t outputs, std::int64_t channels, std::int64_t size, std::int64_t kernel,
                      std::int64_t stride = 1, std::int64_t images = 1)
{
    ArrayWork out;
    out.trips = {images, outputs, channels, size, size, kernel, kernel};
    out.strides = stride * stride;
    return out;
}

Machine changed(Machine machine, const std::vector<std::pair<const char*, const char*>>& fields)
{
    for (const auto& [path, value] : fields) {
        auto next = withMachineField(machine, path, value);
        if (!next)
            qFatal("%s", next.error().text().c_str());
        machine = std::move(*next);
    }
    return machine;
}

ModelOnMachinePtr onMachine(const char* topology, const Machine& machine)
{
    auto workload = std::make_shared<Workload>();
    auto model = model::readTopology(topology, "t.csv");
    if (!model)
        qFatal("%s", model.error().text().c_str());
    workload->model = std::move(*model);
    auto on = putOnMachine(workload, machine);
    if (!on)
        qFatal("%s", on.error().text().c_str());
    return *on;
}

constexpr const char* kProduct = "Layer,M,N,K\np,20,24,10\n";

} // namespace

class TestArrayWork : public QObject
{
    Q_OBJECT
private slots:
    void dotProductsByHand_2_1();
    void granulesPadChannelsOfAStride_2_1();
    void depthwiseUsesOneLaneOfInputs_2_1();
    void fixedLoopsByHand_2_1();
    void systolicLensTakesTheArraysOfTheMachine_2_1();
    void npuLensTakesTheArraysOfTheMachine_2_1();
    void oneProductSaysThatItHasOneArray_2_1();
    void launchesAreTimeOfTheOperators_R19();
};

void TestArrayWork::dotProductsByHand_2_1()
{
    FixedArray array = dots(64, 32, 64, 32);
    QCOMPARE(arrayCycles(array, productWork(10, 33, 65)), std::int64_t{10 * 2 * 2});
    QCOMPARE(arrayCycles(array, productWork(1, 1, 1)), std::int64_t{1});
    array.arrays = 2; // the two blocks of outputs run side by side
    QCOMPARE(arrayCycles(array, productWork(10, 33, 65)), std::int64_t{10 * 2});
    QCOMPARE(arrayCycles(array, productWork(10, 65, 65)), std::int64_t{10 * 2 * 2});
}

void TestArrayWork::granulesPadChannelsOfAStride_2_1()
{
    const FixedArray array = dots(64, 32, 16, 16);
    QCOMPARE(arrayCycles(array, convolution(176, 192, 28, 1)), std::int64_t{192 * 784 * 176 / 2048});
    QCOMPARE(arrayCycles(array, convolution(176, 48, 28, 1)),
             std::int64_t{48 * 784 * 176 / 2048}); // 3 of 4 granules
    QCOMPARE(arrayCycles(dots(64, 32, 64, 32), convolution(176, 48, 28, 1)), std::int64_t{784 * 6});
    // 3 channels at stride 2 are 12 of a position, padded to 16: 16 / 4 channels at each of the 49 positions.
    QCOMPARE(arrayCycles(array, convolution(64, 3, 112, 7, 2)),
             std::int64_t{16 * 112 * 112 * 64 * 49 / 4 / 2048});
    // 3 channels at stride 1 are padded to 16 at each position.
    QCOMPARE(arrayCycles(array, convolution(64, 3, 32, 3)), std::int64_t{16 * 32 * 32 * 64 * 9 / 2048});
    // A fraction of a cycle is a cycle: 49,617.5625.
    QCOMPARE(arrayCycles(array, convolution(96, 3, 54, 11, 4)), std::int64_t{49618});
}

void TestArrayWork::depthwiseUsesOneLaneOfInputs_2_1()
{
    ArrayWork work = convolution(1, 1, 4, 3);
    work.groups = 32;
    QCOMPARE(arrayCycles(dots(64, 16, 64, 16), work), std::int64_t{16 * 9 * 2});
    work.of(ArrayLoop::C) = 4; // groups of several channels run one after another
    QCOMPARE(arrayCycles(dots(4, 16, 4, 16), work), std::int64_t{16 * 9 * 32});
}

void TestArrayWork::fixedLoopsByHand_2_1()
{
    FixedArray array;
    array.kind = FixedArray::Kind::Loops;
    array.rows = 12;
    array.cols = 14;
    array.rowLoops = {ArrayLoop::Fx, ArrayLoop::M, ArrayLoop::C};
    array.colLoops = {ArrayLoop::Ox, ArrayLoop::M, ArrayLoop::C};
    // 11 rows of the kernel fill the rows; 55 rows of the result need 4 passes of 14.
    QCOMPARE(arrayCycles(array, convolution(96, 3, 55, 11, 4, 4)), std::int64_t{4 * 96 * 3 * 4 * 55 * 11});
    // 3 rows of the kernel and 4 outputs; all 13 rows of the result.
    QCOMPARE(arrayCycles(array, convolution(384, 256, 13, 3, 1, 4)), std::int64_t{4 * 96 * 256 * 13 * 3});
    array.rows = 8;
    array.cols = 8;
    array.rowLoops = {ArrayLoop::Ox};
    array.colLoops = {ArrayLoop::M};
    QCOMPARE(arrayCycles(array, productWork(20, 24, 10)), std::int64_t{3 * 3 * 10});
    array.arrays = 3; // each has a third of the outputs
    QCOMPARE(arrayCycles(array, productWork(20, 24, 10)), std::int64_t{3 * 1 * 10});
}

void TestArrayWork::systolicLensTakesTheArraysOfTheMachine_2_1()
{
    const Machine edge = *machinePreset("edge");
    const systolic::TimingOptions os;
    const auto cyclesOn = [&](const Machine& machine) {
        const auto layers = gemmsOnMachine(*onMachine(kProduct, machine));
        return timingOf(layers.front(), {machine.rows, machine.cols}, os).cycles;
    };
    const Machine small = changed(edge, {{"array.rows", "8"}, {"array.cols", "8"}});
    QCOMPARE(cyclesOn(small), systolic::arrayTiming({20, 24, 10}, {8, 8}, os).cycles);
    QCOMPARE(cyclesOn(changed(small, {{"array.kind", "dot_product"}})), std::int64_t{20 * 3 * 2});
    QCOMPARE(cyclesOn(changed(small, {{"array.kind", "dot_product"}, {"array.rates", "16:2"}})),
             std::int64_t{20 * 3 * 2 / 2});
    // Three arrays have three of the nine folds each: the last fold of an array drains as before.
    const std::int64_t fold = 10;
    QCOMPARE(cyclesOn(small) - cyclesOn(changed(small, {{"arrays", "3"}})), 6 * fold);
    const auto layers = gemmsOnMachine(*onMachine(kProduct, changed(small, {{"arrays", "3"}})));
    const auto timing = timingOf(layers.front(), {8, 8}, os);
    QCOMPARE(timing.utilization, 20.0 * 24 * 10 / (64 * 3 * static_cast<double>(timing.cycles)));
    // A convolution is padded position by position, not as the product to which it is unfolded.
    const char* const conv =
        "Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides\n"
        "c,10,10,3,3,5,8,1\n";
    const auto model = onMachine(conv, changed(small, {{"array.kind", "dot_product"}}));
    QCOMPARE(*gemmsOnMachine(*model).front().use.fixedCycles, std::int64_t{64 * 9});
}

void TestArrayWork::npuLensTakesTheArraysOfTheMachine_2_1()
{
    npu::NpuHardware hw;
    hw.engineRows = 8;
    hw.engineCols = 4;
    QCOMPARE(npu::tensorCycles(hw, productWork(20, 9, 10), 2, false), npu::Cycle{3 * 3 * 10 / 2});
    hw.arrays = 2; // nine folds on two arrays
    QCOMPARE(npu::tensorCycles(hw, productWork(20, 9, 10), 1, false), npu::Cycle{5 * 10});
    hw.fixed = dots(4, 4, 4, 4);
    QCOMPARE(npu::tensorCycles(hw, productWork(20, 9, 10), 1, true), npu::Cycle{20 * 3 * 3}); // no drain
    const Machine machine =
        changed(*machinePreset("edge"), {{"array.kind", "dot_product"}, {"array.rates", "16:2"}});
    QVERIFY(npuHardwareOf(machine).fixed.has_value());
    QVERIFY(!npuHardwareOf(*machinePreset("edge")).fixed.has_value());
    const auto model = npuOf(*onMachine(kProduct, machine));
    QVERIFY(model && model->model.ops.front().rate == 2);
}

void TestArrayWork::oneProductSaysThatItHasOneArray_2_1()
{
    const Machine edge = *machinePreset("edge");
    QCOMPARE(verbs::oneArrayText(edge), std::string());
    QCOMPARE(verbs::oneArrayText(changed(edge, {{"array.kind", "dot_product"}, {"arrays", "4"}})),
             std::string("one product is counted on one systolic array of 64 x 64, without the array.kind "
                         "(dot_product), arrays (4) of the machine"));
}

void TestArrayWork::launchesAreTimeOfTheOperators_R19()
{
    const Machine machine = changed(*machinePreset("edge"), {{"launch_us.product", "21"}});
    QCOMPARE(launchOf(*onMachine(kProduct, machine)).value, 0.021);
    QCOMPARE(launchOf(*onMachine("Layer,M,N,K,Count\np,20,24,10,3\n", machine)).value, 0.063);
    QCOMPARE(launchOf(*onMachine(kProduct, *machinePreset("edge"))).value, 0.0);
}

TILEWRIGHT_TEST(TestArrayWork)

} // namespace test_array_work
#include "test_array_work.moc"
