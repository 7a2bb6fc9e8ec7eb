// SPDX-License-Identifier: GPL-3.0-or-later
// The schemas of docs/schema against the samples and fixtures of their kinds.
#include "base/file.h"
#include "hierarchy/files.h"
#include "hierarchy/setup.h"
#include "mapping/files.h"
#include "model/file_kind.h"
#include "model/machine.h"
#include "schema_check.h"
#include "systolic/settings.h"
#include "test_main.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace test_schemas {

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
    case FileKind::Measurements:
        break; // a table
    }
    return {};
}

/// Every source that reads or writes files, and what these are: schemas of docs/schema, or in parentheses a
/// format that is not JSON.
const std::map<std::string, std::set<std::string>> kFilesOfSources{
    {"app/cli/verbs.cpp", {"(reports of SCALE-Sim, Timeloop YAML)"}},
    {"app/cli/rescue.cpp", {"(what a search has found)"}},
    {"app/cli/verb_systolic.cpp", {"(CSV)", "trace"}},
    {"app/cli/verb_sweep.cpp", {"(shell script)", "sweep", "(CSV)"}},
    {"app/cli/verb_convert.cpp",
     {"model", "problem", "mapping-model", "npu-model", "schedule", "(topology table)"}},
    {"app/cli/verb_evaluate.cpp", {"trace", "(CSV)", "(HTML)"}},
    {"app/cli/verb_generate.cpp", {"problem", "schedule"}},
    {"app/cli/verb_info.cpp", {"(CSV)"}},
    {"app/cli/verb_tables.cpp", {"(SQLite database, docs/handbook/query.md)"}},
    {"app/cli/verb_map.cpp",
     {"mapping-layer", "mapping-model", "mapping-method", "mapping-methods", "mapping-architecture", "(CSV)",
      "(Timeloop YAML)"}},
    {"app/cli/verb_map_hierarchy.cpp", {"mapping-method", "mapping-methods", "(CSV)"}},
    {"app/cli/verb_npu.cpp", {"(CSV)"}},
    {"app/cli/verb_place.cpp", {"problem", "(CSV of buffers)"}},
    {"app/cli/verb_run.cpp", {"trace"}},
    {"app/cli/verb_solve.cpp", {"schedule"}},
    {"app/cli/verb_summary.cpp", {"(CSV)"}},
    {"app/cli/verb_validate.cpp", {"(HTML)"}},
    {"app/cli/verb_fit.cpp", {"machine"}},
    {"app/cli/verb_overlay.cpp", {"(CSV)"}},
    {"app/cli/verb_traces.cpp", {"(CSV)"}},
    {"app/cli/verb_tile.cpp", {"(CSV)", "(C++ table)"}},
    {"app/gui/demo.cpp", {"(PNG)"}},
    {"core/lower/machine_lenses.cpp",
     {"machine", "npu-hardware", "systolic-hierarchy", "mapping-architecture"}},
    {"core/lower/workload.cpp",
     {"model", "problem", "npu-model", "mapping-layer", "mapping-model", "(ONNX)", "(topology table)",
      "(config.json and hf_quant_config.json of Hugging Face)"}},
    {"core/onnx/import.cpp", {"(ONNX)"}},
    {"core/onnx/not_built.cpp", {"(ONNX)"}},
    {"core/npu/model_json.cpp", {"npu-hardware", "npu-model"}},
    {"core/npu/output_json.cpp", {"npu-graph", "trace"}},
    {"core/model/file_kind_json.cpp",
     {"problem", "schedule", "model", "machine", "npu-model", "mapping-layer", "mapping-model",
      "mapping-method", "mapping-architecture", "mapping-setup", "systolic-hierarchy", "systolic-settings"}},
    {"core/schedule/schedule_json.cpp", {"schedule"}},
    {"core/sweep/folder.cpp", {"sweep"}},
    {"core/sweep/sweep.cpp", {"sweep", "schedule"}},
    {"core/systolic/settings_json.cpp", {"systolic-hierarchy"}},
    {"core/workload/problem_json.cpp", {"problem"}},
    {"core/verbs/schedule.cpp", {"schedule", "constraints", "(CSV of buffers)"}},
    {"core/verbs/map.cpp", {"mapping-method"}},
    {"ui/views/mapping/mapping_form.cpp", {"(Timeloop YAML)"}},
    {"core/verbs/map_hierarchy.cpp", {"mapping-method"}},
    {"core/verbs/summary.cpp", {"schedule"}},
    {"core/verbs/validate.cpp", {"(CSV of measurements)"}},
    {"core/verbs/traces.cpp", {"trace", "(JSON trace events of other programs)"}},
    {"core/verbs/overlay.cpp", {"(CSV or JSON of values by name)", "(reports of SCALE-Sim, Timeloop)"}},
    {"core/verbs/call_options.cpp",
     {"model", "mapping-layer", "mapping-model", "mapping-architecture", "problem", "(topology table)"}},
    {"ui/chart/trace_beside.cpp", {"trace"}},
    {"ui/export/export_report.cpp", {"trace", "(CSV)", "(HTML)", "(PDF)"}},
    {"ui/export/steps_export.cpp", {"(CSV)"}},
    {"ui/export/export_view.cpp", {"(PNG, SVG, PDF)"}},
    {"ui/panels/machine/machine_view.cpp", {"machine"}},
    {"ui/panels/summary/summary_commands.cpp", {"(CSV)", "(JSON of the verb summary)"}},
    {"ui/views/mapping/mapping_model_view.cpp", {"(CSV)"}},
    {"ui/views/overlay/overlay_view.cpp", {"machine"}},
    {"ui/workspace/overlays.cpp", {"(CSV or JSON of values by name)", "(reports of SCALE-Sim, Timeloop)"}},
    {"ui/views/npu/npu_files.cpp", {"npu-graph", "trace", "(CSV)"}},
    {"ui/views/sweep/sweep_run.cpp", {"sweep", "problem", "machine", "schedule"}},
    {"ui/views/sweep/sweep_view_points.cpp", {"(CSV)"}},
    {"ui/views/systolic/listing_pane.cpp", {"(listing of a program)"}},
    {"ui/window/file_actions.cpp", {"problem", "schedule", "(Timeloop YAML)"}},
    {"ui/window/session_store.cpp", {"window-session"}},
    {"ui/window/source_dialog.cpp", {"problem", "schedule"}},
    {"ui/workspace/model_file.cpp", {"model", "(ONNX)"}},
    {"ui/workspace/document_files_and_steps.cpp", {"problem", "schedule"}},
    {"ui/workspace/lens_document.cpp", {"npu-model", "mapping-setup", "systolic-settings"}},
    {"ui/workspace/mapping_document.cpp",
     {"mapping-layer", "mapping-model", "mapping-method", "mapping-architecture", "mapping-setup"}},
    {"ui/workspace/npu_document.cpp", {"npu-model", "npu-hardware"}},
    {"ui/workspace/recovery_store.cpp", {"recovery"}},
};

} // namespace

