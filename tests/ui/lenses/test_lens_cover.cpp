// SPDX-License-Identifier: GPL-3.0-or-later
// A lens that stands open when another problem comes never shows something that has nothing to do with it.
#include "lens_window.h"
#include "test_main.h"
#include "window/lens_cover.h"
#include "workspace/lens_links.h"
#include "workspace/mapping_document.h"
#include "workspace/systolic_document.h"

#include <QPushButton>

namespace test_lens_cover {

using namespace tilewright;
using namespace tilewright::ui;

class TestLensCover : public QObject, LensWindow
{
    Q_OBJECT

    /// Two ops that multiply nothing.
    QString onlyPointwise()
    {
        const QString path = m_settings.filePath("pointwise.json");
        QFile file(path);
        if (file.open(QIODevice::WriteOnly))
            file.write(
                R"({"widths":[128,128,128],"heights":[128,128,128],"inputs":[[0],[1]],"outputs":[[1],[2]],
                           "base_costs":[1000,500],"op_types":["Pointwise","Pointwise"],
                           "fast_memory_capacity":35000,"slow_memory_bandwidth":10,
                           "native_granularity":[128,128]})");
        return path;
    }
    [[nodiscard]] QString cover(const char* view)
    {
        return m_window->view(QLatin1String(view))->findChild<LensCover*>()->text();
    }

private Q_SLOTS:
    void init() { makeWindow(); }

    void aProblemWithoutProductsCoversTheSample()
    {
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->applyPerspective(QStringLiteral("Hardware")); // as the last session left it
        QVERIFY(openIn(*m_window, {onlyPointwise()}));
        m_window->showView(QStringLiteral("systolic"));
        QVERIFY2(cover("systolic").startsWith(QStringLiteral("This workload has no MatMul")),
                 qPrintable(cover("systolic")));
        m_window->showView(QStringLiteral("mapping"));
        QVERIFY(!cover("mapping").isEmpty());
        // What the lens held before is a click away, and that is then a person's choice.
        auto* other =
            m_window->view(QStringLiteral("systolic"))->findChild<LensCover*>()->findChild<QPushButton*>();
        m_window->showView(QStringLiteral("systolic"));
        QTest::mouseClick(other, Qt::LeftButton);
        QVERIFY(cover("systolic").isEmpty());
        QVERIFY(!workspace().links().isFollowing(Lens::Systolic));
    }
    void theProblemBeforeIsNotShownForTheNextOne()
    {
        open("bert-block.onnx");
        m_window->showView(QStringLiteral("systolic"));
        m_window->showView(QStringLiteral("mapping"));
        QVERIFY(cover("systolic").isEmpty());
        QVERIFY(cover("mapping").isEmpty());
        QVERIFY(openIn(*m_window, {onlyPointwise()}));
        m_window->showView(QStringLiteral("systolic"));
        QVERIFY(!cover("systolic").isEmpty());
        m_window->showView(QStringLiteral("mapping"));
        QVERIFY(!cover("mapping").isEmpty());
        open("bert-block.onnx");
        m_window->showView(QStringLiteral("mapping"));
        QVERIFY(cover("systolic").isEmpty());
        QVERIFY(cover("mapping").isEmpty());
    }
    void aSelectionWithoutProductStartsWithTheSlowestProduct()
    {
        open("bert-block.onnx");
        // A subgraph that multiplies nothing is selected before the lens is ever seen.
        std::size_t pointwise = 0;
        while (document().problem()->op(document().schedule()[SubgraphId(pointwise)].ops.front()).type ==
               OpType::MatMul)
            ++pointwise;
        selection().selectSubgraph(SubgraphId(pointwise));
        const auto slowest = workspace().links().slowestProduct();
        QVERIFY(slowest);
        m_window->showView(QStringLiteral("mapping"));
        const auto layer = lower::layerOf(*document().lensModel(), slowest->op);
        QVERIFY(layer);
        QCOMPARE(workspace().mapping().setup().layer.name, layer->name);
        QVERIFY(cover("mapping").isEmpty());
        QVERIFY(workspace()
                    .links()
                    .why(Lens::Mapping)
                    .contains(QStringLiteral("still shows the previous layer")));
    }
};

TILEWRIGHT_TEST(TestLensCover)

} // namespace test_lens_cover
#include "test_lens_cover.moc"
