// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/mapping_view.h"

#include "base/text.h"
#include "hierarchy/edits.h"
#include "hierarchy/report.h"
#include "lower/machine_levels.h"
#include "mapping/edits.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "views/mapping/mapping_form.h"
#include "workspace/lens_links.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using mapping::Level;

namespace {
constexpr double kFormWidth = 264;
constexpr double kCodeLetters = 0.9; // size of the letters of the code, relative to the normal size
// width of the view in digits; if it is narrower, the breakdowns are below the loops
constexpr double kSideBySide = 96;
} // namespace

MappingView::MappingView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("mapping"), tr("Mapping"), parent),
      m_state(context.workspace.mapping())
{
    setMinimumSize(320, 200);
    m_scrollBar = new ListScroll(tr("Scroll the mapping"), this);
    connect(m_scrollBar, &QScrollBar::valueChanged, this, &MappingView::layOut);
    createControls();
    addOwnKeys();
    m_form = new MappingForm(m_state, this);
    for (auto signal : {&MappingDocument::setupChanged, &MappingDocument::baselineChanged,
                        &MappingDocument::operandChanged})
        connect(&m_state, signal, this, &MappingView::refresh);
    connect(&m_state.search(), &MappingSearch::finished, this, &MappingView::refresh);
    connect(&workspace().links(), &LensLinks::followingChanged, this, &MappingView::refreshControls);
    connect(&workspace().links(), &LensLinks::whyChanged, this, [this](Lens lens) {
        if (lens != Lens::Mapping)
            return;
        tell(workspace().links().why(lens), true);
    });
    connect(&m_state, &MappingDocument::refused, this, [this](const QString& why) { tell(why, true); });
    connect(&m_state.undoStack(), &QUndoStack::indexChanged, this, &MappingView::refreshControls);
    document().whenChanged(this, Part::Steps, [this] {
        if (isFollowing())
            refreshControls(); // the texts of the actions contain the tile that would be replaced
    });
    refresh();
    followWorkload(Lens::Mapping);
}

