// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/model_file.h"

#include "base/file.h"
#include "model/file_kind.h"

#include <QFileInfo>
#include <QSettings>

namespace tilewright::ui {

namespace {

QString dimensionsKey(const QString& path)
{
    return QStringLiteral("dimensions/") + QString::fromLatin1(path.toUtf8().toHex());
}

} // namespace

onnx::Dimensions rememberedDimensions(const QString& path)
{
    onnx::Dimensions out;
    const QVariantMap map = QSettings().value(dimensionsKey(path)).toMap();
    for (auto it = map.begin(); it != map.end(); ++it)
        out[it.key().toStdString()] = it.value().toLongLong();
    return out;
}

void rememberDimensions(const QString& path, const onnx::Dimensions& dimensions)
{
    QVariantMap map;
    for (const auto& [name, value] : dimensions)
        map.insert(QString::fromStdString(name), static_cast<qlonglong>(value));
    QSettings().setValue(dimensionsKey(path), map);
}

Result<ModelFile> readModelFile(std::string_view text, const QString& path, const onnx::Dimensions& first)
{
    ModelFile out;
    const std::string file = path.toStdString();
    if (onnx::isOnnx(text)) {
        auto found = onnx::freeDimensions(text, file);
        if (!found)
            return found.error();
        out.free = std::move(*found);
        const onnx::Dimensions before = rememberedDimensions(path);
        for (const onnx::FreeDimension& d : out.free) {
            out.dimensions[d.name] = d.example;
            for (const onnx::Dimensions* known : {&before, &first})
                if (const auto it = known->find(d.name); it != known->end())
                    out.dimensions[d.name] = it->second;
        }
    }
    const bool isLanguage = isLanguageModel(text);
    if (isLanguage)
        out.dimensions = !first.empty() && llm::optionsOf(first) ? first : rememberedDimensions(path);
    auto workload = lower::readWorkload(text, file, out.dimensions);
    // Remembered options may not suit the file any more, because it may have changed.
    if (!workload && isLanguage && !out.dimensions.empty()) {
        out.forgotten = workload.error();
        out.dimensions.clear();
        workload = lower::readWorkload(text, file);
    }
    if (!workload)
        return workload.error();
    out.workload = std::make_shared<const lower::Workload>(std::move(*workload));
    return out;
}

ComparedModel::ComparedModel(Document& document)
    : m_document(document),
      m_job([this](Result<lower::ModelsOnMachinePtr> models) { take(std::move(models)); }, true)
{
    document.whenChanged(this, Part::Problem | Part::Machine, &ComparedModel::follow);
}

ComparedModel::~ComparedModel() = default;

Status ComparedModel::open(const QString& path)
{
    if (!m_document.lensModel())
        return Error{
            ErrorCode::Refused, "open a model first; then open the model to compare it with", {}, {}};
    const auto content = onnx::readFile(path.toStdString());
    if (!content)
        return content.error();
    auto file = readModelFile(content->view(), path, m_document.dimensions());
    if (!file)
        return file.error();
    if (file->workload->noModel)
        return *file->workload->noModel;
    m_path = path;
    m_name = QFileInfo(path).fileName();
    m_openPath = m_document.problemPath();
    m_dimensions = m_document.dimensions();
    m_workload = std::move(file->workload);
    request();
    return Unit{};
}

void ComparedModel::leave()
{
    if (!isOpen())
        return;
    m_job.cancel();
    m_workload = nullptr;
    m_models = nullptr;
    m_changes.clear();
    Q_EMIT changed();
}

void ComparedModel::follow()
{
    if (!isOpen())
        return;
    if (!m_document.lensModel() || m_document.problemPath() != m_openPath) {
        leave();
        return;
    }
    if (m_dimensions != m_document.dimensions()) {
        // Free dimensions that both models have get the same sizes in both.
        if (const Status read = open(m_path); !read) {
            leave();
            Q_EMIT refused(QString::fromStdString(read.error().text()));
        }
        return;
    }
    request();
}

void ComparedModel::request()
{
    m_models = nullptr;
    m_changes.clear();
    m_job.request([workload = m_workload,
                   after = m_document.lensModel()](std::stop_token) -> Result<lower::ModelsOnMachinePtr> {
        auto other = lower::putOnMachine(workload, after->machine);
        if (!other)
            return other.error();
        return std::make_shared<const lower::ModelsOnMachine>(
            lower::compareOnMachine(std::move(*other), after));
    });
    Q_EMIT changed();
}

void ComparedModel::take(Result<lower::ModelsOnMachinePtr> models)
{
    if (!models) {
        Error error = models.error();
        error.file = m_path.toStdString();
        leave();
        Q_EMIT refused(QString::fromStdString(error.text()));
        return;
    }
    m_models = std::move(*models);
    m_changes = changesOf(*m_models, 1);
    Q_EMIT changed();
}

std::vector<model::OperatorChange> changesOf(const lower::ModelsOnMachine& models, std::size_t side)
{
    const lower::ModelOnMachine& model = *models.models[side];
    std::vector<model::OperatorChange> ofOperator(model.model().operators.size());
    for (const model::OperatorPair& p : models.comparison.operators)
        if (const auto& o = side == 0 ? p.before : p.after)
            ofOperator[o->index()] = p.change;
    std::vector<model::OperatorChange> out;
    for (const OperatorId source : model.lowered.source)
        out.push_back(ofOperator[source.index()]);
    return out;
}

} // namespace tilewright::ui
