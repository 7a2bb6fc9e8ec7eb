// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/compare_on_machine.h"
#include "workspace/document.h"

namespace tilewright::ui {

/// The model that the open one is compared with, kept on the machine of the open one: A, while what is open
/// is B. Opening another file ends the comparison.
class ComparedModel : public QObject
{
    Q_OBJECT
public:
    explicit ComparedModel(Document& document);
    ~ComparedModel() override;

    /// Reads a model of any kind. The Error says why it is none; what was compared before stays then.
    [[nodiscard]] Status open(const QString& path);
    void leave();
    [[nodiscard]] bool isOpen() const { return m_workload != nullptr; }
    [[nodiscard]] const QString& name() const { return m_name; } ///< of its file
    /// A is before, B after; null while it is being found.
    [[nodiscard]] const lower::ModelsOnMachinePtr& models() const { return m_models; }
    /// Per op of the open problem what its operator is against A; empty without a comparison.
    [[nodiscard]] const std::vector<model::OperatorChange>& changes() const { return m_changes; }
    void settle() { m_job.waitIdle(); }

Q_SIGNALS:
    void changed();
    void refused(const QString& why); ///< it cannot stand on the machine, and is left

private:
    void follow(); ///< what is open, or its machine, is another
    void request();
    void take(Result<lower::ModelsOnMachinePtr> models);

    Document& m_document;
    QString m_path, m_name;
    QString m_of;                  ///< the file that it is compared with
    onnx::Dimensions m_dimensions; ///< of what is open, under which m_workload was read
    std::shared_ptr<const lower::Workload> m_workload;
    lower::ModelsOnMachinePtr m_models;
    std::vector<model::OperatorChange> m_changes;
    LatestJob<Result<lower::ModelsOnMachinePtr>> m_job;
};

/// The change of every op of B (side 1) or A (side 0) of a comparison.
[[nodiscard]] std::vector<model::OperatorChange> changesOf(const lower::ModelsOnMachine& models,
                                                           std::size_t side);

} // namespace tilewright::ui
