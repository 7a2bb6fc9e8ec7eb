// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/npu_document.h"

#include "base/file.h"
#include "base/progress.h"
#include "npu/generate.h"
#include "npu/run.h"
#include "theme/text.h"
#include "verbs/npu.h"
#include "workspace/installed_files.h"

#include <QFileInfo>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Progress of a background job; calls `tell` on the GUI thread at each percent. `report`: the function that
/// LatestJob::reporter() returns.
auto percentTeller(std::function<void(std::function<void()>)> report, std::function<void(double)> tell)
{
    return [report = std::move(report), tell = std::move(tell), last = 0](double fraction,
                                                                          std::string_view) mutable {
        if (const int now = static_cast<int>(100 * fraction); std::exchange(last, now) != now)
            report([tell, fraction] { tell(fraction); });
    };
}

} // namespace

NpuDocument::NpuDocument() : LensDocument(Lens::Npu)
{
    // A new run cancels the previous one, because its result would be outdated.
    m_job = std::make_unique<LatestJob<Delivery>>([this](Delivery d) { deliver(std::move(d)); }, true);
    m_verifyJob = std::make_unique<LatestJob<std::pair<NpuResultPtr, std::vector<npu::RuleCheck>>>>(
        [this](std::pair<NpuResultPtr, std::vector<npu::RuleCheck>> found) {
            if (found.first == m_result)
                m_checks = std::move(found.second);
            Q_EMIT checksChanged();
        });
    m_compareJob = std::make_unique<LatestJob<std::shared_ptr<const NpuComparison>>>(
        [this](std::shared_ptr<const NpuComparison> comparison) {
            m_comparison = std::move(comparison);
            Q_EMIT comparisonChanged();
        },
        true);
    m_searchJob = std::make_unique<LatestJob<std::shared_ptr<const NpuTileSearch>>>(
        [this](std::shared_ptr<const NpuTileSearch> search) {
            m_tileSearch = std::move(search);
            if (m_tileSearch->error.isEmpty() && m_tileSearch->model == m_model &&
                m_tileSearch->settings == m_settings) {
                NpuSettings next = m_settings;
                next.tiling = m_tileSearch->found.tiling;
                setSettings(next);
            } else if (!m_tileSearch->stopped && !m_tileSearch->error.isEmpty())
                Q_EMIT refused(m_tileSearch->error);
            Q_EMIT tileSearchChanged();
        },
        true);
    // The initial content is a small sample. If its file is missing, the same model is built here.
    const QString sample = samplesFolder() + QStringLiteral("/npu/bert_block.json");
    if (QFileInfo::exists(sample) && openModel(sample))
        return;
    if (auto model = npu::generateBertBlock({})) {
        m_settings.tiling = npu::tilingOf(*model);
        m_model = std::make_shared<const npu::NpuModel>(std::move(*model));
    }
}

NpuDocument::~NpuDocument() = default;

void NpuDocument::setSettings(const NpuSettings& settings)
{
    if (m_settings == settings)
        return;
    const QString what = !(settings.tiling == m_settings.tiling)       ? tr("Change the tiles")
                         : !(settings.hardware == m_settings.hardware) ? tr("Change the NPU")
                                                                       : tr("Change the scheduling");
    undoStack().push(new ValueCommand<NpuSettings>(
        m_settings, settings, [this](const NpuSettings& s) { assign(s); }, what));
}

void NpuDocument::assign(const NpuSettings& settings)
{
    m_settings = settings;
    Q_EMIT settingsChanged();
    if (m_started)
        request();
}

Status NpuDocument::open(const LensFile& file)
{
    return takeModel(file.text(), file.path);
}

Status NpuDocument::openModel(const QString& path)
{
    const auto text = readFile(path.toStdString());
    if (text)
        return takeModel(*text, path);
    m_error = refusalText(text.error());
    Q_EMIT resultChanged();
    return text.error();
}