class TestSchemas : public QObject
{
    Q_OBJECT

private slots:
    void everyFileKindHasASchema();
    void everyFileSatisfiesItsSchemaAndDamagedOnesDoNot();
    void fieldsOfTheSchemaAreThoseOfTheReader();
    void theMachineSchemaSaysWhatTheReaderSays();
};

namespace {

nlohmann::json schemaNamed(const char* name)
{
    const auto text = readFile((kRoot + "docs/schema/" + name + ".schema.json").toStdString());
    return text ? nlohmann::json::parse(*text) : nlohmann::json();
}

using Leaves = std::map<std::string, nlohmann::json>; ///< rules by path, "levels.l2.bytes"

/// All values that a schema of nested objects allows; what it requires of them, also by path.
void collectLeaves(const nlohmann::json& root, const nlohmann::json& rules, const std::string& path,
                   Leaves& leaves, std::set<std::string>& required)
{
    if (rules.contains("$ref")) {
        const nlohmann::json::json_pointer target(rules["$ref"].get<std::string>().substr(1));
        return collectLeaves(root, root[target], path, leaves, required);
    }
    if (rules.contains("patternProperties"))
        return; // names that the file chooses: rates and kinds of cores, see test_machine
    if (!rules.contains("properties")) {
        // A value, or an object that names its origin beside it.
        leaves[path] = rules.contains("anyOf") ? rules["anyOf"][0] : rules;
        return;
    }
    QVERIFY2(rules.value("additionalProperties", true) == false, path.c_str());
    const std::string head = path.empty() ? path : path + ".";
    if (rules.contains("required"))
        for (const auto& name : rules["required"])
            required.insert(head + name.get<std::string>());
    for (const auto& [name, inner] : rules["properties"].items())
        collectLeaves(root, inner, head + name, leaves, required);
}

nlohmann::json::json_pointer pointerTo(const std::string& path)
{
    std::string out = "/" + path;
    std::ranges::replace(out, '.', '/');
    return nlohmann::json::json_pointer(out);
}

} // namespace

