// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the Systolic lens share: the lens with its panes, and how a person reaches them.
#pragma once

#include "views/systolic/gantt_canvas.h"
#include "views/systolic/levels_canvas.h"
#include "views/systolic/settings_panel.h"
#include "views/systolic/systolic_view.h"
#include "views/systolic/tile_map_canvas.h"
#include "views/systolic/wavefront_canvas.h"
#include "window/app_state.h"

#include <QSpinBox>
#include <QToolButton>
#include <QtTest>

#include <memory>

namespace tilewright::ui {

class SystolicBench : public QObject
{
protected:
    std::unique_ptr<AppState> m_app;
    std::unique_ptr<SystolicView> m_view;

    SystolicDocument& state() const { return m_view->state(); }
    template <typename P> P* pane(const char* name) const
    {
        auto* p = qobject_cast<P*>(m_view->pane(QLatin1String(name)));
        m_view->showPane(QLatin1String(name));
        p->settle();
        return p;
    }
    WavefrontCanvas* wavefront() const { return pane<WavefrontCanvas>("systolic-wavefront"); }
    GanttCanvas* gantt() const { return pane<GanttCanvas>("systolic-pipeline"); }
    TileMapCanvas* tiles() const { return pane<TileMapCanvas>("systolic-tiles"); }
    LevelsCanvas* levels() const { return pane<LevelsCanvas>("systolic-memory"); }

    template <typename W> W* control(const char* name) const
    {
        return m_view->findChild<W*>(QStringLiteral("systolic.") + QLatin1String(name));
    }
    /// Types a number into a spin box and presses Enter.
    void type(const char* name, const char* digits) const
    {
        auto* box = control<QSpinBox>(name);
        QVERIFY(box);
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QLatin1String(digits));
        QTest::keyClick(box, Qt::Key_Return);
    }
    static void move(QWidget* w, QPointF at, Qt::MouseButtons buttons = Qt::NoButton)
    {
        QMouseEvent event(QEvent::MouseMove, at, w->mapToGlobal(at), Qt::NoButton, buttons, Qt::NoModifier);
        QCoreApplication::sendEvent(w, &event);
    }
    static QToolButton* button(QWidget* in, const char* action)
    {
        for (QToolButton* b : in->findChildren<QToolButton*>())
            if (b->defaultAction() && b->defaultAction()->text() == QLatin1String(action))
                return b;
        return nullptr;
    }
    static QString row(const PaintedTable& t, const QString& first, int column)
    {
        for (const QStringList& r : t.rows)
            if (r.first().startsWith(first))
                return r.value(column).remove(QChar(0x202F));
        return {};
    }
    static const PaintedTable* card(const LevelsModel& m, const QString& title)
    {
        for (const LevelsCard& c : m.cards)
            if (c.table.title.contains(title))
                return &c.table;
        return nullptr;
    }
    void openLens()
    {
        m_app = std::make_unique<AppState>();
        m_view = std::make_unique<SystolicView>(m_app->context());
        m_view->resize(1300, 640);
        m_view->show();
        if (!QTest::qWaitForWindowExposed(m_view.get()))
            qFatal("the window is not exposed");
        m_view->settle();
    }
    void close()
    {
        m_view.reset();
        m_app.reset();
    }
};

} // namespace tilewright::ui