void MappingView::createControls()
{
    const auto action = [this](const char* id, const QString& text, const QString& iconName,
                               const QString& tip, const std::function<void(bool)>& run,
                               bool checkable = false, const QString& gesture = {}) {
        const ActionSpec spec{QStringLiteral("mapping.") + QLatin1String(id),
                              tr("Mapping"),
                              text,
                              iconName,
                              {},
                              tip,
                              checkable,
                              gesture};
        QAction* a = addCommand(spec, run);
        bar().addButton(a);
        return a;
    };
    const auto here = [](QKeySequence::StandardKey key) {
        return tr("%1 here").arg(QKeySequence(key).toString(QKeySequence::NativeText));
    };
    bar().addButton(
        addFollowCommand(Lens::Mapping, tr("Show the selected op, or the largest MatMul of the selected "
                                           "subgraph, on the open machine. An edit here ends it.")));
    bar().addButton(addUseInMachineCommand(Lens::Mapping));
    action("open", tr("Open a layer, model, hardware, method or mapping"), QStringLiteral("open"),
           tr("Open a file of this lens. Files and printed methods of the reference project are read too."),
           [this](bool) { openWithDialog(); });
    action("machineLevels", tr("Levels of the machine"), QStringLiteral("grid"),
           tr("Use the memories of the open machine as levels, with the cost model \"hierarchy\"."),
           [this](bool) { takeMachineLevels(); });
    action("saveMapping", tr("Save the method or mapping"), QStringLiteral("save"),
           tr("Write the shown method or mapping to a file of its own, as map -o does."),
           [this](bool) { saveMapping(); });
    action(
        "paste", tr("Paste a method"), QStringLiteral("down"),
        tr("Use the method, layer or hardware on the clipboard. Nested tuples and lists, as the reference "
           "project prints them, are read too."),
        [this](bool) { paste(); }, false, here(QKeySequence::Paste));
    m_undo = action(
        "undo", tr("Undo in the mapping"), QStringLiteral("undo"), tr("Undo the last change of the mapping."),
        [this](bool) { m_state.undoStack().undo(); }, false, here(QKeySequence::Undo));
    m_redo = action(
        "redo", tr("Redo in the mapping"), QStringLiteral("redo"),
        tr("Redo the change of the mapping that was undone last."),
        [this](bool) { m_state.undoStack().redo(); }, false, here(QKeySequence::Redo));
    m_pin = action("pin", tr("Pin the mapping as baseline"), QStringLiteral("pin"),
                   tr("Compare all later states with this one."), [this](bool) { m_state.pinBaseline(); });
    m_unpin = action("unpin", tr("Remove the mapping's baseline"), QStringLiteral("delete"),
                     tr("Compare with the optimum again."), [this](bool) { m_state.clearBaseline(); });
    action("copyCode", tr("Copy the loop nest as code"), QStringLiteral("copy"),
           tr("Copy the tiled loop nest as C-like text."),
           [this](bool) { QApplication::clipboard()->setText(m_codeText); });
    m_copyTable = addCommand({QStringLiteral("mapping.copyTable"),
                              tr("Mapping"),
                              tr("Copy the table of levels"),
                              QStringLiteral("grid"),
                              {},
                              tr("Copy reads, writes, energy, times and waiting of every level as text.")},
                             [this](bool) { QApplication::clipboard()->setText(levelTableAsText(m_table)); });
    m_tableButton = bar().addButton(m_copyTable);
    action(
        "code", tr("Show the loop nest as code"), QStringLiteral("loops"),
        tr("Show the tiled nest as text instead of the breakdowns."),
        [this](bool on) {
            m_code = on;
            refresh();
        },
        true);
    QAction* form = action(
        "form", tr("Layer and hardware fields"), QStringLiteral("settings"),
        tr("Show the fields of the layer and the hardware beside the loops."),
        [this](bool on) {
            m_form->setVisible(on);
            layOut();
        },
        true);
    form->setChecked(true);

    QStringList names{tr("choose…")};
    QStringList paths{QString()};
    for (const MappingSample& s : mappingSamples(QStringLiteral("layers"))) {
        names << s.name;
        paths << s.path;
    }
    for (const MappingSample& s : mappingSamples(QStringLiteral("architectures"))) {
        names << tr("hardware %1").arg(s.name);
        paths << s.path;
    }
    for (const MappingSample& s : mappingSamples(QStringLiteral("hierarchies"))) {
        names << tr("hardware with levels %1").arg(s.name);
        paths << s.path;
    }
    m_samples =
        bar().addChoice(tr("Sample"), names, tr("Open one of the samples that come with Tilewright."));
    connect(m_samples, &QComboBox::activated, this, [this, paths](int i) {
        if (i > 0)
            if (const Status opened = m_state.openText(
                    mappingSampleText(paths[i].section(QStringLiteral("mapping/"), 1)), paths[i]);
                !opened)
                Q_EMIT m_state.refused(QString::fromStdString(opened.error().text()));
        m_samples->setCurrentIndex(0);
    });
    for (const auto& [level, id, text, shortText] :
         {std::tuple{Level::Rf, "takeRf", tr("Use the tile of the register files"), tr("RF tile")},
          std::tuple{Level::Spm, "takeSpm", tr("Use the tile of the scratchpad"), tr("SPM tile")}}) {
        QAction* take =
            addCommand({QStringLiteral("mapping.") + QLatin1String(id),
                        tr("Mapping"),
                        text,
                        QStringLiteral("up"),
                        {},
                        tr("Set the subgraph's granularity to the tile of this method at this level.")},
                       [this, level = level](bool) { takeTile(level); });
        take->setIconText(shortText);
        m_ofFourLevels.push_back(bar().addButton(take));
        m_ofFourLevels.back()->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        m_tileActions.emplace_back(level, take);
    }
    m_load = bar().addChoice(
        tr("Load"), {tr("an optimum…"), tr("minimum energy"), tr("fewest cycles"), tr("minimum EDP")},
        tr("Load the best method that the search has found."));
    connect(m_load, &QComboBox::activated, this, [this](int i) {
        if (const auto& found = m_state.search().found(); found && i > 0)
            if (const auto& best = found->best[static_cast<std::size_t>(i - 1)])
                m_state.applyMapping(best->mapping, tr("Load the method of %1").arg(m_load->itemText(i)));
        m_load->setCurrentIndex(0);
    });
}

void MappingView::openWithDialog()
{
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Open layers, hardware, methods"), {}, tr("Mapping files (*.json *.txt);;All files (*)"));
    for (const QString& path : paths) {
        // A text of unknown kind may be a method file.
        Status opened = Unit{};
        if (const auto file = readLensFile(path); !file || file->lens() != Lens::Mapping)
            opened = m_state.openFile(path);
        else if (const auto taken = workspace().open(*file); !taken)
            opened = taken.error();
        if (!opened)
            Q_EMIT m_state.refused(QString::fromStdString(opened.error().text()));
    }
}

