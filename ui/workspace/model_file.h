// SPDX-License-Identifier: GPL-3.0-or-later
// Models read from files: sizes of their free dimensions, and the comparison of a model with the open one.
#pragma once

#include "lower/on_machine.h"
#include "lower/workload.h"
#include "onnx/import.h"
#include "workspace/document.h"
#include "workspace/lens_document.h"

#include <QString>

#include <memory>
#include <vector>

namespace tilewright::ui {

/// Returns the sizes that the user has chosen last for the free dimensions of this model file.
[[nodiscard]] onnx::Dimensions rememberedDimensions(const QString& path);
void rememberDimensions(const QString& path, const onnx::Dimensions& dimensions);

/// A model read from a file, with its free dimensions and their sizes.
struct ModelFile
{
    std::shared_ptr<const lower::Workload> workload;
    std::vector<onnx::FreeDimension> free;
    onnx::Dimensions dimensions;
    /// Reason why the user's last options do not apply to the file any more; empty if they do.
    std::optional<Error> forgotten;
};
/// Reads a model. The size of a free dimension is that in `first`, otherwise the user's last choice for this
/// file, otherwise the default. The same holds for the options of a language model; they are discarded if the
/// file has changed so that they are not allowed any more.
[[nodiscard]] Result<ModelFile> readModelFile(std::string_view text, const QString& path,
                                              const onnx::Dimensions& first = {});

/// Comparison of the open model (B) with a model in another file (A) on the same machine. It ends when
/// another file is opened in the window.
class ComparedModel : public QObject
{
    Q_OBJECT
public:
    explicit ComparedModel(Document& document);
    ~ComparedModel() override;

    /// Reads model A from a file of any format. On an Error the previous comparison is kept.
    [[nodiscard]] Status open(const QString& path);
    void leave();
    [[nodiscard]] bool isOpen() const { return m_workload != nullptr; }
    [[nodiscard]] const QString& name() const { return m_name; } ///< file name of model A
    /// Both models, A as "before" and B as "after"; null while they are being computed.
    [[nodiscard]] const lower::ModelsOnMachinePtr& models() const { return m_models; }
    /// For each op of the open problem, the change of its operator compared with A; empty without a
    /// comparison.
    [[nodiscard]] const std::vector<model::OperatorChange>& changes() const { return m_changes; }
    void settle() { m_job.waitIdle(); }

Q_SIGNALS:
    void changed();
    /// Emitted if model A cannot be put on the machine; the comparison has ended.
    void refused(const QString& why);

private:
    void follow(); ///< reacts to another open model or machine
    void request();
    void take(Result<lower::ModelsOnMachinePtr> models);

    Document& m_document;
    QString m_path, m_name;
    QString m_openPath;            ///< file of the open model with which A is compared
    onnx::Dimensions m_dimensions; ///< dimensions of the open model with which m_workload was read
    std::shared_ptr<const lower::Workload> m_workload;
    lower::ModelsOnMachinePtr m_models;
    std::vector<model::OperatorChange> m_changes;
    LatestJob<Result<lower::ModelsOnMachinePtr>> m_job;
};

/// Returns the change of each op of model A (side 0) or B (side 1) of a comparison.
[[nodiscard]] std::vector<model::OperatorChange> changesOf(const lower::ModelsOnMachine& models,
                                                           std::size_t side);

} // namespace tilewright::ui
