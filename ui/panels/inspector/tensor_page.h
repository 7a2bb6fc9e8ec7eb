// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "explain/tensor_uses.h"
#include "workspace/latest_job.h"

#include <QWidget>

#include <memory>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace tilewright::ui {

/// Page about the selected tensor: shape and width in bits, producer and readers, its role and traffic in
/// each subgraph, and its retention.
class TensorPage : public QWidget
{
    Q_OBJECT
public:
    explicit TensorPage(const ViewContext& context, QWidget* parent = nullptr);
    ~TensorPage() override;

    /// Shows the selected tensor in the current snapshot, which must exist.
    void refresh();
    void cancel() { m_job->cancel(); }
    void settle() { m_job->waitIdle(); }

    [[nodiscard]] QLabel* title() const { return m_title; }
    [[nodiscard]] QLabel* uses() const { return m_uses; }
    [[nodiscard]] QCheckBox* retain() const { return m_retain; }

Q_SIGNALS:
    void linkActivated(const QString& link); ///< "op:3", "subgraph:2"

private:
    struct Facts
    {
        std::uint64_t revision = 0;
        TensorId tensor;
        std::vector<TensorUse> uses;
    };
    void showUses(const Facts& facts);
    void refreshRetain(const Snapshot& snapshot, TensorId tensor);

    ViewContext m_context;
    QLabel* m_title = nullptr;
    QLabel* m_ends = nullptr; ///< text with producer and readers
    QLabel* m_uses = nullptr;
    QCheckBox* m_retain = nullptr;
    QLabel* m_retainNote = nullptr;
    Facts m_shown;
    std::unique_ptr<LatestJob<Facts>> m_job;
};

} // namespace tilewright::ui
