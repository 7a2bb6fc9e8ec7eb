// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "canvas/view.h"
#include "manual/program.h"
#include "verbs.h"
#include "window/main_window.h"
#include "window/tour_player.h"
#include "window/view_catalog.h"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QScreen>

namespace tilewright::ui {

namespace {

/// Starts the demo in the window. Null if it cannot be played.
TourPlayer* startIn(MainWindow& window)
{
    window.state().actions.find(QStringLiteral("help.demo"))->trigger();
    auto* player = window.findChild<TourPlayer*>();
    return player->isPlaying() ? player : nullptr;
}

constexpr const char* kNoSamples =
    "demo: samples/schedule/resnet-block.json is needed, but the samples are not installed";

/// Plays the demo in a window with temporary settings, so that the session of the user's window does not
/// change.
int play(char** argv)
{
    int one = 1;
    const QApplication app(one, argv);
    const Preferences preferences = Preferences::load();
    const OwnSettings settings;
    QApplication::setStyle(makeStyle(preferences.reduceMotion));
    MainWindow window;
    window.setPreferences(preferences);
    window.fitOnto(window.screen()->availableSize());
    window.show();
    if (!startIn(window))
        return fail(kNoSamples);
    return QApplication::exec();
}

/// Draws the window at each pause of the tour: FOLDER/NNN-MILLISECONDS.png.
int draw(const QString& folder, char** argv)
{
    if (!QDir().mkpath(folder))
        return fail("demo: --frames " + folder.toStdString() + ": the folder cannot be created");
    const HeadlessApplication app(argv);
    MainWindow window;
    window.setTheme(QStringLiteral("light"));
    constexpr QSize kSize(1120, 700);
    window.resize(kSize);
    window.show();
    auto* player = window.findChild<TourPlayer*>();
    player->setPace(0);
    int frames = 0, exitCode = 0;
    QObject::connect(player, &TourPlayer::seen, &window, [&](int milliseconds) {
        for (const ViewEntry& entry : viewCatalog())
            if (View* view = window.view(entry.name); view && view->isVisible()) {
                view->catchUp();
                view->settle();
            }
        const QString path = QStringLiteral("%1/%2-%3.png")
                                 .arg(folder)
                                 .arg(frames++, 3, 10, QLatin1Char('0'))
                                 .arg(milliseconds);
        QByteArray bytes;
        QBuffer png(&bytes);
        png.open(QIODevice::WriteOnly);
        window.grab().save(&png, "PNG");
        const Status written = writeFileAtomically(path.toStdString(), bytes.toStdString());
        if (exitCode == 0 && !written)
            exitCode = fail("demo: " + written.error().text());
    });
    bool ended = false;
    QObject::connect(player, &TourPlayer::stopped, &window, [&ended](bool atEnd) { ended = atEnd; });
    QObject::connect(player, &TourPlayer::stopped, &window, &QApplication::quit, Qt::QueuedConnection);
    if (!startIn(window))
        return fail(kNoSamples);
    QApplication::exec();
    return ended || exitCode != 0 ? exitCode : fail("demo: a step of the tour failed");
}

struct DemoArguments
{
    std::string frames; ///< folder for the pictures; empty: show the window
};

void bindOptions(verbs::OptionList& o, DemoArguments& a)
{
    o.add("--frames", a.frames, "FOLDER", "Write the demo as pictures into this folder, without a display");
}

} // namespace

void addDemoVerb(CLI::App& app, char** argv, int& exitCode)
{
    manual::addVerb<DemoArguments>(
        app, "demo", "Play the first guided tour in a window; press Esc or click to take over",
        [argv](const DemoArguments& a) {
            return a.frames.empty() ? play(argv) : draw(QString::fromStdString(a.frames), argv);
        },
        exitCode);
}

} // namespace tilewright::ui