Status NpuDocument::takeModel(std::string_view text, const QString& path)
{
    auto model = npu::parseModel(text, path.toStdString());
    const auto options = model ? npu::runOptionsOf(text, path.toStdString()) : model.error();
    if (!options) {
        m_error = refusalText(options.error());
        Q_EMIT resultChanged();
        return options.error();
    }
    NpuSettings settings = m_settings;
    if (model->hardware)
        settings.hardware = *model->hardware;
    if (*options) {
        settings.options = (*options)->options;
        settings.best = (*options)->isBest;
    }
    settings.tiling = npu::tilingOf(*model);
    m_model = std::make_shared<const npu::NpuModel>(std::move(*model));
    m_error.clear();
    fileOpened(path, text);
    assign(settings);
    return Unit{};
}

void NpuDocument::follow(const std::shared_ptr<const npu::NpuModel>& model, const NpuSettings& settings)
{
    if (model == m_model && settings == m_settings)
        return;
    m_error.clear();
    if (model != m_model) { // earlier undo steps refer to other operators
        m_model = model;
        fileOpened({}, {});
    }
    assign(settings);
}

Result<std::string> NpuDocument::fileText() const
{
    if (!m_model)
        return Error{ErrorCode::Refused, "there is nothing to save: no model is open", {}, {}};
    npu::NpuModel model = npu::withTiling(*m_model, m_settings.tiling);
    if (model.hardware || !(m_settings.hardware == npu::NpuHardware{}))
        model.hardware = m_settings.hardware;
    return npu::withRunOptions(npu::modelToJson(model), {m_settings.options, m_settings.best});
}

QString NpuDocument::suggestedName() const
{
    const QString name = QFileInfo(path()).fileName();
    return name.isEmpty() ? QStringLiteral("model.json") : name;
}

void NpuDocument::start()
{
    if (m_started)
        return;
    m_started = true;
    request();
}

void NpuDocument::settle()
{
    start();
    m_job->waitIdle();
    m_verifyJob->waitIdle();
    m_compareJob->waitIdle();
    m_searchJob->waitIdle();
    m_job->waitIdle(); // waits for the run with the new tiles
}

bool NpuDocument::isRefused() const
{
    return !m_error.isEmpty() && !isBusy() && isOutdated();
}

bool NpuDocument::isOutdated() const
{
    return m_result && !(m_result->model == m_model && m_result->settings == m_settings);
}

bool NpuDocument::isBusy() const
{
    return m_job->isBusy();
}

void NpuDocument::request()
{
    if (!m_model)
        return;
    m_progress = 0;
    m_runStart = wallClock();
    const auto tell = percentTeller(m_job->reporter(), [this](double fraction) {
        m_progress = fraction;
        Q_EMIT busyChanged();
    });
    m_job->request([model = m_model, settings = m_settings, previous = m_result, tell](std::stop_token stop) {
        auto made = makeNpuResult(model, settings, previous, Progress{stop, tell});
        if (made)
            return Delivery{*made, {}};
        Error error = made.error();
        error.file.clear(); // the error is in the settings, so the file is not named
        return Delivery{nullptr, refusalText(error)};
    });
    Q_EMIT busyChanged();
}

void NpuDocument::deliver(Delivery delivery)
{
    if (!delivery.result) {
        m_error = delivery.error;
        Q_EMIT busyChanged();
        Q_EMIT resultChanged();
        return;
    }
    m_error.clear();
    const bool sameModel = m_result && m_result->model == delivery.result->model;
    if (!sameModel) {
        m_ghost = nullptr;
        m_ghostKept = false;
    } else if (!m_ghostKept) {
        m_ghost = m_result;
    }
    const bool sameGraph = m_result && m_result->graph == delivery.result->graph;
    m_result = std::move(delivery.result);
    m_checks.clear();
    if (!sameGraph) {
        m_node.reset();
        m_hoverNode.reset();
    }
    if (!sameModel || (m_cursor && *m_cursor > m_result->run->makespan))
        m_cursor.reset();
    Q_EMIT busyChanged();
    Q_EMIT resultChanged();
    Q_EMIT checksChanged();
    Q_EMIT nodeChanged();
    Q_EMIT cursorChanged();
}

void NpuDocument::setGhostKept(bool kept)
{
    if (m_ghostKept == kept)
        return;
    m_ghostKept = kept;
    if (kept)
        m_ghost = m_result;
    Q_EMIT resultChanged();
}

void NpuDocument::clearGhost()
{
    m_ghost = nullptr;
    m_ghostKept = false;
    Q_EMIT resultChanged();
}

