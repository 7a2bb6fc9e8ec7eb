// SPDX-License-Identifier: GPL-3.0-or-later
// tilewright-cli as a process. For tests/cli, whose targets define TILEWRIGHT_CLI.
#pragma once

#include <QProcess>
#include <QStringList>

#include <nlohmann/json.hpp>

namespace tilewright::test {

struct CliRun
{
    int code = -1;
    QByteArray out, err;

    [[nodiscard]] nlohmann::ordered_json json() const
    {
        return nlohmann::ordered_json::parse(out.toStdString());
    }
};

inline CliRun runCli(const QStringList& arguments)
{
    QProcess process;
    process.start(QStringLiteral(TILEWRIGHT_CLI), arguments);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        qFatal("tilewright-cli %s did not end well", qPrintable(arguments.join(QLatin1Char(' '))));
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace tilewright::test
