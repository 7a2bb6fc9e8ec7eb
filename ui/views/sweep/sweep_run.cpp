// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sweep/sweep_run.h"

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "schedule/schedule_json.h"
#include "theme/text.h"
#include "workload/problem_json.h"
#include "workspace/texts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace tilewright::ui {

namespace {

// Factor of the default range of a capacity: from 1/16 to 16 times the current value.
constexpr double kWide = 16;
constexpr double kNarrow = 4; // factor of the default range of all other parameters
constexpr int kWidePoints = 17;
constexpr int kNarrowPoints = 9;

struct HardwareValue
{
    const char* path;
    const char* title;
    const char* tip;
    std::int64_t value;
};

std::vector<SweepParameter> hardwareParameters(const Hardware& hw)
{
    std::vector<SweepParameter> out;
    for (const HardwareValue& v :
         {HardwareValue{"fast_memory_capacity", QT_TR_NOOP("Fast memory capacity"),
                        QT_TR_NOOP("Capacity of fast memory in elements."), hw.fastMemoryCapacity},
          HardwareValue{"slow_memory_bandwidth", QT_TR_NOOP("Slow memory bandwidth"),
                        QT_TR_NOOP("Elements moved per unit of time."), hw.slowMemoryBandwidth},
          HardwareValue{"native_width", QT_TR_NOOP("Native width"),
                        QT_TR_NOOP("Columns of the compute unit."), hw.nativeWidth},
          HardwareValue{"native_height", QT_TR_NOOP("Native height"), QT_TR_NOOP("Rows of the compute unit."),
                        hw.nativeHeight},
          HardwareValue{"native_depth", QT_TR_NOOP("Native depth"),
                        QT_TR_NOOP("Reduction depth of the compute unit."), hw.nativeK()}})
        out.push_back({QLatin1String(v.path), tr(v.title), MachineUnit::Count, static_cast<double>(v.value),
                       tr(v.tip)});
    return out;
}

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

/// True for tasks whose points have schedules of a problem.
bool isOfProblem(SweepTask task)
{
    return task <= SweepTask::Traffic || task == SweepTask::Run || task == SweepTask::RunHere;
}

MachineLens lensOf(SweepTask task)
{
    return isOfProblem(task) || isOfLanguage(task) ? MachineLens::Schedule
           : task <= SweepTask::NpuTiles           ? MachineLens::Npu
           : task == SweepTask::Mapping            ? MachineLens::Mapping
                                                   : MachineLens::Systolic;
}

/// Returns the parameters of a machine that influence the result of a task.
std::vector<SweepParameter> machineParameters(const Machine& machine, SweepTask task)
{
    const MachineLens lens = lensOf(task);
    const QString pad = QString::fromStdString(std::string(toString(machine.scratchpad)));
    const QString padPath = QStringLiteral("levels.%1.bytes").arg(pad);
    const QString ratePath = QStringLiteral("levels.external.gb_per_s");
    const QStringList first{padPath, ratePath, QStringLiteral("array.rows"), QStringLiteral("array.cols"),
                            QStringLiteral("cores")};
    std::vector<SweepParameter> out;
    for (const MachineField& field : machineFields(machine)) {
        if (field.unit == MachineUnit::Word || field.unit == MachineUnit::List || !field.editable ||
            field.summary)
            continue;
        const bool isOfLens = std::ranges::find(field.lenses, lens) != field.lenses.end();
        if (!isOfLens && !(isOfLanguage(task) && field.path.starts_with("links.")))
            continue;
        SweepParameter p;
        p.path = QString::fromStdString(field.path);
        p.title = capitalised(word(field.group)) + QStringLiteral(": ") + word(field.label);
        p.unit = field.unit;
        p.now = QString::fromStdString(field.value).toDouble();
        p.tip = word(field.meaning);
        if (p.path == padPath) {
            const std::int64_t buffers = machine.at(machine.scratchpad).buffers;
            p.title = buffers == 1 ? tr("Fast memory (%1)").arg(pad.toUpper())
                                   : tr("Fast memory (%1, each of %2)").arg(pad.toUpper()).arg(buffers);
        } else if (p.path == ratePath) {
            p.title = tr("Slow memory bandwidth");
        }
        out.push_back(std::move(p));
    }
    const auto place = [&](const SweepParameter& p) {
        const qsizetype at = first.indexOf(p.path);
        return at < 0 ? first.size() : at;
    };
    std::ranges::stable_sort(out, {}, place);
    return out;
}

/// Returns the sizes of a language model or the free dimensions of an ONNX model as parameters.
std::vector<SweepParameter> dimensionParameters(const Document& document)
{
    std::vector<SweepParameter> out;
    const auto add = [&](const std::string& name, const QString& title, double now, const QString& tip) {
        out.push_back({QStringLiteral("dimensions.") + QString::fromStdString(name), title,
                       MachineUnit::Count, now, tip});
    };
    for (const onnx::FreeDimension& d : document.freeDimensions())
        add(d.name, QString::fromStdString(d.name),
            static_cast<double>(document.dimensions().contains(d.name) ? document.dimensions().at(d.name)
                                                                       : d.example),
            tr("Free dimension of the model."));
    const auto& model = document.model();
    if (!model || !model->workload->language)
        return out;
    const llm::LlmScope& scope = *model->workload->language;
    const llm::LlmOptions& o = scope.options;
    const auto size = [&](const char* name, const QString& title, std::int64_t now, const QString& tip) {
        add(name, title, static_cast<double>(now), tip);
    };
    size("batch", tr("Batch"), o.batch, tr("Sequences at once."));
    if (o.phase != llm::LlmPhase::Decode)
        size("prompt", tr("Prompt"), o.prompt, tr("Tokens of a sequence that are computed."));
    if (o.phase != llm::LlmPhase::Prefill)
        size("cached", tr("Cached tokens"), o.cached, tr("Tokens of a sequence in the cache."));
    if (o.phase == llm::LlmPhase::Decode)
        size("tokens", tr("Tokens a step"), o.tokens, tr("Tokens of a sequence in one step."));
    size("chips", tr("Chips"), o.chips, tr("Chips that share every layer."));
    size("stages", tr("Stages"), o.stages, tr("Groups of chips, one after another, that share the layers."));
    if (scope.config.experts) {
        size("expert_chips", tr("Chips of experts"), o.expertChips,
             tr("Chips that share the routed experts, each with sequences of its own."));
        size("expert_skew_1000ths", tr("Skew of experts, in thousandths"), o.expertSkew,
             tr("Expert I of a layer gets tokens in proportion to 1 / I to the power of this number."));
    }
    constexpr std::int64_t kUsualBits = 16;
    for (const auto& [name, title, bits] :
         {std::tuple("weight_bits", tr("Weight bits"), o.weightBits),
          std::tuple("activation_bits", tr("Activation bits"), o.activationBits),
          std::tuple("kv_bits", tr("KV bits"), scope.config.kvBits)})
        size(name, title, bits > 0 ? (bits + llm::kBit - 1) / llm::kBit : kUsualBits,
             tr("Bits of an element, instead of those of the file."));
    return out;
}

/// Returns an axis whose values are the machine presets.
SweepParameter presetsAsAxis(const Machine& machine)
{
    SweepParameter out;
    out.path = QString::fromUtf8(sweep::kMachineAxis.data(), std::ssize(sweep::kMachineAxis));
    out.title = tr("Machine");
    out.tip = tr("Presets, each a machine of its own. Machines that are not set up for the workload fail.");
    for (const MachinePreset& preset : machinePresets())
        out.words << QString::fromStdString(std::string(preset.name));
    const auto preset = machinePreset(machine.name);
    out.now = preset && *preset == machine
                  ? static_cast<double>(out.words.indexOf(QString::fromStdString(machine.name)))
                  : -1;
    return out;
}

/// True for a task of the Schedule lens on a problem that has its own hardware.
bool isOnOwnHardware(const Document& document, SweepTask task)
{
    return !document.model() && isOfProblem(task);
}

sweep::Axis planAxis(const SweepAxis& axis)
{
    sweep::Axis out;
    out.name = axis.path.toStdString();
    if (!axis.words.isEmpty()) {
        for (const QString& name : axis.words)
            out.values.push_back({name.toStdString()});
        return out;
    }
    out.range = sweep::AxisRange{axis.from, axis.to, axis.points, axis.isLogarithmic};
    return out;
}

QJsonObject axisJson(const SweepAxis& axis)
{
    return {{QStringLiteral("path"), axis.path},
            {QStringLiteral("from"), axis.from},
            {QStringLiteral("to"), axis.to},
            {QStringLiteral("points"), axis.points},
            {QStringLiteral("log"), axis.isLogarithmic},
            {QStringLiteral("words"), QJsonArray::fromStringList(axis.words)}};
}

} // namespace

