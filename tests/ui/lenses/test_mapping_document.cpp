// SPDX-License-Identifier: GPL-3.0-or-later
// The document of the mapping lens: steps, and the search that ends in between.
#include "test_main.h"
#include "workspace/mapping_document.h"

#include <QtTest>

namespace test_mapping_document {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

QString sample(const char* path)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/mapping/") + QLatin1String(path);
}

} // namespace

class TestMappingDocument : public QObject
{
    Q_OBJECT

    static std::string text(const MappingDocument& document) { return *document.fileText(); }

    /// A layer is open, its search not yet at its end.
    static void openLayerOfFile(MappingDocument& document)
    {
        const auto file = readLensFile(sample("layers/gemm-1000.json"));
        QVERIFY(file);
        QVERIFY(document.open(*file));
        QVERIFY(document.isSearchingFirst());
    }
    static void changePes(MappingDocument& document, std::int64_t pes)
    {
        mapping::Architecture machine = document.setup().architecture;
        machine.pes = pes;
        QVERIFY(document.applyArchitecture(machine));
    }

private Q_SLOTS:
    void aLayerStartsFromItsBestMethodWithoutAStep()
    {
        MappingDocument document;
        openLayerOfFile(document);
        document.settle();
        QCOMPARE(document.undoStack().count(), 0);
        QCOMPARE(document.setup().method, document.search().result()->of(mapping::Objective::Edp)->method);
    }

    void redoLeadsBackAfterASearchThatEndedBetweenTwoSteps()
    {
        MappingDocument document;
        openLayerOfFile(document);
        const std::string opened = text(document);
        changePes(document, 64);
        document.settle(); // the best method comes after the step
        QCOMPARE(document.setup().method, document.search().result()->of(mapping::Objective::Edp)->method);
        const std::string now = text(document);
        const int index = document.undoStack().index();
        document.undoStack().setIndex(0);
        QCOMPARE(text(document), opened);
        document.undoStack().setIndex(index);
        QCOMPARE(text(document), now);
    }

    void undoneLayersGetNoMethodOfTheSearch()
    {
        MappingDocument document;
        document.settle();
        const std::string before = text(document);
        const auto layers =
            mapping::readLayers(R"({"name": "g", "kind": "gemm", "m": 64, "n": 64, "k": 64})", "g.json");
        QVERIFY(layers);
        document.openLayers(*layers);
        QVERIFY(document.isSearchingFirst());
        document.undoStack().undo();
        document.settle();
        QCOMPARE(text(document), before);
        QVERIFY(document.undoStack().canRedo()); // nothing came in between
    }
};

TILEWRIGHT_TEST(TestMappingDocument)

} // namespace test_mapping_document
#include "test_mapping_document.moc"