void MappingView::saveMapping()
{
    const QString name = m_state.setup().levels ? tr("mapping.json") : tr("method.json");
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the mapping"), name, tr("JSON (*.json)"));
    if (path.isEmpty())
        return;
    if (const Status saved = m_state.saveMapping(path); !saved)
        Q_EMIT m_state.refused(QString::fromStdString(saved.error().text()));
}

void MappingView::takeMachineLevels()
{
    const auto& machine = document().machine();
    if (!machine)
        return tell(tr("No machine is open: open a model, or choose a machine in the dock Machine."), true);
    const auto levels = lower::levelsOf(*machine);
    const Status shown = !levels ? Status(levels.error())
                         : workspace().links().isFollowing(Lens::Mapping)
                             ? m_state.followOn(levels->architecture)
                             : m_state.applyLevels(levels->architecture);
    if (!shown)
        return tell(QString::fromStdString(shown.error().text()), true);
    QStringList notes;
    for (const std::string& note : levels->notes)
        notes << sentence(note);
    tell(notes.join(QLatin1Char(' ')), false);
}

void MappingView::paste()
{
    const QString text = QApplication::clipboard()->text();
    if (const Status opened = m_state.openText(text.toStdString(), tr("clipboard")); !opened)
        Q_EMIT m_state.refused(QString::fromStdString(opened.error().text()));
}

// -- state -----------------------------------------------------------------------------------------------

void MappingView::refresh()
{
    const MappingSetup& setup = m_state.setup();
    m_model = buildNest(m_state);
    m_breakdown = buildBreakdown(m_state);
    m_table = buildLevelTable(m_state);
    m_codeText = QString::fromStdString(
        setup.levels ? hierarchy::pseudoCode(m_state.nest(), *setup.levels, setup.mapping)
                     : mapping::pseudoCode(m_state.nest(), setup.method));
    m_message.clear();
    m_overlay.hover.reset();
    m_pressed.reset(); // forget the pressed item: it belongs to the earlier nest and must not be dragged
    if (m_overlay.drag)
        cancelDrag();
    refreshControls();
    layOut();
    ensureFocus();
    refreshEffects();
    QString summary = m_model.title;
    for (const NestMetric& m : m_model.metrics)
        summary += QStringLiteral("; %1 %2").arg(m.name, m.value);
    if (!m_model.violation.isEmpty())
        summary += QStringLiteral("; ") + m_model.violation;
    setAccessibleDescription(summary);
    update();
}

void MappingView::refreshControls()
{
    Actions::setAvailable(m_undo, {m_state.undoStack().canUndo(), tr("Nothing has been edited.")});
    Actions::setAvailable(m_redo, {m_state.undoStack().canRedo(), tr("There is no undone edit.")});
    Actions::setAvailable(m_unpin, {m_state.baseline().has_value(), tr("No state is pinned.")});
    const LensLinks& links = workspace().links();
    for (const auto& [level, take] : m_tileActions) {
        const auto tile = links.tileToTake(level);
        if (!tile) {
            Actions::setAvailable(
                take,
                {false,
                 tr("The lens does not show a MatMul of the open schedule, or the method is invalid.")});
            continue;
        }
        const auto size = [](const Granularity& g) { return sizeText({g.w, g.h, g.k}); };
        const QString why =
            tile->found == tile->legal
                ? QString()
                : QLatin1Char(' ') + tr("The tile of the level is %1, but a tile of the schedule is at most "
                                        "the native size and at most the size of the MatMul.")
                                         .arg(size(tile->found));
        Actions::setAvailable(
            take,
            {tile->legal != tile->now,
             tr("Subgraph %1 already has this tile: %2.").arg(tile->subgraph.index()).arg(size(tile->legal)) +
                 why});
        if (tile->legal != tile->now)
            take->setToolTip(
                tr("Set the tile of subgraph %1 to the tile of this level: %2 (w × h × k) instead of %3.")
                    .arg(tile->subgraph.index())
                    .arg(size(tile->legal), size(tile->now)) +
                why);
    }
    const bool levels = m_state.setup().levels.has_value();
    for (QToolButton* button : m_ofFourLevels)
        bar().setShown(button, !levels);
    bar().setShown(m_tableButton, levels);
    Actions::setAvailable(m_copyTable, {!m_table.table.columns.empty(),
                                        levels ? tr("The mapping has no figures: see its fault.")
                                               : tr("The open architecture has four levels.")});
    const bool found = m_state.search().found() && m_state.search().found()->best[0];
    m_load->setEnabled(found);
    m_load->setToolTip(found ? m_load->accessibleDescription()
                             : tr("No methods found yet: start the search in the view Mapping search."));
}