sweep::Plan taskPlan(const SweepSetup& setup)
{
    using sweep::What;
    sweep::Plan plan;
    switch (setup.task) {
    case SweepTask::Traffic:
        plan.minimise = sweep::Minimise::Traffic;
        [[fallthrough]];
    case SweepTask::Solve:
    case SweepTask::SolveHere:
        plan.budget.iterations = setup.iterations;
        break;
    case SweepTask::Evaluate:
        plan.what = What::Evaluate;
        break;
    case SweepTask::Bound:
        plan.what = What::Bound;
        break;
    case SweepTask::Run:
        plan.lens = sweep::Lens::Run;
        plan.budget.iterations = setup.iterations;
        break;
    case SweepTask::RunHere:
        plan.lens = sweep::Lens::Run;
        plan.what = What::Evaluate;
        break;
    case SweepTask::NpuStatic:
    case SweepTask::NpuDynamic:
    case SweepTask::NpuTiles:
        plan.lens = sweep::Lens::Npu;
        plan.what = setup.task == SweepTask::NpuStatic ? What::Static : What::Dynamic;
        plan.tiles = setup.task == SweepTask::NpuTiles ? sweep::Tiles::Searched : sweep::Tiles::Default;
        break;
    case SweepTask::Mapping:
        plan.lens = sweep::Lens::Mapping;
        plan.what = What::Optimum;
        plan.budget.seconds = setup.seconds;
        break;
    case SweepTask::Systolic:
        plan.lens = sweep::Lens::Systolic;
        plan.what = What::Table;
        break;
    case SweepTask::StepFloor:
    case SweepTask::StepSchedule:
    case SweepTask::StepNpu:
        plan.lens = sweep::Lens::Language;
        plan.what = setup.task == SweepTask::StepFloor      ? What::Bound
                    : setup.task == SweepTask::StepSchedule ? What::Evaluate
                                                            : What::Dynamic;
        break;
    }
    return plan;
}

