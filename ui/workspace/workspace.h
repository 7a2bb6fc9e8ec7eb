// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/gemm.h"
#include "workspace/document.h"
#include "workspace/op_colours.h"
#include "workspace/selection.h"

#include <QUndoGroup>

#include <functional>

#include <memory>
#include <vector>

namespace tilewright::ui {

class ComparedModel;
class LensLinks;
class LiveRun;
class MappingDocument;
class NpuDocument;
class SystolicDocument;

/// All open documents, one per lens, and the selection that links their views. Opens each file in the lens to
/// which it belongs.
class Workspace : public QObject
{
    Q_OBJECT
public:
    Workspace();
    ~Workspace() override;

    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] Document& schedule() { return m_schedule; }
    // The document of the lens. It is created with sample content at the first call, because it starts
    // background work.
    [[nodiscard]] SystolicDocument& systolic();
    [[nodiscard]] NpuDocument& npu();
    [[nodiscard]] MappingDocument& mapping();
    [[nodiscard]] LensDocument& document(Lens lens);
    [[nodiscard]] bool has(Lens lens) const; ///< true if the document of the lens has been created
    [[nodiscard]] bool isModified(Lens lens) const;
    /// Asks the user if the document is modified. True if it may be replaced.
    [[nodiscard]] bool mayReplace(Lens lens);
    /// Makes the other lenses follow the open workload.
    [[nodiscard]] LensLinks& links() { return *m_links; }
    /// Comparison of the open model with another one.
    [[nodiscard]] ComparedModel& compared() { return *m_compared; }
    /// Values of the ops, for example results of a query, that the graph shows as colours.
    [[nodiscard]] OpColours& opColours() { return m_opColours; }
    /// Run of the open schedule.
    [[nodiscard]] LiveRun& run() { return *m_run; }
    /// All documents that have been created.
    [[nodiscard]] std::vector<LensDocument*> documents() const;
    [[nodiscard]] std::vector<LensDocument*> modified() const;

    /// The document on which Undo, Redo and Save act: the one that was edited last, or whose view got the
    /// focus last.
    [[nodiscard]] LensDocument& current() { return document(m_current); }
    void setCurrent(Lens lens);
    [[nodiscard]] QUndoGroup& undoGroup() { return m_undoGroup; }

    /// Opens a file in the lens to which it belongs. False if the user does not want to replace the open
    /// document.
    [[nodiscard]] Result<bool> open(const LensFile& file);
    [[nodiscard]] Result<bool> open(const QString& path);
    /// Sets the function that asks the user before a modified document is replaced. Without it, nobody is
    /// asked.
    void setGuard(std::function<bool(LensDocument&)> mayReplace) { m_mayReplace = std::move(mayReplace); }

    /// Shows C[M,N] = A[M,K] x B[K,N] in the Systolic lens. `origin`: description of its source.
    void openGemm(const systolic::Gemm& gemm, const QString& origin);
    /// Makes the lens follow the workload, and shows the lens.
    void goTo(Lens lens);
    /// Shows the lens with its current content.
    void show(Lens lens);
    /// Shows the run of the open schedule on this number of cores, at most those of the machine.
    void showRun(std::int64_t cores);

Q_SIGNALS:
    /// Emitted when another lens has opened a GEMM in the Systolic lens, which should be shown.
    void gemmOpened();
    void lensWanted(tilewright::ui::Lens lens);
    /// Emitted when a table of measured operators was opened, which is not a document.
    void measurementsOpened(const QString& path);
    void runWanted(); ///< emitted when the run of the open schedule should be shown
    void refused(const QString& why);
    void edited();         ///< emitted when a document was changed or saved
    void currentChanged(); ///< emitted when current() has changed

private:
    template <typename D> D& made(std::unique_ptr<D>& document);
    [[nodiscard]] const LensDocument* existing(Lens lens) const;
    void follow(LensDocument& document);

    Selection m_selection;
    Schedule m_selectedIn; ///< the schedule to which the subgraph ids of the selection refer
    Document m_schedule;
    std::unique_ptr<SystolicDocument> m_systolic;
    std::unique_ptr<NpuDocument> m_npu;
    std::unique_ptr<MappingDocument> m_mapping;
    std::unique_ptr<LensLinks> m_links;
    std::unique_ptr<ComparedModel> m_compared;
    OpColours m_opColours;
    Lens m_current = Lens::Schedule;
    QUndoGroup m_undoGroup;
    std::function<bool(LensDocument&)> m_mayReplace;
    std::unique_ptr<LiveRun> m_run; ///< the last member, because it depends on m_schedule
};

/// Sorts files that are opened together: problems and models before schedules and machines.
void sortForOpening(std::vector<LensFile>& files);
/// If there are several models, removes all but the last one, and returns the path of the first one, which is
/// to be compared with it.
[[nodiscard]] QString takeCompared(std::vector<LensFile>& files);

} // namespace tilewright::ui
