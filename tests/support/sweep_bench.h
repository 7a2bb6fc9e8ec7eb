// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the Sweep view share: its controls, used as a person does.
#pragma once

#include "drawn_cases.h"
#include "views/sweep/sweep_view.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>

namespace tilewright::ui {

inline QString modelFile(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/") + QLatin1String(name);
}

class SweepBench : public QObject
{
protected:
    PrivateSettings m_settings;

    static SweepView& view(MainWindow& window)
    {
        window.showView(QStringLiteral("sweep"));
        return *viewOf<SweepView>(window, "sweep");
    }
    template <typename W> static W* control(SweepView& v, const char* name)
    {
        W* out = v.findChild<W*>(QLatin1String(name));
        if (!out)
            qFatal("no control %s", name);
        return out;
    }
    static void choose(SweepView& v, SweepTask task)
    {
        control<QComboBox>(v, "sweep.task")->setCurrentIndex(static_cast<int>(task));
    }
    static void choose(SweepView& v, const char* box, const QString& data)
    {
        auto* combo = control<QComboBox>(v, box);
        const int at = combo->findData(data);
        QVERIFY2(at >= 0, qPrintable(data));
        combo->setCurrentIndex(at);
    }
    /// Types into a field of an axis as a person does.
    static void type(SweepView& v, const char* name, const QString& text)
    {
        auto* edit = control<QLineEdit>(v, name);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }
    static void few(SweepView& v, int points, int iterations = 300)
    {
        control<QSpinBox>(v, "sweep.0.points")->setValue(points);
        // Ten times as slow each, so that as much time is left to look while it runs.
        control<QSpinBox>(v, "sweep.iterations")->setValue(test::kSanitized ? iterations / 10 : iterations);
    }
    static void runAll(SweepView& v)
    {
        v.run();
        v.settle();
        QCoreApplication::processEvents();
    }
};

} // namespace tilewright::ui