QString SweepParameter::text(double value) const
{
    if (!words.isEmpty())
        return words.value(static_cast<qsizetype>(std::lround(value)));
    MachineField field;
    field.unit = unit;
    field.value = formatNumber(value);
    return machineValueText(field);
}

Result<double> SweepParameter::typed(const QString& text) const
{
    const auto value = typedMachineValue(text, unit);
    if (!value)
        return value.error();
    return value->toDouble();
}

bool SweepParameter::isFractional() const
{
    return words.isEmpty() && unit != MachineUnit::Count && unit != MachineUnit::Bytes &&
           unit != MachineUnit::BytesPerCycle;
}

QJsonObject sweepSetupJson(const SweepSetup& s)
{
    return {{QStringLiteral("task"), static_cast<int>(s.task)},
            {QStringLiteral("axes"), QJsonArray{axisJson(s.axes[0]), axisJson(s.axes[1])}},
            {QStringLiteral("iterations"), s.iterations},
            {QStringLiteral("seconds"), s.seconds},
            {QStringLiteral("within"), s.within},
            {QStringLiteral("limit"), s.limit},
            {QStringLiteral("metric"), s.metric},
            {QStringLiteral("against"), s.against},
            {QStringLiteral("picture"), static_cast<int>(s.picture)}};
}

SweepSetup sweepSetupOf(const QJsonObject& json)
{
    SweepSetup out;
    const auto number = [&](const char* name, int low, int high, int usual) {
        return std::clamp(json[QLatin1String(name)].toInt(usual), low, high);
    };
    out.task = static_cast<SweepTask>(number("task", 0, static_cast<int>(kLastSweepTask), 0));
    const QJsonArray axes = json[QStringLiteral("axes")].toArray();
    for (int i = 0; i < 2; ++i) {
        const QJsonObject a = axes[i].toObject();
        out.axes.at(static_cast<std::size_t>(i)) = {
            a[QStringLiteral("path")].toString(),  a[QStringLiteral("from")].toDouble(),
            a[QStringLiteral("to")].toDouble(),    std::clamp(a[QStringLiteral("points")].toInt(2), 1, 1000),
            a[QStringLiteral("log")].toBool(true), a[QStringLiteral("words")].toVariant().toStringList()};
    }
    out.iterations = number("iterations", 1, 100'000'000, out.iterations);
    out.seconds = number("seconds", 0, 3600, 0);
    out.within = number("within", 0, 100, out.within);
    out.limit = std::max(0.0, json[QStringLiteral("limit")].toDouble());
    out.metric = json[QStringLiteral("metric")].toString();
    out.against = json[QStringLiteral("against")].toString();
    out.picture = static_cast<SweepPicture>(number("picture", 0, static_cast<int>(SweepPicture::Table), 0));
    return out;
}

