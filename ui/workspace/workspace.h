// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/gemm.h"
#include "workspace/document.h"
#include "workspace/selection.h"

#include <QUndoGroup>

#include <functional>

#include <memory>
#include <vector>

namespace tilewright::ui {

class ComparedModel;
class LensLinks;
class MappingDocument;
class NpuDocument;
class SystolicDocument;

/// What is open: one document a lens, the selection that links their views, and the one place that knows
/// which file belongs to which lens.
class Workspace : public QObject
{
    Q_OBJECT
public:
    Workspace();
    ~Workspace() override;

    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] Document& schedule() { return m_schedule; }
    // Made, with something to look at, when first asked for: they have work in the background.
    [[nodiscard]] SystolicDocument& systolic();
    [[nodiscard]] NpuDocument& npu();
    [[nodiscard]] MappingDocument& mapping();
    [[nodiscard]] LensDocument& document(Lens lens);
    [[nodiscard]] bool has(Lens lens) const; ///< its document exists by now
    [[nodiscard]] bool isModified(Lens lens) const;
    /// Asks the person when that document is modified.
    [[nodiscard]] bool mayReplace(Lens lens);
    /// What keeps the other lenses at the open workload.
    [[nodiscard]] LensLinks& links() { return *m_links; }
    /// The model that the open one is compared with, if any.
    [[nodiscard]] ComparedModel& compared() { return *m_compared; }
    /// Those that exist by now.
    [[nodiscard]] std::vector<LensDocument*> documents() const;
    [[nodiscard]] std::vector<LensDocument*> modified() const;

    /// The document that Undo, Redo and Save act on: the one edited last, or whose view was gone to since.
    [[nodiscard]] LensDocument& current() { return document(m_current); }
    void setCurrent(Lens lens);
    [[nodiscard]] QUndoGroup& undoGroup() { return m_undoGroup; }

    /// Opens a file in the lens that it belongs to. False: the person keeps what is open there.
    [[nodiscard]] Result<bool> open(const LensFile& file);
    [[nodiscard]] Result<bool> open(const QString& path);
    /// Asked before a modified document is replaced by what a file holds; without one nobody is asked.
    void setGuard(std::function<bool(LensDocument&)> mayReplace) { m_mayReplace = std::move(mayReplace); }

    /// Shows C[M,N] = A[M,K] x B[K,N] in the Systolic lens; `origin` says where it comes from.
    void openGemm(const systolic::Gemm& gemm, const QString& origin);
    /// Lets the lens follow the workload, and shows it.
    void goTo(Lens lens);
    /// Shows the lens as it stands.
    void show(Lens lens);

Q_SIGNALS:
    void gemmOpened(); ///< by another lens: it is to be seen
    void lensWanted(tilewright::ui::Lens lens);
    void refused(const QString& why);
    void edited();         ///< some document: another state, or saved
    void currentChanged(); ///< current()

private:
    template <typename D> D& made(std::unique_ptr<D>& document);
    [[nodiscard]] const LensDocument* existing(Lens lens) const;
    void follow(LensDocument& document);

    Selection m_selection;
    Schedule m_selectedIn; ///< the schedule whose places the selection names
    Document m_schedule;
    std::unique_ptr<SystolicDocument> m_systolic;
    std::unique_ptr<NpuDocument> m_npu;
    std::unique_ptr<MappingDocument> m_mapping;
    std::unique_ptr<LensLinks> m_links;
    std::unique_ptr<ComparedModel> m_compared;
    Lens m_current = Lens::Schedule;
    QUndoGroup m_undoGroup;
    std::function<bool(LensDocument&)> m_mayReplace;
};

/// In the order in which files that are given together are opened, whatever the order they are given in: what
/// a file belongs to comes before it.
void sortForOpening(std::vector<LensFile>& files);
/// Of several models the last is opened and compared with the first; the files lose all but the last.
[[nodiscard]] QString takeCompared(std::vector<LensFile>& files);

} // namespace tilewright::ui
