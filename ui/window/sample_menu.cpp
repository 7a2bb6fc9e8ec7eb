// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/sample_menu.h"

#include "theme/words.h"
#include "workspace/installed_files.h"

#include <QDir>
#include <QMenu>

#include <algorithm>

namespace tilewright::ui {

namespace {

const QString kScheduleEnding = QStringLiteral(".schedule.json");

void addFiles(QMenu& menu, const QString& text, const QStringList& files, const OpenFiles& open)
{
    QObject::connect(menu.addAction(text), &QAction::triggered, &menu, [open, files] { open(files); });
}

} // namespace

QFileInfoList sampleProblems()
{
    QFileInfoList files = QDir(samplesFolder() + QStringLiteral("/schedule"))
                              .entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
    files.removeIf([](const QFileInfo& file) { return file.fileName().endsWith(kScheduleEnding); });
    return files;
}

QStringList schedulesBeside(const QFileInfo& problem)
{
    const QString base = problem.completeBaseName();
    QStringList paths;
    for (const QFileInfo& file :
         problem.dir().entryInfoList({base + kScheduleEnding, base + QStringLiteral(".*") + kScheduleEnding},
                                     QDir::Files, QDir::Name))
        paths << file.filePath();
    return paths;
}

QString problemBeside(const QFileInfo& schedule)
{
    const QString name = schedule.fileName();
    if (!name.endsWith(kScheduleEnding))
        return {};
    QString base = name.chopped(kScheduleEnding.size());
    while (!base.isEmpty()) {
        QString problem = schedule.dir().filePath(base + QStringLiteral(".json"));
        if (QFileInfo::exists(problem))
            return problem;
        base.truncate(std::max<qsizetype>(base.lastIndexOf(QLatin1Char('.')), 0));
    }
    return {};
}

QString scheduleTitle(const QFileInfo& problem, const QString& schedule)
{
    const QString name = QFileInfo(schedule).fileName().mid(problem.completeBaseName().size() + 1);
    if (name.size() <= kScheduleEnding.size())
        return tr("With its schedule");
    const QString own = name.chopped(kScheduleEnding.size());
    const bool lettered = own.size() > 2 && own[1] == QLatin1Char('-');
    const QString words = QString(lettered ? own.mid(2) : own).replace(QLatin1Char('-'), QLatin1Char(' '));
    return lettered ? own[0].toUpper() + QStringLiteral(": ") + words : words;
}

void addSchedules(QMenu& menu, const QFileInfo& problem, const OpenFiles& open)
{
    const QStringList schedules = schedulesBeside(problem);
    addFiles(menu, tr("Start with one op per subgraph"), {problem.filePath()}, open);
    for (const QString& path : schedules)
        addFiles(menu, scheduleTitle(problem, path), {problem.filePath(), path}, open);
    if (schedules.size() > 1) {
        menu.addSeparator();
        addFiles(menu, tr("Compare all schedules"), QStringList{problem.filePath()} + schedules, open);
    }
}

std::vector<SampleKind> sampleKinds()
{
    return {{QStringLiteral("models"), tr("Model"), tr("A network on a machine, for all lenses.")},
            {QStringLiteral("npu"), tr("NPU model"), tr("Simulate a model tile by tile on several cores.")},
            {QStringLiteral("mapping/layers"), tr("Layer to map"),
             tr("Tile and order the loops of one layer for the least energy or the fewest cycles.")},
            {QStringLiteral("mapping/models"), tr("Network to map"),
             tr("Map every layer of a network, each with a proof of optimality.")}};
}

void addSamples(QMenu& menu, const SampleKind& kind, const OpenFiles& open)
{
    for (const QFileInfo& file :
         QDir(samplesFolder() + QLatin1Char('/') + kind.folder)
             .entryInfoList({QStringLiteral("*.json"), QStringLiteral("*.csv"), QStringLiteral("*.onnx")},
                            QDir::Files, QDir::Name))
        addFiles(menu,
                 (file.suffix() == QLatin1String("onnx") ? file.fileName() : file.completeBaseName())
                     .replace(QLatin1Char('_'), QLatin1Char('-')),
                 {file.filePath()}, open);
}

void addAllSamples(QMenu& menu, const OpenFiles& open)
{
    for (const QFileInfo& problem : sampleProblems()) {
        if (schedulesBeside(problem).isEmpty())
            addFiles(menu, problem.completeBaseName(), {problem.filePath()}, open);
        else
            addSchedules(*menu.addMenu(problem.completeBaseName()), problem, open);
    }
    menu.addSeparator();
    for (const SampleKind& kind : sampleKinds()) {
        QMenu* some = menu.addMenu(kind.text);
        addSamples(*some, kind, open);
        some->menuAction()->setVisible(!some->isEmpty());
    }
}

} // namespace tilewright::ui