std::vector<SweepParameter> sweepParameters(Document& document, SweepTask task)
{
    if (!document.hasProblem())
        return {};
    if (isOnOwnHardware(document, task))
        return hardwareParameters(document.problem()->hardware());
    if (!document.machine())
        return {};
    std::vector<SweepParameter> out = machineParameters(*document.machine(), task);
    const std::vector<SweepParameter> sizes = dimensionParameters(document);
    out.insert(isOfLanguage(task) ? out.begin() : out.end(), sizes.begin(), sizes.end());
    out.push_back(presetsAsAxis(*document.machine()));
    return out;
}

SweepAxis defaultAxis(const SweepParameter& p)
{
    if (!p.words.isEmpty())
        return {p.path, 0,      static_cast<double>(p.words.size() - 1), static_cast<int>(p.words.size()),
                false,  p.words};
    // Largest batch of the default range; the knee of decode is usually below it.
    constexpr double kBatches = 256;
    if (p.path == QLatin1String("dimensions.batch"))
        return {p.path, 1, std::max(kBatches, p.now * kNarrow), 9, true};
    // Other numbers of chips rarely divide the number of heads.
    if (p.path == QLatin1String("dimensions.chips"))
        return {p.path, 1, 8, 4, true};
    const bool wide = p.unit == MachineUnit::Bytes || p.path == QLatin1String("fast_memory_capacity");
    const double factor = wide ? kWide : kNarrow;
    double from = p.now / factor;
    if (!p.isFractional())
        from = std::max(1.0, std::round(from));
    return {p.path, from, std::max(from, p.now * factor), wide ? kWidePoints : kNarrowPoints, p.now > 0};
}

namespace {

/// Makes a dimension an axis of the plan. Its points then read the workload file again with other sizes.
Status takeDimension(sweep::Sweep& sweep, const std::string& dimension, const QString& path)
{
    sweep.manifest.plan.dimensions.erase(dimension);
    if (const std::size_t bits = dimension.find("_bits"); bits != std::string::npos)
        sweep.manifest.plan.dimensions.erase(dimension.substr(0, bits) + "_1024ths");
    if (sweep.workloads.front().content)
        return Unit{};
    auto content = onnx::readFile(path.toStdString());
    if (!content)
        return content.error();
    sweep.workloads.front().content = std::make_shared<const FileContent>(std::move(*content));
    return Unit{};
}

} // namespace

Result<sweep::Sweep> sweepOf(Document& document, const SweepSetup& setup)
{
    const auto refused = [](const QString& why) {
        return Error{ErrorCode::Refused, why.toStdString(), {}, {}};
    };
    if (!document.hasProblem())
        return refused(tr("Open a model or a problem first."));
    sweep::Sweep out;
    sweep::Plan& plan = out.manifest.plan;
    plan = taskPlan(setup);
    plan.rules = document.rules();
    for (std::size_t i = 0; i < setup.axisCount(); ++i)
        plan.axes.push_back(planAxis(setup.axes.at(i)));
    out.manifest.program = programVersion();
    out.manifest.keepSchedules = true;
    const bool asIs = isOnOwnHardware(document, setup.task);
    const QString file = QFileInfo(document.problemPath()).fileName();
    plan.workload = {file.isEmpty() ? "problem.json" : file.toStdString()};
    out.manifest.workloads.push_back({plan.workload.front(), {}});
    if (asIs) {
        lower::Workload workload;
        workload.problem = document.problem();
        out.workloads.push_back({std::make_shared<const lower::Workload>(std::move(workload)), true});
    } else {
        const auto& model = document.lensModel();
        if (!model)
            return refused(
                tr("This file is a problem and not a model: only the Schedule lens can sweep it."));
        if (isOfLanguage(setup.task) && !model->workload->language)
            return refused(tr("Only the config.json of a language model has steps."));
        out.workloads.push_back({model->workload, false});
        out.machine = model->machine;
        out.manifest.machine = writeMachine(model->machine);
        const auto preset = machinePreset(model->machine.name);
        plan.machine = preset && *preset == model->machine ? model->machine.name : "machine.json";
        plan.dimensions = {document.dimensions().begin(), document.dimensions().end()};
        for (const sweep::Axis& axis : plan.axes)
            if (const std::string dimension(sweep::dimensionOf(axis.name)); !dimension.empty())
                if (const Status s = takeDimension(out, dimension, document.problemPath()); !s)
                    return s.error();
    }
    if (setup.task == SweepTask::SolveHere || setup.task == SweepTask::Evaluate ||
        setup.task == SweepTask::RunHere) {
        auto text = writeSchedule(*document.problem(), document.schedule());
        if (!text)
            return text.error();
        plan.schedule = "schedule.json";
        out.scheduleText = std::move(*text);
        out.manifest.schedule = sweep::InputFile{plan.schedule, {}};
    }
    auto checked = sweep::readPlan(sweep::writePlan(plan), "sweep");
    if (!checked)
        return Error{ErrorCode::Field, checked.error().message, checked.error().path, {}};
    plan = std::move(*checked);
    if (const Status axes = sweep::checkAxes(out); !axes)
        return axes.error();
    return out;
}

