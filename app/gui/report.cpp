// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_report.h"
#include "headless.h"
#include "verbs.h"
#include "window/app_state.h"
#include "window/view_catalog.h"

#include <CLI/CLI.hpp>

#include <QApplication>
#include <QFileInfo>

#include <algorithm>
#include <iostream>

namespace tilewright::ui {

namespace {

struct ReportArguments
{
    std::vector<std::string> files;
    std::string machine, output;
};

int report(const ReportArguments& arguments, char** argv)
{
    const HeadlessApplication app(argv);
    AppState state;
    const auto fail = [](const Error& error) {
        std::cerr << "tilewright: " << error.text() << '\n';
        return 2;
    };
    std::vector<LensFile> read;
    for (const std::string& path : arguments.files) {
        auto file = readLensFile(QString::fromStdString(path));
        if (!file)
            return fail(file.error());
        read.push_back(std::move(*file));
    }
    sortForOpening(read);
    for (const LensFile& file : read)
        if (const auto opened = state.workspace.open(file); !opened)
            return fail(opened.error());
    if (const Status used = useMachine(state.document, arguments.machine); !used)
        return fail(used.error());
    std::vector<std::unique_ptr<View>> views;
    std::vector<View*> pages;
    const auto add = [&](const ViewEntry& entry) {
        views.emplace_back(entry.create(state.context()));
        views.back()->resize(views.back()->exportSize());
        pages.push_back(views.back().get());
    };
    if (!state.document.hasProblem()) { // files of another lens: all its views
        const Lens lens = read.back().lens();
        for (const ViewEntry& entry : viewCatalog())
            if (entry.lens == lens)
                add(entry);
        const QString title = QFileInfo(QString::fromStdString(arguments.files.front())).completeBaseName();
        const Status written = exportLensReport(title, pages, QString::fromStdString(arguments.output));
        views.clear();
        return written ? 0 : fail(written.error());
    }
    for (const QString& name : reportViews())
        add(*std::find_if(viewCatalog().begin(), viewCatalog().end(),
                          [&](const ViewEntry& e) { return e.name == name; }));
    if (state.document.schedule().size() > 0)
        state.selection.selectSubgraph(SubgraphId(0));
    const Status written = exportReport(state.document, pages, QString::fromStdString(arguments.output));
    views.clear();
    return written ? 0 : fail(written.error());
}

} // namespace

void addReportVerb(CLI::App& app, char** argv, int& exitCode)
{
    auto* verb = app.add_subcommand(
        "report",
        "Write a report of a schedule or of another lens: one HTML page, or a PDF with a page a view");
    const auto a = std::make_shared<ReportArguments>();
    verb->add_option("files", a->files,
                     "A model or a problem, and a schedule of it, or files of another lens")
        ->required();
    addMachineOption(*verb, a->machine);
    verb->add_option("-o,--output", a->output, "FILE.html or FILE.pdf")->type_name("FILE")->required();
    verb->callback([a, argv, &exitCode] { exitCode = report(*a, argv); });
}

} // namespace tilewright::ui
