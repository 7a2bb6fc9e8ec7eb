// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of auto-solve share: a window with a problem the solver has work for, and its runs.
#pragma once

#include "base/file.h"
#include "panels/solver/solver_lists.h"
#include "panels/solver/solver_view.h"
#include "views/graph/graph_view.h"
#include "window/main_window.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <QApplication>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

namespace tilewright::ui {

class SolverBench
{
public:
    SolverBench()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_dir.path());
        qApp->setProperty("tilewrightNoPrompts", true);
        GenerateOptions options;
        options.kind = WorkloadKind::Random;
        options.ops = 40;
        options.seed = 11;
        m_problem = m_dir.filePath(QStringLiteral("problem.json"));
        m_written = bool(
            writeFileAtomically(m_problem.toStdString(), writeProblem(*generateWorkload(options).value())));
    }
    [[nodiscard]] bool written() const { return m_written; }

    /// A window with a problem that takes the solver a while.
    struct Opened
    {
        MainWindow window;
        SolverView* solver = nullptr;
        GraphView* graph = nullptr;
        [[nodiscard]] Document& document() { return window.state().document; }
    };
    std::unique_ptr<Opened> open()
    {
        auto o = std::make_unique<Opened>();
        o->window.show();
        if (!QTest::qWaitForWindowExposed(&o->window) || !o->window.openPaths({m_problem}))
            return nullptr;
        o->solver = qobject_cast<SolverView*>(o->window.view(QStringLiteral("solver")));
        o->graph = qobject_cast<GraphView*>(o->window.view(QStringLiteral("graph")));
        o->window.showView(QStringLiteral("solver"));
        o->solver->options().threads()->setValue(1);
        return o;
    }
    static void click(QWidget* w) { QTest::mouseClick(w, Qt::LeftButton); }
    static void run(Opened& o, double seconds)
    {
        o.solver->budget()->setValue(seconds);
        click(o.solver->options().run());
        QTRY_VERIFY_WITH_TIMEOUT(!o.solver->job().isRunning() && o.solver->card().isVisible(), 20'000);
        o.solver->settle();
    }
    /// Starts a long run and waits until the graph shows its best so far.
    static void runToPreview(Opened& o)
    {
        o.solver->budget()->setValue(60);
        click(o.solver->options().run());
        QTRY_VERIFY_WITH_TIMEOUT(
            o.document().preview() && o.graph->model()->snapshot == o.document().preview(), 20'000);
    }
    static void stop(Opened& o)
    {
        click(o.solver->options().stop());
        QTRY_VERIFY_WITH_TIMEOUT(!o.solver->job().isRunning(), 20'000);
    }

private:
    QTemporaryDir m_dir;
    QString m_problem;
    bool m_written = false;
};

} // namespace tilewright::ui
