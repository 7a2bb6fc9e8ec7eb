// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/workspace.h"

#include "overlay/named_values.h"
#include "workspace/overlays.h"

#include "hierarchy/files.h"
#include "workspace/lens_links.h"
#include "workspace/live_run.h"
#include "workspace/mapping_document.h"
#include "workspace/model_file.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"

#include <algorithm>
#include <utility>

namespace tilewright::ui {

Workspace::Workspace()
{
    follow(m_schedule);
    m_selection.setFilter([this](SelectionState& s) {
        const ProblemPtr& problem = m_schedule.problem();
        if (!problem)
            return;
        const auto isGone = [this](SubgraphId i) { return i.index() >= m_schedule.schedule().size(); };
        std::erase_if(s.subgraphs, isGone);
        if (s.subgraph && isGone(*s.subgraph)) {
            s.subgraph.reset();
            s.step = 0;
        }
        std::erase_if(s.ops, [&](OpId i) { return i.index() >= problem->opCount(); });
        if (s.tensor && s.tensor->index() >= problem->tensorCount())
            s.tensor.reset();
    });
    // Connected before all views, so that the selection is updated before the views draw.
    m_schedule.whenChanged(this, Part::Problem | Part::Steps, [this](Parts parts) {
        // Ids of subgraphs are positions in the schedule, so the selection is converted to the new positions.
        const Schedule before = std::exchange(m_selectedIn, m_schedule.schedule());
        if (parts.testFlag(Part::Problem))
            m_selection.clear();
        else
            m_selection.set(followed(before, m_selectedIn, m_selection.state()));
    });
    m_undoGroup.setActiveStack(&m_schedule.undoStack());
    m_links = std::make_unique<LensLinks>(*this);
    m_compared = std::make_unique<ComparedModel>(m_schedule);
    m_run = std::make_unique<LiveRun>(m_schedule);
    connect(m_compared.get(), &ComparedModel::refused, this, &Workspace::refused);
}

Workspace::~Workspace()
{
    // Signals are disconnected, because undo stacks emit some in their destructors.
    for (LensDocument* document : documents())
        disconnect(&document->undoStack(), nullptr, this, nullptr);
}

void Workspace::follow(LensDocument& document)
{
    m_undoGroup.addStack(&document.undoStack());
    connect(&document, &LensDocument::refused, this, &Workspace::refused);
    connect(&document, &LensDocument::fileChanged, this, &Workspace::edited);
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, [this, lens = document.lens()] {
        setCurrent(lens);
        Q_EMIT edited();
    });
}

template <typename D> D& Workspace::made(std::unique_ptr<D>& document)
{
    if (!document) {
        document = std::make_unique<D>();
        follow(*document);
        m_links->attach(*document);
    }
    return *document;
}

SystolicDocument& Workspace::systolic()
{
    return made(m_systolic);
}

NpuDocument& Workspace::npu()
{
    return made(m_npu);
}

MappingDocument& Workspace::mapping()
{
    return made(m_mapping);
}

LensDocument& Workspace::document(Lens lens)
{
    switch (lens) {
    case Lens::Systolic:
        return systolic();
    case Lens::Npu:
        return npu();
    case Lens::Mapping:
        return mapping();
    case Lens::Schedule:
        break;
    }
    return m_schedule;
}

const LensDocument* Workspace::existing(Lens lens) const
{
    switch (lens) {
    case Lens::Systolic:
        return m_systolic.get();
    case Lens::Npu:
        return m_npu.get();
    case Lens::Mapping:
        return m_mapping.get();
    case Lens::Schedule:
        break;
    }
    return &m_schedule;
}

bool Workspace::has(Lens lens) const
{
    return existing(lens) != nullptr;
}

bool Workspace::isModified(Lens lens) const
{
    return has(lens) && existing(lens)->isModified();
}

bool Workspace::mayReplace(Lens lens)
{
    return !isModified(lens) || !m_mayReplace || m_mayReplace(document(lens));
}

std::vector<LensDocument*> Workspace::documents() const
{
    std::vector<LensDocument*> out{const_cast<Document*>(&m_schedule), m_systolic.get(), m_npu.get(),
                                   m_mapping.get()};
    std::erase(out, nullptr);
    return out;
}

std::vector<LensDocument*> Workspace::modified() const
{
    std::vector<LensDocument*> out = documents();
    std::erase_if(out, [](const LensDocument* document) { return !document->isModified(); });
    return out;
}

void Workspace::setCurrent(Lens lens)
{
    // A lens that follows the open workload has no changes of its own to undo or save.
    if (lens != Lens::Schedule && m_schedule.hasProblem() && has(lens) && m_links->isFollowing(lens) &&
        document(lens).undoStack().count() == 0)
        lens = Lens::Schedule;
    if (lens == m_current)
        return;
    m_current = lens;
    m_undoGroup.setActiveStack(&document(lens).undoStack());
    Q_EMIT currentChanged();
}

Result<bool> Workspace::open(const LensFile& file)
{
    if (file.kind == FileKind::Measurements) {
        if (overlay::isNamedValues(file.text())) {
            if (const Status opened = Overlays::of(*this).open(file.path); !opened)
                return opened.error();
            return true;
        }
        Q_EMIT measurementsOpened(file.path);
        return true;
    }
    LensDocument& target = document(file.lens());
    if (file.kind == FileKind::MappingArchitecture && m_schedule.hasProblem() &&
        m_links->isFollowing(Lens::Mapping) && hierarchy::hasLevels(file.text())) {
        // The workload stays open, on the hardware of the file.
        const auto levels = hierarchy::readArchitecture(file.text(), file.name());
        if (!levels)
            return levels.error();
        if (Status shown = mapping().followOn(*levels); !shown)
            return shown.error();
        setCurrent(Lens::Mapping);
        return true;
    }
    if (fileUse(file.kind).replaces && !mayReplace(file.lens()))
        return false;
    if (Status opened = target.open(file); !opened)
        return opened.error();
    m_links->opened(file.lens());
    setCurrent(file.lens());
    return true;
}

Result<bool> Workspace::open(const QString& path)
{
    const auto file = readLensFile(path);
    return file ? open(*file) : Result<bool>(file.error());
}

void Workspace::openGemm(const systolic::Gemm& gemm, const QString& origin)
{
    systolic().setGemm(gemm, origin);
    Q_EMIT gemmOpened();
}

void Workspace::goTo(Lens lens)
{
    (void)document(lens); // creates the document if there is none
    m_links->setFollowing(lens, true);
    show(lens);
}

void Workspace::show(Lens lens)
{
    Q_EMIT lensWanted(lens);
}

void Workspace::showRun(std::int64_t cores)
{
    run().setCores(cores);
    Q_EMIT runWanted();
}

void sortForOpening(std::vector<LensFile>& files)
{
    std::ranges::stable_sort(files, {}, [](const LensFile& file) { return fileUse(file.kind).turn; });
}

QString takeCompared(std::vector<LensFile>& files)
{
    const auto isModel = [](const LensFile& file) { return file.kind == FileKind::Model; };
    auto left = std::ranges::count_if(files, isModel);
    if (left < 2)
        return {};
    QString first = std::ranges::find_if(files, isModel)->path;
    std::erase_if(files, [&](const LensFile& file) { return isModel(file) && --left > 0; });
    return first;
}

} // namespace tilewright::ui