std::optional<sweep::Sweep> besideSweep(Document& document, const SweepSetup& setup)
{
    const bool runs = setup.task == SweepTask::Run;
    if (!runs && setup.task != SweepTask::Solve && setup.task != SweepTask::SolveHere)
        return std::nullopt;
    SweepSetup beside = setup;
    beside.task = runs ? SweepTask::RunHere : SweepTask::Evaluate;
    auto out = sweepOf(document, beside);
    return out ? std::optional(std::move(*out)) : std::nullopt;
}

bool isSameSweep(const sweep::Sweep& a, const sweep::Sweep& b)
{
    const sweep::SweepWorkload& wa = a.workloads.front();
    const sweep::SweepWorkload& wb = b.workloads.front();
    if (a.plan().rules != b.plan().rules || wa.standsAsItIs != wb.standsAsItIs)
        return false;
    const auto ha = sweep::hardwareOfPoint(a, 0);
    const auto hb = sweep::hardwareOfPoint(b, 0);
    if (!ha || !hb || ha->machine != hb->machine || ha->hardware != hb->hardware)
        return false;
    if (wa.content || wb.content) // contents are compared without the sizes that the axes change
        return wa.content && wb.content && wa.content->sha256() == wb.content->sha256() &&
               sweep::dimensionsAt(a.plan(), sweep::pointAt(a.plan(), 0)) ==
                   sweep::dimensionsAt(b.plan(), sweep::pointAt(b.plan(), 0));
    if (!wa.standsAsItIs)
        return wa.workload == wb.workload;
    const Problem::Data& pa = wa.workload->problem->data();
    const Problem::Data& pb = wb.workload->problem->data();
    return pa.ops == pb.ops && pa.tensors == pb.tensors && pa.views == pb.views;
}

Result<QString> saveSweepPlan(Document& document, const sweep::Sweep& sweep, const QString& path)
{
    const QFileInfo file(path);
    const QString base = file.completeBaseName();
    sweep::Plan plan = sweep.plan();
    const auto beside = [&](const char* ending, const std::string& text) -> Result<std::string> {
        const QString name = base + QLatin1String(ending);
        const Status written = writeFileAtomically(file.dir().filePath(name).toStdString(), text);
        return written ? Result<std::string>(name.toStdString()) : written.error();
    };
    const auto named = [&](std::string& name, const char* ending, const std::string& text) -> Status {
        auto written = beside(ending, text);
        if (written)
            name = std::move(*written);
        return written ? Status(Unit{}) : Status(written.error());
    };
    const sweep::SweepWorkload& workload = sweep.workloads.front();
    QFile resource(document.problemPath());
    if (workload.standsAsItIs || !document.model()) { // use the current state, which may differ from the file
        if (Status s = named(plan.workload.front(), ".problem.json", writeProblem(*document.problem())); !s)
            return s.error();
    } else if (document.problemPath().startsWith(QLatin1Char(':')) && resource.open(QIODevice::ReadOnly)) {
        const std::string ending = ".workload." + QFileInfo(document.problemPath()).suffix().toStdString();
        if (Status s = named(plan.workload.front(), ending.c_str(), resource.readAll().toStdString()); !s)
            return s.error();
    } else {
        plan.workload.front() = file.dir().relativeFilePath(document.problemPath()).toStdString();
    }
    if (plan.machine == "machine.json")
        if (Status s = named(plan.machine, ".machine.json", sweep.manifest.machine); !s)
            return s.error();
    if (!plan.schedule.empty())
        if (Status s = named(plan.schedule, ".schedule.json", sweep.scheduleText); !s)
            return s.error();
    if (Status s = writeFileAtomically(path.toStdString(), sweep::writePlan(plan)); !s)
        return s.error();
    const auto quoted = [](const QString& text) {
        return QString::fromStdString(shellQuoted(text.toStdString()));
    };
    return QStringLiteral("tilewright-cli sweep %1 -o %2 --progress")
        .arg(quoted(path), quoted(file.dir().filePath(base + QStringLiteral(".runs"))));
}