/// Finding C3 of the users: the schema had no fields for a level, the vector unit and the DRAM.
void TestSchemas::theMachineSchemaSaysWhatTheReaderSays()
{
    const nlohmann::json schema = schemaNamed("machine");
    Leaves leaves;
    std::set<std::string> required;
    collectLeaves(schema, schema, {}, leaves, required);
    // Both know the same fields.
    Machine all = *machinePreset("edge");
    for (const MachineField& field : machineFields(all)) {
        if (!field.editable || field.summary)
            continue;
        QVERIFY2(leaves.contains(field.path), field.path.c_str());
        all = *withMachineField(all, field.path, field.value);
    }
    // Fields that exclude others, each with a value.
    const nlohmann::json plain = nlohmann::json::parse(writeMachine(all));
    std::map<std::string, nlohmann::json> others;
    for (const char* side : {"array.row_granule", "array.col_granule"}) {
        others[side] = plain;
        others[side]["array"].erase("dataflow");
        others[side]["array"]["kind"] = "dot_product";
        others[side][pointerTo(side)] = 4;
    }
    for (const char* loops : {"array.row_loops", "array.col_loops"}) {
        others[loops] = plain;
        others[loops]["array"].erase("dataflow");
        others[loops]["array"].update({{"kind", "spatial"}, {"row_loops", {"Fx"}}, {"col_loops", {"Ox"}}});
    }
    for (const std::string where : {"levels.l1", "levels.l2", "levels.l3", "register_files"})
        for (const char* operand : {"input", "weight", "output"}) {
            const bool files = where == "register_files";
            const nlohmann::json parts{{"input", 4096}, {"weight", 4096}, {"output", 4096}};
            nlohmann::json& changed = others[where + (files ? "." : ".memories.") + operand] = plain;
            if (files)
                changed.erase("register_file_bytes");
            else
                changed[pointerTo(where)].erase("bytes");
            changed[pointerTo(where + (files ? "" : ".memories"))] = parts;
        }
    const nlohmann::json values = plain.flatten();
    QCOMPARE(values.size() + others.size(), leaves.size());
    const auto sentenceOf = [&](const std::string& path, const nlohmann::json& value) {
        nlohmann::json changed = others.contains(path) ? others.at(path) : plain;
        changed[pointerTo(path)] = value;
        const auto read = readMachine(changed.dump(), "m.json");
        return read ? std::string() : read.error().text();
    };
    const auto isRefused = [&](const std::string& path, const nlohmann::json& value) {
        return sentenceOf(path, value).find(" " + path + ": ") != std::string::npos;
    };
    // A value that the range allows may still not fit with others.
    const auto isInRange = [&](const std::string& path, const nlohmann::json& value) {
        return sentenceOf(path, value).find(" " + path + ": expected ") == std::string::npos;
    };
    for (const auto& [path, rules] : leaves) {
        const char* where = path.c_str();
        const nlohmann::json& document = others.contains(path) ? others.at(path) : plain;
        QVERIFY2(document.contains(pointerTo(path)), where);
        QVERIFY2(sentenceOf(path, document[pointerTo(path)]).empty(),
                 sentenceOf(path, document[pointerTo(path)]).c_str());
        QVERIFY2(isRefused(path, nlohmann::json::array()), where);
        if (rules.contains("enum")) { // without a type
            QVERIFY2(isRefused(path, "wrong"), where);
            for (const auto& word : rules["enum"])
                QVERIFY2(isInRange(path, word), where);
            continue;
        }
        if (rules["type"] == "boolean" || rules["type"] == "array" || rules["type"] == "string")
            continue;
        const bool isWhole = rules["type"] == "integer";
        const double most = rules["maximum"];
        QVERIFY2(isInRange(path, rules["maximum"]), where);
        QVERIFY2(isRefused(path, isWhole ? nlohmann::json(rules["maximum"].get<std::int64_t>() + 1)
                                         : nlohmann::json(most * 1.01)),
                 where);
        QVERIFY2(isRefused(path, 1.5) == isWhole, where);
        if (rules.contains("exclusiveMinimum")) {
            QVERIFY2(isRefused(path, rules["exclusiveMinimum"]), where);
            continue;
        }
        const double least = rules["minimum"];
        QVERIFY2(isInRange(path, rules["minimum"]), where);
        QVERIFY2(isRefused(path, isWhole ? nlohmann::json(rules["minimum"].get<std::int64_t>() - 1)
                                         : nlohmann::json(least - 0.001)),
                 where);
    }
    // Both need the same fields.
    for (const auto& [path, value] : values.items()) {
        std::string field = path.substr(1);
        std::ranges::replace(field, '/', '.');
        nlohmann::json without = plain;
        const std::size_t last = path.rfind('/');
        without[nlohmann::json::json_pointer(path.substr(0, last))].erase(path.substr(last + 1));
        // "bytes" of an inner level may be given by "memories" instead, which the schema says by "oneOf".
        const bool isSize = field.starts_with("levels.l") && field.ends_with(".bytes");
        if (field != "scratchpad") // its default is a level that is there
            QVERIFY2(readMachine(without.dump(), "m.json").hasValue() ==
                         !(required.contains(field) || isSize),
                     field.c_str());
    }
    nlohmann::json outer = plain;
    for (const char* level : {"l1", "l2", "l3"})
        outer["levels"].erase(level);
    QVERIFY(!readMachine(outer.dump(), "m.json"));
    QCOMPARE(schema["properties"]["levels"]["anyOf"].size(), std::size_t{3});
}

