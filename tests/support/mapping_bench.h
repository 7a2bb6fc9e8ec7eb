// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the mapping views share: a view of the lens with a file opened in it.
#pragma once

#include "canvas/view.h"
#include "window/app_state.h"

#include <QtTest>

#include <memory>

namespace tilewright::ui {

inline QString mappingSample(const char* path)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/mapping/") + QLatin1String(path);
}

/// One view of the lens, shown and settled; the next one is of the same document.
class MappingBench : public QObject
{
protected:
    std::unique_ptr<AppState> m_app;
    std::unique_ptr<View> m_view;

    template <typename V> V& open(const char* file = nullptr, QSize size = {1400, 640})
    {
        m_view.reset();
        if (!m_app)
            m_app = std::make_unique<AppState>();
        m_view = std::make_unique<V>(m_app->context());
        auto& view = static_cast<V&>(*m_view);
        if (file)
            (void)m_app->workspace.open(mappingSample(file));
        view.resize(size);
        view.show();
        (void)QTest::qWaitForWindowExposed(&view);
        view.settle();
        return view;
    }
    MappingDocument& state() { return m_app->workspace.mapping(); }
    void close()
    {
        m_view.reset();
        m_app.reset();
    }
};

} // namespace tilewright::ui
