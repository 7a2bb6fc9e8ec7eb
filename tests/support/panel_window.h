// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the lists and forms beside the graph share.
#pragma once

#include "edit/fit.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "schedule_text.h"
#include "window/app_state.h"
#include "window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

namespace tilewright::ui {

/// Four products of one input that nothing orders, then a function of the first two; names as a model has
/// them.
inline ProblemPtr products(std::int64_t capacity = 100'000)
{
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(10, Tensor{256, 256, {}});
    for (std::size_t i = 0; i < 4; ++i)
        data.ops.push_back({OpType::MatMul,
                            {TensorId(0), TensorId(1 + i)},
                            TensorId(5 + i),
                            1000,
                            "net.layer" + std::to_string(i / 2) + ".mul" + std::to_string(i)});
    data.ops.push_back({OpType::Pointwise, {TensorId(5), TensorId(6)}, TensorId(9), 200, "net.layer0.add"});
    data.hardware = {capacity, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

class PanelWindow
{
protected:
    void useOwnSettings()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
        qApp->setProperty("tilewrightNoPrompts", true);
    }

    template <typename V> V* view(MainWindow& window, const char* name)
    {
        V* v = qobject_cast<V*>(window.view(QLatin1String(name)));
        Q_ASSERT(v);
        window.showView(QLatin1String(name));
        return v;
    }
    void open(MainWindow& window, const ProblemPtr& problem, QSize size = {1440, 900})
    {
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.state().document.setProblem(problem, oneOpPerSubgraph(*problem));
    }
    void key(MainWindow& window, const char* action)
    {
        QAction* a = window.state().actions.find(QLatin1String(action));
        QVERIFY2(a && a->isEnabled(), action);
        if (a->shortcut().isEmpty())
            a->trigger();
        else
            QTest::keySequence(&window, a->shortcut());
    }
    void clickRow(SubgraphsView* list, int row, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTableView* table = list->table();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, modifiers,
                          table->visualRect(table->model()->index(row, 1)).center());
    }
    QString nowShape(MainWindow& window)
    {
        return tilewright::test::shape(window.state().document.schedule());
    }

private:
    QTemporaryDir m_settings;
};

} // namespace tilewright::ui