QSize MappingView::exportSize() const
{
    constexpr QSize kUsual(1280, 640);
    if (!m_state.setup().levels)
        return kUsual;
    const double height = layoutIn({0, 0, static_cast<double>(kUsual.width()), 0}).height;
    return {kUsual.width(), std::max(kUsual.height(), static_cast<int>(std::ceil(height)))};
}

void MappingView::settle()
{
    m_state.settle();
}

void MappingView::bringUpToDate()
{
    ToolCanvas::bringUpToDate();
    refreshControls(); // the texts of the actions contain the tile that would be replaced
}

void MappingView::takeTile(Level level)
{
    const auto tile = workspace().links().tileToTake(level);
    if (!tile)
        return;
    workspace().links().takeTile(level);
    const auto size = [](const Granularity& g) { return sizeText({g.w, g.h, g.k}); };
    QString said = tr("Subgraph %1: tile %2 instead of %3")
                       .arg(tile->subgraph.index())
                       .arg(size(tile->legal), size(tile->now));
    if (tile->found != tile->legal)
        said += tr("; the level's tile %1 is cut to the native size").arg(size(tile->found));
    tell(said, false);
}

void MappingView::tell(const QString& message, bool refused)
{
    m_message = message;
    m_refused = refused;
    update();
}

QString MappingView::copyText() const
{
    const QString words = modelWords(m_state.setup(), m_state.nest()).join(QStringLiteral(", "));
    const MappingSetup& setup = m_state.setup();
    const std::string printed = setup.levels ? printMapping(m_state.nest(), *setup.levels, setup.mapping)
                                             : mapping::printMethod(m_state.nest(), setup.method);
    return tableText() + words + (words.isEmpty() ? QString() : QStringLiteral("\n")) +
           QString::fromStdString(printed);
}

QString MappingView::tableText() const
{
    QString out = breakdownAsText(m_breakdown) + QLatin1Char('\n');
    if (const QString table = levelTableAsText(m_table); !table.isEmpty())
        out += table + QLatin1Char('\n');
    return out;
}

// -- layout and painting ---------------------------------------------------------------------------------

QRectF MappingView::canvasArea() const
{
    QRectF area = contentArea();
    if (m_form && !m_form->isHidden())
        area.setLeft(area.left() + m_form->width());
    if (m_scrollBar && !m_scrollBar->isHidden())
        area.setRight(m_scrollBar->geometry().left());
    return area;
}

MappingView::Layout MappingView::layoutIn(const QRectF& area) const
{
    Layout out;
    const bool beside =
        area.width() >= kSideBySide * QFontMetricsF(uiFont()).horizontalAdvance(QLatin1Char('8'));
    const double body = beside ? std::floor(area.width() * 0.6) : area.width();
    QRectF place = area;
    place.setHeight(0);
    const double codeHeight = QFontMetricsF(numberFont(kCodeLetters)).height() *
                                  static_cast<double>(m_codeText.count(QLatin1Char('\n')) + 1) +
                              40;
    const NestPlaces least = nestPlaces(place, body, m_model);
    const double head = least.operands[0].top() - area.top();
    const QRectF sideLeast(0, 0, beside ? area.width() - body : area.width(), 0);
    const double tableHeight = levelTableHeight(m_table);
    const double sideHeight = m_code ? codeHeight : breakdownPlaces(sideLeast, m_breakdown).height + 16;
    const double beneath = beside ? std::max(least.height, head + sideHeight) : least.height + sideHeight;
    // The table of levels gets the whole width if its digits need it and the view is high enough.
    const bool inBody =
        beside && tableHeight > 0 && levelTableWidth(m_table, true) <= body - 24 &&
        (beneath + tableHeight > area.height() || levelTableWidth(m_table, false) <= body - 24);
    const double below = inBody ? 0 : tableHeight;
    if (beside) {
        place.setHeight(std::max({area.height() - below, beneath, inBody ? least.height + tableHeight : 0}));
        // On an architecture with levels the cards do not grow, so that the axes stay near their loops.
        out.nest = m_state.setup().levels ? least : nestPlaces(place, body, m_model);
        out.side = QRectF(area.left() + body, area.top() + head, area.width() - body, place.height() - head);
        out.height = place.height();
    } else {
        out.nest = least;
        out.side = QRectF(area.left(), area.top() + least.height, area.width(),
                          std::max(sideHeight, area.height() - below - least.height));
        out.height = least.height + out.side.height();
    }
    out.table = inBody ? QRectF(area.left() + 12, area.top() + least.height, body - 24, tableHeight)
                       : QRectF(area.left() + 12, area.top() + out.height, area.width() - 24, tableHeight);
    out.height += below;
    out.bars = breakdownPlaces(out.side, m_breakdown);
    return out;
}

