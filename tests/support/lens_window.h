// SPDX-License-Identifier: GPL-3.0-or-later
// A window that opens the models of the samples, for the tests of what the lenses share.
#pragma once

#include "window_fixture.h"

#include <memory>

namespace tilewright::ui {

inline const QString kModels = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/");

inline std::size_t subgraphOf(const Document& document, const std::string& name)
{
    for (std::size_t i = 0; i < document.schedule().size(); ++i)
        for (const OpId op : document.schedule()[SubgraphId(i)].ops)
            if (document.problem()->opName(op) == name)
                return i;
    return document.schedule().size();
}

class LensWindow
{
protected:
    void makeWindow()
    {
        m_settings.fresh();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
    }
    [[nodiscard]] Document& document() { return m_window->state().document; }
    [[nodiscard]] Workspace& workspace() { return m_window->state().workspace; }
    [[nodiscard]] Selection& selection() { return m_window->state().selection; }
    void run(const char* id)
    {
        QAction* action = m_window->state().actions.find(QLatin1String(id));
        QVERIFY2(action, id);
        m_window->state().actions.refresh();
        QVERIFY2(action->isEnabled(), qPrintable(action->toolTip()));
        action->trigger();
    }
    void open(const char* file) { QVERIFY(openIn(*m_window, {kModels + QLatin1String(file)})); }

    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace tilewright::ui