void NpuDocument::setCursor(std::optional<npu::Cycle> cursor)
{
    if (cursor && m_result)
        cursor = std::clamp<npu::Cycle>(*cursor, 0, m_result->run->makespan);
    if (m_cursor == cursor)
        return;
    m_cursor = cursor;
    Q_EMIT cursorChanged();
}

void NpuDocument::selectNode(std::optional<std::uint32_t> node)
{
    if (node && (!m_result || *node >= m_result->graph->nodes.size()))
        node.reset();
    if (m_node == node)
        return;
    m_node = node;
    Q_EMIT nodeChanged();
    Q_EMIT nodeChosen();
}

void NpuDocument::setHoverNode(std::optional<std::uint32_t> node)
{
    if (m_hoverNode == node)
        return;
    m_hoverNode = node;
    Q_EMIT nodeChanged();
}

void NpuDocument::verify()
{
    if (!m_result)
        return;
    m_checks.clear();
    m_verifyJob->request([result = m_result](std::stop_token) {
        return std::pair(result, verbs::verifyNpu(*result->graph, *result->run));
    });
    Q_EMIT checksChanged();
}

bool NpuDocument::isVerifying() const
{
    return m_verifyJob->isBusy();
}

void NpuDocument::searchTiles()
{
    if (!m_model)
        return;
    m_searched = 0;
    m_searchStart = wallClock();
    const auto tell = percentTeller(m_searchJob->reporter(), [this](double fraction) {
        m_searched = fraction;
        Q_EMIT tileSearchChanged();
    });
    m_searchJob->request([model = m_model, settings = m_settings, tell](std::stop_token stop) {
        auto out = std::make_shared<NpuTileSearch>();
        out->settings = settings;
        out->model = model;
        auto found = verbs::searchNpuTiles(fittedModel(*model, settings).model, settings.hardware,
                                           settings.options, Progress{stop, tell}, true);
        out->stopped = stop.stop_requested();
        if (found)
            out->found = std::move(*found);
        else
            out->error = refusalText(found.error());
        return std::shared_ptr<const NpuTileSearch>(std::move(out));
    });
    Q_EMIT tileSearchChanged();
}

QString NpuDocument::progressText() const
{
    return m_progress > 0 ? ui::progressText(m_progress, wallClock() - m_runStart) : QString();
}

QString NpuDocument::tileSearchText() const
{
    return ui::progressText(m_searched, wallClock() - m_searchStart);
}

void NpuDocument::stopTileSearch()
{
    m_searchJob->finishEarly();
}

bool NpuDocument::isSearchingTiles() const
{
    return m_searchJob->isBusy();
}

bool NpuDocument::isTileSearchCurrent() const
{
    return m_tileSearch && m_tileSearch->model == m_model &&
           m_tileSearch->settings.hardware == m_settings.hardware;
}

std::int64_t NpuDocument::openOperators() const
{
    if (m_tileSearch && isTileSearchCurrent() && m_tileSearch->found.tiling == m_settings.tiling)
        return 0;
    return std::ranges::count(m_settings.tiling, npu::TileSizes{}, &npu::OpTiling::tile);
}

void NpuDocument::setTile(std::span<const std::uint32_t> ops, const npu::TileSizes& tile)
{
    setSettings([&] {
        NpuSettings next = m_settings;
        next.tiling = npu::withTile(*m_model, next.tiling, ops, tile);
        return next;
    }());
}

bool NpuDocument::isComparing() const
{
    return m_compareJob->isBusy();
}

bool NpuDocument::isComparisonCurrent(int maxCores) const
{
    return m_comparison && m_result && m_comparison->model == m_result->model &&
           m_comparison->settings == m_result->settings && m_comparisonCores == maxCores;
}

void NpuDocument::compare(int maxCores)
{
    if (!m_result || isComparisonCurrent(maxCores))
        return;
    m_comparisonCores = maxCores;
    m_compareJob->request([result = m_result, maxCores](std::stop_token stop) {
        return compareSchedulers(*result, maxCores, Progress{stop, {}});
    });
    Q_EMIT comparisonChanged();
}

} // namespace tilewright::ui