void MappingView::layOut()
{
    const QRectF content = contentArea();
    if (m_form) {
        // The form is wide enough for its fields in large fonts, provided that the loops keep the larger part
        // of the view.
        const double wanted = m_form->widget()->minimumSizeHint().width() + 22.0;
        const double w = std::min(std::max(kFormWidth, wanted), content.width() * 0.45);
        m_form->setGeometry(QRectF(content.left(), content.top(), w, content.height()).toRect());
    }
    // The scroll bar takes space only if it is needed. It may be the caller of this function, so it is not
    // hidden meanwhile.
    const QSignalBlocker blocker(m_scrollBar);
    QRectF area = content;
    if (m_form && !m_form->isHidden())
        area.setLeft(area.left() + m_form->width());
    const QRectF whole = area;
    area.setRight(whole.right() - m_scrollBar->widthFor(whole, layoutIn(whole).height));
    m_layout = layoutIn(area);
    m_scrollBar->place(whole, m_layout.height);
    if (m_scrollBar->value() > 0) {
        area.translate(0, -m_scrollBar->value());
        m_layout = layoutIn(area);
    }
    update();
}

void MappingView::contentResized()
{
    layOut();
}

void MappingView::panBy(QPointF pixels)
{
    m_scrollBar->setValue(m_scrollBar->value() - static_cast<int>(std::round(pixels.y())));
}

void MappingView::paintCode(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const QRectF box = area.adjusted(12, 0, -12, -12);
    painter.setPen(QPen(theme.grid, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    const QStringList codeLines = m_codeText.split(QLatin1Char('\n'));
    const auto commentIn = [](const QString& line) { return line.indexOf(QLatin1String("//")); };
    // Letters become smaller, within limits, until the code of every line fits; comments may be cut.
    const QFontMetricsF usual(numberFont(kCodeLetters));
    double widest = 1;
    for (const QString& line : codeLines)
        widest = std::max(widest, usual.horizontalAdvance(line.left(commentIn(line))));
    const double fitting = std::clamp((box.width() - 20) / widest, 0.7, 1.0);
    painter.setFont(numberFont(kCodeLetters * fitting));
    const QFontMetricsF fm(painter.font());
    double y = box.top() + 8 + fm.ascent();
    for (const QString& line : codeLines) {
        const qsizetype comment = commentIn(line);
        const QString shown = fm.elidedText(line, Qt::ElideRight, box.width() - 20);
        const QString code = comment >= 0 ? shown.left(comment) : shown;
        painter.setPen(theme.text);
        painter.drawText(QPointF(box.left() + 10, y), code);
        if (comment >= 0 && comment < shown.size()) {
            painter.setPen(theme.muted);
            painter.drawText(QPointF(box.left() + 10 + fm.horizontalAdvance(code), y), shown.mid(comment));
        }
        y += fm.height();
    }
}

void MappingView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    const Layout own = exporting ? layoutIn(area) : Layout{};
    const Layout& places = exporting ? own : m_layout;
    const QRectF clip = exporting ? area : canvasArea();
    painter.save();
    painter.setClipRect(clip);
    NestOverlay overlay = exporting ? NestOverlay{} : m_overlay;
    overlay.visibleBottom = clip.bottom();
    paintNest(painter, m_model, places.nest, theme, overlay);
    if (m_code)
        paintCode(painter, places.side, theme);
    else
        paintBreakdown(painter, m_breakdown, places.bars, theme);
    paintLevelTable(painter, m_table, places.table, theme);
    if (!exporting && m_overlay.drag && m_overlay.drop) {
        paintDropCard(painter, *m_overlay.drop, m_overlay.cursor, clip, theme);
    } else if (!exporting && !m_message.isEmpty()) {
        painter.setFont(uiFont());
        const QFontMetricsF fm(painter.font());
        const QString text = fm.elidedText((m_refused ? QStringLiteral("✗ ") : QString()) + m_message,
                                           Qt::ElideRight, clip.width() - 48);
        const QColor& ink = m_refused ? theme.error : theme.text;
        const QRectF box(clip.left() + 12, clip.bottom() - fm.height() - 20, fm.horizontalAdvance(text) + 24,
                         fm.height() + 12);
        painter.setPen(QPen(m_refused ? theme.error : theme.outline, 1.5));
        painter.setBrush(theme.raised);
        painter.drawRoundedRect(box, 5, 5);
        painter.setPen(ink);
        painter.drawText(box, Qt::AlignCenter, text);
    }
    painter.restore();
}

} // namespace tilewright::ui