void TestSchemas::fieldsOfTheSchemaAreThoseOfTheReader()
{
    // A wrong value of a known field is told as such; of an unknown one the reader knows nothing.
    const auto isKnown = [](const nlohmann::json& document, auto read) {
        const auto found = read(document.dump(), std::string("file"));
        return found || found.error().text().find("unknown field") == std::string::npos;
    };
    const nlohmann::json own = schemaNamed("mapping-architecture")["oneOf"][0]["properties"];
    QVERIFY(own.size() > 10 && own["energy_pj"]["properties"].size() > 10);
    for (const auto& [field, rules] : own.items())
        QVERIFY2(isKnown({{field, "wrong"}}, mapping::readArchitecture), field.c_str());
    for (const char* inner : {"energy_pj", "options"})
        for (const auto& [field, rules] : own.at(inner).at("properties").items())
            QVERIFY2(isKnown({{inner, {{field, "wrong"}}}}, mapping::readArchitecture), field.c_str());
    QVERIFY(!isKnown({{"nonsense", 1}}, mapping::readArchitecture));
    const nlohmann::json levels = schemaNamed("mapping-architecture")["oneOf"][2]["properties"];
    const nlohmann::json level = levels.at("levels").at("items").at("properties");
    QVERIFY(levels.size() > 5 && level.size() > 10);
    for (const auto& [field, rules] : levels.items())
        QVERIFY2(isKnown({{field, nlohmann::json::object()}}, hierarchy::readArchitecture), field.c_str());
    const auto valid = readFile((kRoot + "tests/data/levels/by-hand.json").toStdString());
    QVERIFY(valid);
    const auto withLevel = [&](const std::string& field) {
        nlohmann::json out = nlohmann::json::parse(*valid);
        out["levels"][0][field] = nlohmann::json::object();
        return out;
    };
    for (const auto& [field, rules] : level.items())
        QVERIFY2(isKnown(withLevel(field), hierarchy::readArchitecture), field.c_str());
    QVERIFY(!isKnown(withLevel("nonsense"), hierarchy::readArchitecture));
    const nlohmann::json kinds = schemaNamed("mapping-layer")["oneOf"];
    for (const nlohmann::json& kind : kinds)
        for (const auto& [field, rules] : kind["properties"].items()) {
            nlohmann::json layer{{"kind", kind["properties"]["kind"]["enum"][0]}};
            if (field != "kind")
                layer[field] = "wrong";
            QVERIFY2(isKnown(layer, mapping::readLayers), field.c_str());
        }
}