SweepRun::SweepRun(QObject* parent) : QObject(parent)
{
    m_job = std::make_unique<LatestJob<std::monostate>>(
        [this](std::monostate) {
            m_secondsLeft.reset();
            Q_EMIT changed();
        },
        true, &m_pool);
}

SweepRun::~SweepRun() = default;

void SweepRun::start(std::vector<SweepResults> sweeps)
{
    m_results = std::move(sweeps);
    m_secondsLeft.reset();
    std::vector<std::shared_ptr<const sweep::Sweep>> all;
    std::vector<std::vector<bool>> there;
    for (const SweepResults& r : m_results) {
        all.push_back(r.sweep);
        auto& done = there.emplace_back();
        for (const sweep::Row& row : r.rows)
            done.push_back(row.state != sweep::RowState::ToDo);
    }
    const auto tell = m_job->reporter();
    m_job->request([this, all, there, tell](const std::stop_token& stop) {
        standBack();
        for (std::size_t of = 0; of < all.size() && !stop.stop_requested(); ++of) {
            std::mutex mutex;
            Batch pending{{}, of};
            sweep::Sink sink;
            sink.has = [&](std::size_t i) { return there[of][i]; };
            sink.put = [&](std::size_t i, const sweep::PointResult& result, double) -> Status {
                const std::scoped_lock lock(mutex);
                pending.points.emplace_back(i, result);
                return Unit{};
            };
            sweep::RunOptions options;
            options.stop = stop;
            options.onState = [&](const sweep::RunState& state) {
                Batch batch{{}, of};
                {
                    const std::scoped_lock lock(mutex);
                    std::swap(batch, pending);
                }
                tell([this, batch = std::move(batch), left = state.secondsLeft()]() mutable {
                    take(batch, left);
                });
            };
            // The state is not needed: the sink cannot fail.
            [[maybe_unused]] const auto state = sweep::runSweep(*all[of], sink, options);
        }
        return std::monostate();
    });
    Q_EMIT changed();
}

void SweepRun::show(std::vector<SweepResults> sweeps)
{
    m_job->cancel();
    m_secondsLeft.reset();
    m_results = std::move(sweeps);
    Q_EMIT changed();
}

void SweepRun::forget()
{
    m_job->cancel();
    m_secondsLeft.reset();
    if (!m_results.empty()) {
        m_results.clear();
        Q_EMIT changed();
    }
}

void SweepRun::take(Batch& batch, std::optional<double> secondsLeft)
{
    m_secondsLeft = secondsLeft;
    SweepResults& results = m_results.at(batch.of);
    for (auto& [index, result] : batch.points) {
        if (!result.schedule.empty())
            results.schedules[index] = std::move(result.schedule);
        results.rows[index] = sweep::rowOf(index, std::move(result));
    }
    Q_EMIT changed();
}

std::size_t SweepRun::points() const
{
    std::size_t out = 0;
    for (const SweepResults& r : m_results)
        out += r.rows.size();
    return out;
}

std::size_t SweepRun::done() const
{
    std::ptrdiff_t out = 0;
    for (const SweepResults& r : m_results)
        out += std::ranges::count_if(
            r.rows, [](const sweep::Row& row) { return row.state != sweep::RowState::ToDo; });
    return static_cast<std::size_t>(out);
}

SweepResults emptyResults(sweep::Sweep sweep)
{
    SweepResults out{std::make_shared<const sweep::Sweep>(std::move(sweep)), {}, {}};
    out.rows.resize(out.sweep->plan().pointCount());
    for (std::size_t i = 0; i < out.rows.size(); ++i)
        out.rows[i].point = i;
    return out;
}

} // namespace tilewright::ui
