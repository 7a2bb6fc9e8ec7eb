// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the rows of the Summary pane, for the open model and for the second block.
#include "canvas/number_box.h"
#include "panels/summary/summary_tables.h"
#include "panels/summary/summary_view.h"

#include <QLabel>
#include <QTableView>

namespace tilewright::ui {

using verbs::SummaryKind;
using State = verbs::SummaryRow::State;

SummaryView::~SummaryView()
{
    for (Runs& runs : m_runs) // all jobs are asked to stop here; the pool waits for their end
        runs.jobs = {};
}

verbs::SummarySubject SummaryView::subject(std::size_t block) const
{
    verbs::SummarySubject out;
    if (block == 0) {
        out.model = m_model;
        out.workload.workload = m_model->workload;
        out.workload.machine = m_model->machine;
        out.workload.file = document().problemPath().toStdString();
    } else {
        out = *m_otherSubject;
    }
    // An edited schedule is transferred to the other machine. A start schedule is made anew for that machine,
    // as by the verb `summary`.
    const bool edited = !document().isStartSchedule();
    if (block == 0 ||
        (edited && m_other->machine && lower::sameGraph(*out.model->problem, *m_model->problem))) {
        out.rules = document().rules();
        out.rulesReason = document().rulesReason().toStdString();
        if (edited)
            out.schedule = document().schedule();
    }
    out.solve = m_seconds->value();
    return out;
}

bool SummaryView::isRunning(SummaryKind kind, std::size_t block) const
{
    return m_runs[block].jobs[indexOf(kind)]->isBusy();
}

void SummaryView::reset(std::size_t block)
{
    for (auto& job : m_runs[block].jobs)
        job->cancel();
    m_runs[block].done = {};
    m_lines.clear(); // the lines name rows of the old summaries; the table is empty until showRows()
    if (block < m_summaries.size())
        m_summaries[block] = m_model ? verbs::emptySummary(subject(block)) : verbs::Summary();
    m_explained->clear();
    m_about->clear();
}

void SummaryView::renewOther()
{
    m_otherSubject.reset();
    m_otherError.clear();
    if (m_model && m_other) {
        verbs::SummaryCall call;
        if (m_other->machine)
            call.workload = subject(0).workload;
        else
            call.workload = m_other->workload;
        call.machines = {m_other->machine.value_or(m_model->machine)};
        if (m_other->machine && document().rulesReason().isEmpty()) // use the rules that the user has chosen
            call.rules.value = document().rules();
        if (auto subjects = verbs::subjectsOf(call))
            m_otherSubject = std::move(subjects->front());
        else
            m_otherError = QString::fromStdString(subjects.error().text());
    }
    m_summaries.resize(m_otherSubject ? 2 : 1);
    reset(1);
    if (m_otherSubject)
        run(SummaryKind::Systolic, 1);
}

void SummaryView::setOther(std::optional<Other> other)
{
    catchUp();
    m_other = std::move(other);
    renewOther();
    if (m_otherSubject)
        for (const SummaryKind kind : verbs::kSummaryKinds)
            if (verbs::followsSchedule(kind))
                run(kind, 1);
    m_table->setCurrentIndex({});
    showRows();
    showLayer();
    registry().refresh();
}

void SummaryView::compareWith(const Machine& machine)
{
    setOther(Other{machine, {}});
}

Status SummaryView::compareWithFile(const QString& path)
{
    verbs::WorkloadCall call;
    call.file = path.toStdString();
    call.mayBeMachine = true;
    if (Status s = verbs::readFiles(call); !s)
        return s;
    if (!call.described) {
        setOther(Other{{}, std::move(call)});
        return Unit{};
    }
    // Reads a machine in the same way as --machine.
    auto machine = lower::loadMachine(std::span(&call.file, 1));
    if (!machine)
        return machine.error();
    setOther(Other{std::move(*machine), {}});
    return Unit{};
}

void SummaryView::endComparison()
{
    setOther(std::nullopt);
}

void SummaryView::bringUpToDate()
{
    const lower::ModelOnMachinePtr& model = document().lensModel();
    if (m_model != model || (model && m_summaries.front().rows.empty())) {
        m_model = model;
        reset(0);
        renewOther();
        if (m_model)
            run(SummaryKind::Systolic, 0);
    }
    if (m_model)
        for (std::size_t block = 0; block < m_summaries.size(); ++block)
            for (const SummaryKind kind : verbs::kSummaryKinds)
                if (verbs::followsSchedule(kind))
                    run(kind, block);
    compareMeasured();
    showRows();
    showLayer();
}

void SummaryView::settle()
{
    for (const Runs& runs : m_runs)
        for (const SummaryKind kind : verbs::kSummaryKinds)
            if (verbs::isQuick(kind))
                runs.jobs[indexOf(kind)]->waitIdle();
}

void SummaryView::run(SummaryKind kind, std::size_t block)
{
    m_seconds->interpretText();
    const std::size_t at = indexOf(kind);
    Runs& runs = m_runs[block];
    runs.done[at] = 0;
    const auto report = runs.jobs[at]->reporter();
    runs.jobs[at]->request(
        [this, report, kind, at, block, subject = subject(block)](const std::stop_token& stop) {
            double told = 0;
            return verbs::summaryRow(subject, kind, {stop, [&](double fraction, std::string_view) {
                                                         constexpr double kStep = 0.01;
                                                         if (fraction < told + kStep)
                                                             return;
                                                         told = fraction;
                                                         report([this, at, block, fraction] {
                                                             m_runs[block].done[at] = fraction;
                                                             showRows();
                                                         });
                                                     }});
        });
    if (!verbs::isQuick(kind))
        showRows();
}

void SummaryView::toggle(SummaryKind kind, std::size_t block)
{
    if (isRunning(kind, block))
        m_runs[block].jobs[indexOf(kind)]->finishEarly(); // a search ends with its best result so far
    else
        run(kind, block);
}

void SummaryView::deliver(SummaryKind kind, std::size_t block, Row row)
{
    // A row whose run was stopped before it had a result counts as not run.
    if (row.state == State::Failed && row.interrupted)
        row = verbs::rowNotRun(kind);
    m_summaries[block].rows[indexOf(kind)] = std::move(row);
    compareMeasured();
    showRows();
    showLayer();
    const auto shown = lineOf(m_table->currentIndex().row());
    // In a comparison, a new result of the open model (block 0) also changes the ratios of every row.
    if (shown.kind == kind || (block == 0 && isComparing()))
        explain(m_table->currentIndex());
}

} // namespace tilewright::ui
