// SPDX-License-Identifier: GPL-3.0-or-later
// Two models side by side: counterparts by name and by what stands around them, and what each of them costs.
#include "model/compare_models.h"
#include "model/model.h"
#include "model/networks.h"
#include "test_main.h"

#include <QTest>

namespace test_compare_models {

using namespace tilewright;
using namespace tilewright::model;

namespace {

Model built(ModelBuilder b)
{
    auto m = std::move(b).build();
    if (!m)
        qFatal("%s", m.error().text().c_str());
    return std::move(*m);
}

/// Three products in a chain with an activation behind each; `prefix` stands before every name.
ModelBuilder chain(const std::string& prefix, std::int64_t inner)
{
    ModelBuilder b("chain");
    ModelTensorId x = b.input(prefix + "x", {8, 16});
    for (const auto& [name, width] :
         {std::pair{"a", inner}, std::pair{"b", std::int64_t{16}}, std::pair{"c", std::int64_t{4}}}) {
        x = b.linear(prefix + name, x, width);
        x = b.elementwise("relu", prefix + name + ".relu", {x});
    }
    return b;
}

const OperatorPair& pairNamed(const ModelComparison& c, const Model& before, const Model& after,
                              const std::string& name)
{
    for (const OperatorPair& p : c.operators)
        if ((p.after && after.operators[*p.after].name == name) ||
            (p.before && before.operators[*p.before].name == name))
            return p;
    qFatal("no operator %s", name.c_str());
}

} // namespace

class TestCompareModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aModelIsItself()
    {
        NetworkOptions options;
        options.kind = NetworkKind::MobileNetV2;
        const Model m = *generateNetwork(options);
        const ModelComparison c = compareModels(m, m);
        QCOMPARE(c.same, m.operators.size());
        QCOMPARE(c.changed + c.added + c.gone, std::size_t{0});
        QCOMPARE(c.macs[0], 300'774'272);
        QCOMPARE(c.macs, (std::array<std::int64_t, 2>{300'774'272, 300'774'272}));
    }

    /// A wider layer in between: it and the product that reads it are changed, the last ones are not.
    void changedSizes()
    {
        const Model before = built(chain("", 32)), after = built(chain("", 64));
        const ModelComparison c = compareModels(before, after);
        QCOMPARE(c.changed, std::size_t{3}); // a, its activation, b
        QCOMPARE(c.same, std::size_t{3});
        QCOMPARE(pairNamed(c, before, after, "a").macs,
                 (std::array<std::int64_t, 2>{8 * 16 * 32, 8 * 16 * 64}));
        QCOMPARE(c.macs[1] - c.macs[0], 2 * 8 * 16 * 32);
        // Operands and result of two bytes an element: x, weights, result.
        QCOMPARE(pairNamed(c, before, after, "a").bytes[0], 2 * (8 * 16 + 16 * 32 + 8 * 32));
    }

    /// Another exporter's names: the same operators by what stands around them.
    void otherNames()
    {
        const Model before = built(chain("", 32)), after = built(chain("/model/", 32));
        const ModelComparison c = compareModels(before, after);
        QCOMPARE(c.same, before.operators.size());
        for (const OperatorPair& p : c.operators) {
            QVERIFY(!p.byName);
            QCOMPARE("/model/" + before.operators[*p.before].name, after.operators[*p.after].name);
        }
    }

    /// Names of which one survived, and a layer of another size: its neighbours tell who it was.
    void renamedAndChanged()
    {
        const Model before = built(chain("", 32));
        Model after = built(chain("/model/", 64));
        after.operators[OperatorId(1)].name = "a.relu";
        const ModelComparison c = compareModels(before, after);
        QCOMPARE(c.added + c.gone, std::size_t{0});
        QCOMPARE(before.operators[*pairNamed(c, before, after, "/model/b").before].name, std::string("b"));
        QVERIFY(pairNamed(c, before, after, "/model/b").change == OperatorChange::Changed);
    }

    void newAndGone()
    {
        ModelBuilder longer = chain("", 32);
        const Model before = built(longer);
        ModelBuilder other("chain");
        ModelTensorId x = other.input("x", {8, 16});
        x = other.elementwise("relu", "a.relu", {other.linear("a", x, 32)});
        x = other.add(OperatorKind::Softmax, "rows", {x});
        x = other.elementwise("relu", "b.relu", {other.linear("b", x, 16)});
        const Model after = built(std::move(other));
        const ModelComparison c = compareModels(before, after);
        QCOMPARE(c.added, std::size_t{1});
        QCOMPARE(c.gone, std::size_t{2});
        QVERIFY(pairNamed(c, before, after, "rows").change == OperatorChange::New);
        QVERIFY(pairNamed(c, before, after, "c").change == OperatorChange::Gone);
        QCOMPARE(pairNamed(c, before, after, "c").macs, (std::array<std::int64_t, 2>{8 * 16 * 4, 0}));
        QCOMPARE(c.macs[0] - c.macs[1], 8 * 16 * 4);
        // Every operator of both stands in it once.
        std::size_t first = 0, second = 0;
        for (const OperatorPair& p : c.operators) {
            first += p.before.has_value();
            second += p.after.has_value();
        }
        QCOMPARE(first, before.operators.size());
        QCOMPARE(second, after.operators.size());
    }
};

TILEWRIGHT_TEST(TestCompareModels)

} // namespace test_compare_models
#include "test_compare_models.moc"
