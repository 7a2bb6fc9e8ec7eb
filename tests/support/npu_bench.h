// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the NPU views share: a model opened in one of them.
#pragma once

#include "views/npu/npu_view.h"
#include "window/app_state.h"

#include <QScrollBar>
#include <QtTest>

#include <memory>

namespace tilewright::ui {

inline QString npuSample(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/npu/%1.json").arg(QLatin1String(name));
}

/// The lane of that name among those of a core (its own name: "Core 1"), or of the memories.
inline std::size_t laneOf(const NpuView& view, const QString& name, std::size_t core = 0)
{
    const auto& lanes = view.lanes().lanes;
    bool here = core == 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        here = here || lanes[i].name == QStringLiteral("Core %1").arg(core);
        if (here && lanes[i].name == name)
            return i;
    }
    qFatal("no lane %s", qPrintable(name));
    return 0;
}

/// A point whose lane is on screen.
inline QPoint shown(NpuView& view, std::size_t lane, double time)
{
    auto* bar = view.findChild<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly);
    for (int v = 0; v <= bar->maximum(); v += 20) {
        bar->setValue(v);
        const QPointF at = view.pointIn(lane, time);
        if (view.places().plot.contains(at))
            return at.toPoint();
    }
    return view.pointIn(lane, time).toPoint();
}

/// One view with a sample model, shown and settled.
class NpuBench : public QObject
{
protected:
    std::unique_ptr<AppState> m_state;
    std::unique_ptr<View> m_view;

    template <typename V> V& open(const char* model, QSize size = {1400, 900})
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        auto view = std::make_unique<V>(m_state->context());
        V& out = *view;
        m_view = std::move(view);
        (void)m_state->workspace.open(npuSample(model));
        m_view->resize(size);
        m_view->show();
        m_view->activateWindow();
        if (!QTest::qWaitForWindowExposed(m_view.get()))
            qFatal("the window is not exposed");
        m_view->settle();
        return out;
    }
    void close()
    {
        m_view.reset();
        m_state.reset();
    }
};

} // namespace tilewright::ui
