// SPDX-License-Identifier: GPL-3.0-or-later
// Edit to repaint: from Document::apply() until the new evaluation is published and every visible view has
// painted it. Prints percentiles; `./dev bench ui`.
#include "document/schedule_edits.h"
#include "main_window.h"
#include "view_catalog.h"
#include "workload/generate.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

using namespace tilewright;
using namespace tilewright::ui;

namespace {

void report(const char* what, std::vector<double> ms)
{
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double q) {
        return ms[std::min(ms.size() - 1, static_cast<std::size_t>(q * static_cast<double>(ms.size())))];
    };
    std::printf("%-44s median %6.2f ms   p95 %6.2f ms   max %6.2f ms\n", what, at(0.5), at(0.95), ms.back());
}

std::map<std::string, std::vector<double>> parts;

void paintAll()
{
    QElapsedTimer timer;
    timer.start();
    // Runs the pending paint events of every visible view.
    QApplication::processEvents();
    parts["paint"].push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
}

void run(std::size_t ops, int edits)
{
    GenerateOptions options;
    options.kind = WorkloadKind::Random;
    options.ops = static_cast<std::int64_t>(ops);
    const auto problem = generateWorkload(options);
    if (!problem) {
        std::printf("%s\n", problem.error().text().c_str());
        return;
    }
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    QElapsedTimer timer;
    timer.start();
    Document& document = window.state().document;
    document.setProblem(*problem, oneOpPerSubgraph(**problem));
    paintAll();
    std::printf("%zu ops: opened, laid out and painted in %.0f ms\n", ops,
                static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    window.state().selection.selectSubgraph(SubgraphId(0));

    std::mt19937 random(1);
    std::vector<double> tile;
    std::vector<double> fuse;
    for (int i = 0; i < edits; ++i) {
        const SubgraphId s(random() % (document.schedule().size() - 1));
        const bool fusing = i % 4 == 3;
        const std::array<std::int64_t, 4> sizes{32, 64, 96, 128};
        const auto next =
            fusing ? edit::mergeWithNext(**problem, document.schedule(), s, editOptions(document.rules()))
                   : edit::setGranularity(**problem, document.schedule(), std::array{s},
                                          {sizes[random() % 4], sizes[random() % 4], 1},
                                          editOptions(document.rules(), true));
        if (!next)
            continue;
        timer.restart();
        document.apply(*next, QStringLiteral("edit"));
        document.waitForSnapshot();
        parts["evaluate and update"].push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
        paintAll();
        (fusing ? fuse : tile).push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
    const std::string n = std::to_string(ops);
    report((n + " ops: granularity edit to repaint").c_str(), tile);
    if (!fuse.empty())
        report((n + " ops: fuse (new layout) to repaint").c_str(), fuse);
    for (const auto& [name, ms] : parts)
        report(("    " + name).c_str(), ms);
    parts.clear();
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const QTemporaryDir settings;
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    app.setProperty("tilewrightNoPrompts", true);
    if (argc > 2) { // OPS EDITS, for profiling
        run(std::stoul(argv[1]), std::stoi(argv[2]));
        return 0;
    }
    run(150, 400);
    run(3000, 100);
    return 0;
}
