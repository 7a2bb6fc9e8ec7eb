// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_report.h"
#include "manual/program.h"
#include "verbs.h"
#include "window/app_state.h"
#include "window/view_catalog.h"

#include <QApplication>
#include <QFileInfo>

#include <algorithm>
#include <iostream>
#include <map>

namespace tilewright::ui {

namespace {

struct ReportArguments
{
    std::vector<std::string> files;
    std::string machine, lens, baseline, output;
    verbs::RulesCall rules = verbs::RulesCall::ofFile();
    bool json = false;
};

void bindOptions(verbs::OptionList& o, ReportArguments& a)
{
    o.add("files", a.files, "FILE", "A model or a problem, its schedule, or files of another lens",
          o.required());
    bindMachine(o, a.machine);
    bindOptions(o, a.rules);
    o.add("--lens", a.lens, "schedule|systolic|npu|mapping", "Lens of the report for a problem or a model",
          o.otherwise("schedule, or that of the files"));
    o.add("--baseline", a.baseline, "FILE", "Schedule to compare with",
          o.notWith(!a.lens.empty() && a.lens != "schedule", "another lens"));
    o.add("-o,--output", a.output, "FILE", "FILE.html or FILE.pdf", o.writes());
    o.flag("--json", a.json, "Print the figures as one JSON document; works with and without --output");
}

const std::map<std::string, Lens> kLensOfName{{"schedule", Lens::Schedule},
                                              {"systolic", Lens::Systolic},
                                              {"npu", Lens::Npu},
                                              {"mapping", Lens::Mapping}};

/// Opens the schedule to compare with and pins it as the baseline, before the other schedule is opened.
Status pinBaseline(AppState& state, const std::string& path, const verbs::RulesCall& rules)
{
    const auto file = readLensFile(QString::fromStdString(path));
    if (!file)
        return file.error();
    if (file->kind != FileKind::Schedule)
        return Error{ErrorCode::Refused, "--baseline: the file is not a schedule", {}, path};
    if (const auto opened = state.workspace.open(*file); !opened)
        return opened.error();
    state.document.waitForSnapshot();
    if (Status used = useRules(state.document, rules); !used)
        return used;
    state.document.pinBaseline();
    return Unit{};
}

struct Opened
{
    Lens lens = Lens::Schedule; ///< of the report
    bool hasLayers = false;     ///< the files give the Mapping lens a whole model, not one layer
};

/// Opens the files, and the baseline before any schedule.
Result<Opened> openFiles(AppState& state, const ReportArguments& arguments)
{
    std::vector<LensFile> read;
    for (const std::string& path : arguments.files) {
        auto file = readLensFile(QString::fromStdString(path));
        if (!file)
            return file.error();
        read.push_back(std::move(*file));
    }
    sortForOpening(read);
    bool comparable = !arguments.baseline.empty();
    if (comparable && std::ranges::count(read, FileKind::Schedule, &LensFile::kind) == 0)
        return Error{ErrorCode::Refused, "--baseline: also give the schedule to compare with it", {}, {}};
    for (const LensFile& file : read) {
        if (const auto opened = state.workspace.open(file); !opened)
            return opened.error();
        if (comparable && state.document.hasProblem()) {
            comparable = false;
            if (const Status pinned = pinBaseline(state, arguments.baseline, arguments.rules); !pinned)
                return pinned.error();
        }
    }
    tellDeviations(state.document);
    if (comparable)
        return Error{ErrorCode::Refused,
                     "--baseline: schedules can only be compared with a problem or a model",
                     {},
                     {}};
    if (const Status used = useMachine(state.document, arguments.machine); !used)
        return used.error();
    if (const Status used = useRules(state.document, arguments.rules); !used)
        return used.error();
    const bool hasLayers =
        state.document.hasProblem() || std::ranges::any_of(read, [](const LensFile& file) {
            return file.kind == FileKind::MappingModel || file.kind == FileKind::MappingSetup;
        });
    const Lens own = state.document.hasProblem() ? Lens::Schedule : read.back().lens();
    if (arguments.lens.empty())
        return Opened{own, hasLayers};
    const Lens wanted = kLensOfName.at(arguments.lens);
    if (wanted != own && own != Lens::Schedule)
        return Error{
            ErrorCode::Refused, "--lens: only problems and models can be shown in every lens", {}, {}};
    return Opened{wanted, hasLayers};
}

int report(const ReportArguments& arguments, char** argv)
{
    const HeadlessApplication app(argv);
    AppState state;
    const auto fail = [](const Error& error) { return ui::fail(error.text()); };
    if (arguments.output.empty() && !arguments.json)
        return fail({ErrorCode::Refused, "-o FILE.html (or .pdf) or --json is needed", {}, {}});
    const Result<Opened> opened = openFiles(state, arguments);
    if (!opened)
        return fail(opened.error());
    const bool schedule = opened->lens == Lens::Schedule;
    std::vector<std::unique_ptr<View>> views;
    std::vector<View*> pages;
    const auto add = [&](const ViewEntry& entry) {
        views.emplace_back(entry.create(state.context()));
        views.back()->resize(views.back()->exportSize());
        pages.push_back(views.back().get());
    };
    if (schedule) {
        for (const QString& name : reportViews(state.document))
            add(*std::find_if(viewCatalog().begin(), viewCatalog().end(),
                              [&](const ViewEntry& e) { return e.name == name; }));
    } else { // reports of other lenses have all views of the lens
        for (const ViewEntry& entry : viewCatalog())
            if ((entry.lens == opened->lens &&
                 (opened->hasLayers || entry.name != QLatin1String("mapping-model"))) ||
                (state.document.model() && entry.name == QLatin1String("summary")))
                add(entry);
        // The search of the view npu-tiles changes the tiles, so this view comes last; all other views show
        // the default tiles.
        std::ranges::stable_partition(
            pages, [](const View* view) { return view->viewName() != QLatin1String("npu-tiles"); });
    }
    const QString title = QFileInfo(QString::fromStdString(arguments.files.front())).completeBaseName();
    const QString output = QString::fromStdString(arguments.output);
    Status written = Unit{};
    if (!output.isEmpty())
        written = schedule ? exportReport(state.document, pages, output)
                           : exportLensReport(state.document, title, pages, output);
    if (written && arguments.json)
        std::cout << (schedule ? reportJson(state.document) : lensReportJson(title, pages));
    views.clear();
    return written ? 0 : fail(written.error());
}

} // namespace

void addReportVerb(CLI::App& app, char** argv, int& exitCode)
{
    manual::addVerb<ReportArguments>(
        app, "report",
        "Write a report of a schedule or of another lens: an interactive HTML page, "
        "or a PDF with one page per view",
        [argv](const ReportArguments& a) { return report(a, argv); }, exitCode);
}

} // namespace tilewright::ui
