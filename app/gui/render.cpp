// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_view.h"
#include "manual/program.h"
#include "verbs.h"
#include "window/app_state.h"
#include "window/main_window.h"
#include "window/view_catalog.h"
#include "workspace/model_file.h"

#include <QApplication>
#include <QFileInfo>
#include <QPainter>
#include <QRegularExpression>

#include <iostream>
#include <set>
#include <string>

namespace tilewright::ui {

namespace {

std::string viewNames()
{
    std::string names = "window";
    for (const ViewEntry& entry : viewCatalog())
        names += ", " + entry.name.toStdString();
    return names;
}

/// Selects "subgraph:5", "op:3", "tensor:7" or "step:12". False if the text has another form.
bool select(Selection& selection, const QString& what)
{
    const QRegularExpression form(QStringLiteral("^(subgraph|op|tensor|step):(\\d+)$"));
    const auto match = form.match(what);
    if (!match.hasMatch())
        return false;
    const std::size_t n = match.captured(2).toULongLong();
    const QString kind = match.captured(1);
    if (kind == QLatin1String("subgraph"))
        selection.selectSubgraph(SubgraphId(n));
    else if (kind == QLatin1String("op"))
        selection.selectOps({OpId(n)});
    else if (kind == QLatin1String("tensor"))
        selection.selectTensor(TensorId(n));
    else
        selection.setStep(static_cast<std::int64_t>(n));
    return true;
}

Error noSelection(const std::string& text)
{
    return {ErrorCode::Field,
            "expected subgraph:N, op:N, tensor:N or step:N, got \"" + text + "\"",
            "--select",
            {}};
}

/// Pins the schedule of a file as the baseline. The current schedule stays the current one.
Status pinBaseline(Document& document, const QString& path, const verbs::RulesCall& rules)
{
    if (path.isEmpty())
        return Unit{};
    if (!document.hasProblem())
        return Error{ErrorCode::Io, "--baseline: open a problem first", {}, {}};
    const Schedule current = document.schedule();
    const QString currentPath = document.schedulePath();
    if (Status opened = document.openSchedule(path); !opened)
        return opened;
    if (Status used = useRules(document, rules); !used)
        return used;
    document.pinBaseline(QFileInfo(path).fileName());
    if (!currentPath.isEmpty()) {
        if (Status opened = document.openSchedule(currentPath); !opened)
            return opened;
        return useRules(document, rules);
    }
    document.apply(current, QStringLiteral("current"));
    document.evaluateNow();
    return Unit{};
}

/// Draws the whole window with its docks.
Status renderWindow(const QStringList& files, const std::vector<std::string>& selected,
                    const QString& perspective, const QString& baseline, const std::string& machine,
                    const verbs::RulesCall& rules, const QString& output, const ExportOptions& options)
{
    MainWindow window;
    window.setTheme(options.theme->dark ? QStringLiteral("dark") : QStringLiteral("light"));
    window.resize(options.size.isEmpty() ? QSize(1440, 900) : options.size);
    window.show();
    if (!files.isEmpty() && !window.openPaths(files))
        return Error{ErrorCode::Io, "the files could not be opened", {}, files.front().toStdString()};
    if (Status used = useMachine(window.state().document, machine); !used)
        return used;
    if (Status used = useRules(window.state().document, rules); !used)
        return used;
    if (Status pinned = pinBaseline(window.state().document, baseline, rules); !pinned)
        return pinned;
    if (!files.isEmpty() || !perspective.isEmpty())
        window.applyPerspective(perspective.isEmpty() ? QStringLiteral("Edit") : perspective);
    for (const std::string& s : selected)
        if (!select(window.state().selection, QString::fromStdString(s)))
            return noSelection(s);
    for (const ViewEntry& entry : viewCatalog())
        if (View* view = window.view(entry.name); view && view->isVisible()) {
            view->catchUp();
            view->settle();
        }
    for (int i = 0; i < 5; ++i)
        QApplication::processEvents();
    return exportPicture(output, window.windowTitle(), window.size(), options,
                         [&window](QPainter& painter) { window.render(&painter); });
}

struct RenderArguments
{
    std::vector<std::string> files;
    std::string view, output, theme = "light", size, perspective, baseline, machine;
    verbs::RulesCall rules = verbs::RulesCall::ofFile();
    std::vector<std::string> selected, commands;
    double scale = 1, fontSize = 0;
    bool listViews = false;
};

void bindOptions(verbs::OptionList& o, RenderArguments& a)
{
    std::string views = "window";
    for (const ViewEntry& entry : viewCatalog())
        views += "|" + entry.name.toStdString();
    const bool isWindow = a.view == "window";
    o.add("files", a.files, "FILE", "A model or a problem, its schedule, or files of the other lenses");
    o.flag("--list-views", a.listViews, "Print the names of the views, one per line", o.alone(true, "alone"));
    o.add("--view", a.view, views, "View to draw");
    o.add("-o,--output", a.output, "FILE", "FILE.png, FILE.svg or FILE.pdf", o.writes());
    o.add("--scale", a.scale, verbs::Range{0.25, 4}, "Device pixels per logical pixel",
          o.needs(QString::fromStdString(a.output).endsWith(QLatin1String(".png"), Qt::CaseInsensitive),
                  "a PNG file"));
    o.add("--theme", a.theme, "light|dark", "Theme of the picture");
    o.add("--size", a.size, "WxH", "Size in logical pixels", o.otherwise("that of the view"));
    o.add("--font-size", a.fontSize, verbs::Range{6, 40}, "Font size in points",
          o.otherwise("that of the system"));
    o.add("--select", a.selected, "SELECTION",
          "What to select: subgraph:N, op:N, tensor:N or step:N; may be repeated");
    bindMachine(o, a.machine);
    bindOptions(o, a.rules);
    o.add("--command", a.commands, "NAME",
          "Command to run before drawing, by its name (memory.addresses); may be repeated",
          o.notWith(isWindow, "--view window"));
    o.add("--baseline", a.baseline, "FILE", "Schedule to draw as a ghost");
    o.add("--perspective", a.perspective, "Edit|Tiles|Compare|Hardware|Systolic|Mapping|NPU", "Views to show",
          o.needs(isWindow, "--view window"));
}

int render(const RenderArguments& arguments, char** argv)
{
    const auto& [files, view, output, theme, size, perspective, baseline, machine, rules, selected, commands,
                 scale, fontSize, listViews] = arguments;
    if (listViews) {
        for (const ViewEntry& entry : viewCatalog())
            std::cout << entry.name.toStdString() << '\n';
        return 0;
    }
    if (view.empty() || output.empty())
        return fail("render needs --view and --output; see tilewright render --help");
    const HeadlessApplication app(argv);
    if (fontSize > 0) {
        QFont font = QApplication::font();
        font.setPointSizeF(fontSize);
        QApplication::setFont(font);
    }

    ExportOptions options;
    options.scale = scale;
    options.theme = theme == "dark" ? &Theme::darkTheme() : &Theme::light();
    if (!size.empty()) {
        const auto match =
            QRegularExpression(QStringLiteral("^(\\d{1,5})x(\\d{1,5})$")).match(QString::fromStdString(size));
        if (!match.hasMatch())
            return fail("--size: expected WxH in pixels, for example 1280x720, got \"" + size + "\"");
        options.size = {match.captured(1).toInt(), match.captured(2).toInt()};
    }
    QStringList paths;
    for (const std::string& f : files)
        paths << QString::fromStdString(f);
    // Check all files before drawing anything.
    std::vector<LensFile> opened;
    for (const QString& path : paths) {
        auto file = readLensFile(path);
        if (!file)
            return fail(file.error().text());
        opened.push_back(std::move(*file));
    }
    sortForOpening(opened);
    const QString other = takeCompared(opened);
    if (view == "window") {
        const Status done = renderWindow(paths, selected, QString::fromStdString(perspective),
                                         QString::fromStdString(baseline), machine, rules,
                                         QString::fromStdString(output), options);
        return done ? 0 : fail(done.error().text());
    }

    AppState state;
    QApplication::setPalette(options.theme->palette());
    state.themes.setTheme(*options.theme);
    const ViewEntry* entry = nullptr;
    for (const ViewEntry& e : viewCatalog())
        if (e.name.toStdString() == view)
            entry = &e;
    if (!entry)
        return fail("--view: there is no view \"" + view + "\"; the views are " + viewNames());
    const std::unique_ptr<View> widget(entry->create(state.context()));
    for (const LensFile& file : opened)
        if (const auto read = state.workspace.open(file); !read)
            return fail(read.error().text());
    tellDeviations(state.document);
    if (const Status used = useMachine(state.document, machine); !used)
        return fail(used.error().text());
    if (const Status used = useRules(state.document, rules); !used)
        return fail(used.error().text());
    if (const Status pinned = pinBaseline(state.document, QString::fromStdString(baseline), rules); !pinned)
        return fail(pinned.error().text());
    if (!other.isEmpty())
        if (const Status compared = state.workspace.compared().open(other); !compared)
            return fail(compared.error().text());
    // These views show the whole schedule, so nothing is selected for them. Views of one subgraph show the
    // first one.
    static const std::set<std::string> kWhole{"memory", "latency", "roofline", "run", "graph", "subgraphs"};
    if (selected.empty() && !kWhole.contains(view) && state.document.schedule().size() > 0)
        state.selection.selectSubgraph(SubgraphId(0));
    for (const std::string& s : selected)
        if (!select(state.selection, QString::fromStdString(s)))
            return fail(noSelection(s).text());
    widget->resize(options.size.isEmpty() ? widget->exportSize() : options.size);
    for (const std::string& command : commands) {
        QAction* action = state.actions.find(QString::fromStdString(command));
        if (!action)
            return fail("--command: the view has no command \"" + command + "\"");
        action->trigger();
    }
    const Status written = exportView(*widget, QString::fromStdString(output), options);
    return written ? 0 : fail(written.error().text());
}

} // namespace

void addRenderVerb(CLI::App& app, char** argv, int& exitCode)
{
    manual::addVerb<RenderArguments>(
        app, "render", "Draw a view of a workload to PNG, SVG or PDF without a display",
        [argv](const RenderArguments& a) { return render(a, argv); }, exitCode);
}

} // namespace tilewright::ui