void TestSchemas::everyFileKindHasASchema()
{
    std::set<std::string> sources, kinds, schemas;
    const QRegularExpression file(QStringLiteral(
        R"(\b(readFile|readContent|writeFileAtomically|writeFound)\(|\bOutputFile \w+\(|std::ofstream \w+\()"));
    for (const char* folder : {"app", "core", "ui"})
        for (QDirIterator it(kRoot + folder, {"*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
             it.hasNext();) {
            const QString path = it.next();
            const auto text = readFile(path.toStdString());
            QVERIFY(text);
            const QString name = path.mid(kRoot.size());
            if (name != "core/base/file.cpp" && file.match(QString::fromStdString(*text)).hasMatch())
                sources.insert(name.toStdString());
        }
    for (const std::string& source : sources)
        QVERIFY2(kFilesOfSources.contains(source),
                 (source + " reads or writes files: say which, and give them a schema").c_str());
    for (const auto& [source, files] : kFilesOfSources) {
        QVERIFY2(sources.contains(source), (source + " has nothing to do with files").c_str());
        for (const std::string& kind : files)
            if (!kind.starts_with("("))
                kinds.insert(kind);
    }
    for (QDirIterator it(kRoot + "docs/schema", {"*.schema.json"}, QDir::Files); it.hasNext();)
        schemas.insert(QFileInfo(it.next()).fileName().section('.', 0, 0).toStdString());
    for (const std::string& kind : kinds)
        QVERIFY2(schemas.contains(kind), (kind + " has no schema in docs/schema").c_str());
    for (const std::string& schema : schemas)
        QVERIFY2(kinds.contains(schema), (schema + " is the schema of no file").c_str());
    QVERIFY(!QDir(kRoot + "docs/schemas").exists()); // one place
}

void TestSchemas::everyFileSatisfiesItsSchemaAndDamagedOnesDoNot()
{
    const QTemporaryDir dir;
    nlohmann::json files = nlohmann::json::object();
    for (int kind = 0; kind <= static_cast<int>(FileKind::SystolicSettings); ++kind)
        files[schemaOf(static_cast<FileKind>(kind))] = nlohmann::json::array();
    for (const auto& [kind, folder] : {std::pair{"sweep", "samples/sweep"},
                                       {"npu-hardware", "tests/data/npu_hardware"},
                                       {"constraints", "tests/data/constraints"}})
        for (QDirIterator it(kRoot + folder, {"*.json"}, QDir::Files); it.hasNext();)
            files[kind].push_back(it.next().toStdString());
    const auto add = [&](const QString& path) {
        const auto text = readFile(path.toStdString());
        if (text && isLanguageModel(*text))
            return; // a format of Hugging Face
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
            if (const QString path = it.next(); !path.contains("samples/sweep/"))
                add(path);
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
    const auto levels = readFile((kRoot + "samples/mapping/hierarchies/five-levels.json").toStdString());
    QVERIFY(levels);
    hierarchy::Setup deep{setup.layer, hierarchy::readArchitecture(*levels, "five-levels.json").value(), {}};
    deep.architecture.imperfect = true;
    deep.asked = {{"SRAM.K=2", "cluster.rows.K<=4"}, {"SRAM=K,X"}};
    deep.mapping = hierarchy::trivialMapping(*mapping::makeNest(setup.layer), deep.architecture);
    for (const auto& [name, text] : {std::pair{"a.mapping.json", whole},
                                     {"levels.mapping.json", hierarchy::writeSetup(deep)},
                                     {"method.json", nlohmann::json::parse(whole)["method"].dump()},
                                     {"settings.json", systolic::settingsJson({})}}) {
        const QString path = dir.filePath(name);
        QVERIFY(writeFileAtomically(path.toStdString(), text));
        add(path);
    }
    const test::SchemaCheck check = test::checkSchemas(files);
    if (!check.isMissing.isEmpty())
        QSKIP(check.isMissing.constData());
    QVERIFY2(check.faults.isEmpty(), check.faults.constData());
}

TILEWRIGHT_TEST(TestSchemas)

} // namespace test_schemas
#include "test_schemas.moc"
