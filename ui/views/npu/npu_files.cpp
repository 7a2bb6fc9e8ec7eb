// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_files.h"

#include "base/file.h"
#include "npu/output.h"

namespace tilewright::ui {

QString npuFileName(const NpuResult& result, NpuFile what)
{
    QString name = QString::fromStdString(result.graph->name).simplified();
    for (QChar& c : name)
        if (!c.isLetterOrNumber())
            c = QLatin1Char('-');
    if (name.isEmpty())
        name = QStringLiteral("model");
    return name + (what == NpuFile::Graph   ? QStringLiteral(".graph.json")
                   : what == NpuFile::Trace ? QStringLiteral(".trace.json")
                                            : QStringLiteral(".operators.csv"));
}

Status writeNpuFile(const NpuResult& result, NpuFile what, const QString& path)
{
    const std::string file = path.toStdString();
    const npu::NpuHardware& hardware = result.settings.hardware;
    switch (what) {
    case NpuFile::Graph:
        return npu::writeGraph(
            *result.graph, hardware,
            npu::makeStaticSchedule(*result.graph, hardware, result.run->options.assignment), file);
    case NpuFile::Trace:
        return npu::writeTrace(*result.graph, *result.run, file);
    case NpuFile::Operators:
        break;
    }
    return writeFileAtomically(file, npu::opReportsToCsv(npu::opReports(*result.graph, *result.run)));
}

} // namespace tilewright::ui
