// SPDX-License-Identifier: GPL-3.0-or-later
// The schemas of docs/schema against the samples and fixtures of their kinds.
#include "base/file.h"
#include "mapping/files.h"
#include "mapping/setup.h"
#include "report/file_kind.h"
#include "systolic/settings.h"

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace tilewright;

namespace {

const QString kRoot = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/");

std::string schemaOf(FileKind kind)
{
    switch (kind) {
    case FileKind::Problem:
        return "problem";
    case FileKind::Schedule:
        return "schedule";
    case FileKind::Model:
        return "model";
    case FileKind::Machine:
        return "machine";
    case FileKind::NpuModel:
        return "npu-model";
    case FileKind::MappingLayer:
        return "mapping-layer";
    case FileKind::MappingModel:
        return "mapping-model";
    case FileKind::MappingMethod:
        return "mapping-method";
    case FileKind::MappingArchitecture:
        return "mapping-architecture";
    case FileKind::MappingSetup:
        return "mapping-setup";
    case FileKind::SystolicHierarchy:
        return "systolic-hierarchy";
    case FileKind::SystolicSettings:
        return "systolic-settings";
    default:
        return {};
    }
}

} // namespace

class TestSchemas : public QObject
{
    Q_OBJECT

private slots:
    void everyFileSatisfiesItsSchemaAndDamagedOnesDoNot();
    void fieldsOfTheSchemaAreThoseOfTheReader();
};

void TestSchemas::fieldsOfTheSchemaAreThoseOfTheReader()
{
    const auto schema = [](const char* name) {
        const auto text = readFile((kRoot + "docs/schema/" + name + ".schema.json").toStdString());
        return text ? nlohmann::json::parse(*text) : nlohmann::json();
    };
    // A wrong value of a known field is told as such; of an unknown one the reader knows nothing.
    const auto isKnown = [](const nlohmann::json& document, auto read) {
        const auto found = read(document.dump(), std::string("file"));
        return found || found.error().text().find("unknown field") == std::string::npos;
    };
    const nlohmann::json own = schema("mapping-architecture")["oneOf"][0]["properties"];
    QVERIFY(own.size() > 10 && own["energy_pj"]["properties"].size() > 10);
    for (const auto& [field, rules] : own.items())
        QVERIFY2(isKnown({{field, "wrong"}}, mapping::readArchitecture), field.c_str());
    for (const char* inner : {"energy_pj", "options"})
        for (const auto& [field, rules] : own.at(inner).at("properties").items())
            QVERIFY2(isKnown({{inner, {{field, "wrong"}}}}, mapping::readArchitecture), field.c_str());
    QVERIFY(!isKnown({{"nonsense", 1}}, mapping::readArchitecture));
    const nlohmann::json kinds = schema("mapping-layer")["oneOf"];
    for (const nlohmann::json& kind : kinds)
        for (const auto& [field, rules] : kind["properties"].items()) {
            nlohmann::json layer{{"kind", kind["properties"]["kind"]["enum"][0]}};
            if (field != "kind")
                layer[field] = "wrong";
            QVERIFY2(isKnown(layer, mapping::readLayers), field.c_str());
        }
}

void TestSchemas::everyFileSatisfiesItsSchemaAndDamagedOnesDoNot()
{
    const QTemporaryDir dir;
    nlohmann::json files = nlohmann::json::object();
    for (QDirIterator it(kRoot + "docs/schema", {"*.schema.json"}, QDir::Files); it.hasNext();)
        files[QFileInfo(it.next()).fileName().section('.', 0, 0).toStdString()] = nlohmann::json::array();
    const auto add = [&](const QString& path) {
        const auto text = readFile(path.toStdString());
        const auto kind = text ? fileKindOf(*text, path.toStdString()) : Result<FileKind>(text.error());
        if (!kind || text->find('{') == std::string::npos)
            return;
        const std::string schema = schemaOf(*kind);
        QVERIFY2(files.contains(schema), qPrintable(path)); // every kind has one
        files[schema].push_back(path.toStdString());
    };
    for (const char* folder : {"samples", "resources/machines", "tests/data/valid", "tests/data/hierarchies"})
        for (QDirIterator it(kRoot + folder, {"*.json"}, QDir::Files, QDirIterator::Subdirectories);
             it.hasNext();)
            add(it.next());
    // What the program itself writes, where there is no sample of it.
    const auto layers = readFile((kRoot + "samples/mapping/layers/gemm-1000.json").toStdString());
    QVERIFY(layers);
    mapping::Setup setup;
    setup.layer.kind = mapping::LayerKind::Gemm;
    setup.layer.m = setup.layer.n = setup.layer.k = 12;
    setup.architecture.options.imperfect = true;
    setup.architecture.energyPj.spmWrite = 3;
    setup.method = mapping::trivialMethod(*mapping::makeNest(setup.layer));
    const std::string whole = mapping::writeSetup(setup);
    for (const auto& [name, text] : {std::pair{"a.mapping.json", whole},
                                     {"method.json", nlohmann::json::parse(whole)["method"].dump()},
                                     {"settings.json", systolic::settingsJson({})}}) {
        const QString path = dir.filePath(name);
        QVERIFY(writeFileAtomically(path.toStdString(), text));
        add(path);
    }
    const QString list = dir.filePath("files.json");
    QVERIFY(writeFileAtomically(list.toStdString(), files.dump()));
    QProcess python;
    python.setProcessChannelMode(QProcess::MergedChannels);
    python.start("python3", {kRoot + "tests/check_schemas.py", kRoot, list});
    if (!python.waitForStarted())
        QSKIP("python3 is not installed");
    QVERIFY(python.waitForFinished(120'000));
    if (python.exitCode() == 77)
        QSKIP("python3-jsonschema is not installed");
    QVERIFY2(python.exitCode() == 0, python.readAll().constData());
}

QTEST_APPLESS_MAIN(TestSchemas)
#include "test_schemas.moc"
