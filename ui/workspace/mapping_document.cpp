// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/mapping_document.h"

#include "base/file.h"
#include "hierarchy/edits.h"
#include "hierarchy/files.h"
#include "mapping/edits.h"
#include "mapping/method.h"
#include "theme/icon.h"
#include "timeloop/timeloop.h"
#include "verbs/map.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>

namespace tilewright::ui {

namespace {
const QLatin1String kRoot(":/samples/mapping/");
}

std::vector<MappingSample> mappingSamples(const QString& folder)
{
    (void)applicationIcon(); // registers the Qt resources, which a static library does not do by itself
    std::vector<MappingSample> out;
    const QDir dir(kRoot + folder);
    for (const QString& file : dir.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
        out.push_back({file.chopped(5), dir.filePath(file)});
    return out;
}

std::string mappingSampleText(const QString& path)
{
    (void)applicationIcon();
    QFile file(kRoot + path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

namespace {

using EditCommand = ValueCommand<MappingSetup>;
using LookCommand = ValueCommand<MappingSetup, 2>;

} // namespace

MappingDocument::MappingDocument() : LensDocument(Lens::Mapping)
{
    connect(&m_search, &MappingSearch::finished, this, &MappingDocument::loadFound);
    // The initial content is the example of the source document, so that the views are not empty.
    if (const auto models =
            mapping::readLayers(mappingSampleText(QStringLiteral("models/resnet-18.json")), "resnet-18.json"))
        m_model = models->model;
    if (const auto layer = mapping::readLayers(mappingSampleText(QStringLiteral("layers/conv-1x1-2048.json")),
                                               "conv-1x1-2048.json")) {
        MappingSetup setup;
        setup.layer = layer->model.layers.front();
        const auto nest = mapping::makeNest(setup.layer);
        const auto method = mapping::readMethod(mappingSampleText(QStringLiteral("seed-method.txt")),
                                                "seed-method.txt", *nest);
        setup.method = method ? *method : mapping::trivialMethod(*nest);
        reset(setup);
    }
}

Status MappingDocument::check(const MappingSetup& setup)
{
    const auto nest = mapping::makeNest(setup.layer);
    if (!nest)
        return nest.error();
    if (setup.levels) {
        if (Status s = hierarchy::checkArchitecture(*setup.levels); !s)
            return s;
        if (const auto asked = hierarchy::constraintsOf(*nest, *setup.levels, setup.asked); !asked)
            return asked.error();
        return hierarchy::checkCountable(*nest);
    }
    if (Status s = mapping::checkArchitecture(setup.architecture); !s)
        return s;
    if (const auto asked = mapping::parseConstraints(*nest, setup.factors); !asked) {
        Error error = asked.error();
        error.path = "factors";
        return error;
    }
    return mapping::checkCountable(*nest, setup.architecture);
}

void MappingDocument::startSearch()
{
    m_search.start(m_nest, m_setup);
}

void MappingDocument::reset(const MappingSetup& setup, const QString& path, std::string_view text)
{
    fileOpened(path, text);
    m_baseline.reset();
    assign(setup, true);
    Q_EMIT baselineChanged();
}

void MappingDocument::assign(const MappingSetup& setup, bool searchAgain)
{
    const bool space = searchAgain || !setup.sameSpace(m_setup);
    m_setup = setup;
    if (space)
        m_nest = *mapping::makeNest(m_setup.layer);
    m_evaluation = evaluated(m_nest, m_setup);
    if (space) {
        startSearch();
        Q_EMIT spaceChanged();
    }
    Q_EMIT setupChanged();
}

bool MappingDocument::changesFile(const QUndoCommand& step) const
{
    return !dynamic_cast<const LookCommand*>(&step);
}

void MappingDocument::push(const MappingSetup& next, const QString& text, const QString& mergeKey, Step step)
{
    if (next == m_setup)
        return;
    // Undo and redo restore a state exactly, so the result of a running search must not be loaded into it.
    const auto show = [this](const MappingSetup& setup) {
        m_loadFound.reset();
        assign(setup);
    };
    if (step == Step::Look)
        undoStack().push(new LookCommand(m_setup, next, show, text, mergeKey));
    else
        undoStack().push(new EditCommand(m_setup, next, show, text, mergeKey));
}

// -- files -----------------------------------------------------------------------------------------------

Status MappingDocument::openFile(const QString& path)
{
    auto text = readFile(path.toStdString());
    if (!text)
        return text.error();
    const auto kind = fileKindOf(*text, path.toStdString());
    if (kind && fileUse(*kind).lens == Lens::Mapping)
        return open({path, FileContent(std::move(*text)), *kind});
    return openText(*text, path);
}

Status MappingDocument::open(const LensFile& file)
{
    if (file.kind == FileKind::MappingArchitecture) {
        if (hierarchy::hasLevels(file.text()))
            return openLevels(file.text(), file.name());
        const auto architecture = mapping::readArchitecture(file.text(), file.name());
        return architecture ? applyArchitecture(*architecture) : architecture.error();
    }
    if (file.kind == FileKind::MappingMethod)
        return openText(file.text(), file.path);
    if (file.kind == FileKind::MappingSetup) {
        const auto setup = readMappingSetup(file.text(), file.name());
        if (!setup)
            return setup.error();
        if (Status s = check(*setup); !s)
            return s;
        m_loadFound.reset();
        reset(*setup, file.path, file.text());
        return Unit{};
    }
    const auto layers = mapping::readLayers(file.text(), file.name());
    if (!layers)
        return layers.error();
    MappingSetup setup = m_setup;
    setup.layer = layers->model.layers.front();
    setup.clearConstraints();
    if (Status s = check(setup); !s)
        return s;
    if (layers->isModel)
        openModel(layers->model);
    setup.showTrivial(*mapping::makeNest(setup.layer));
    m_loadFound = QString();
    reset(setup);
    return Unit{};
}

Status MappingDocument::openLevels(std::string_view text, const std::string& file)
{
    const auto levels = hierarchy::readArchitecture(text, file);
    return levels ? applyLevels(*levels) : levels.error();
}

Result<std::string> MappingDocument::fileText() const
{
    return m_setup.text();
}

Status MappingDocument::saveMapping(const QString& path) const
{
    return writeFileAtomically(path.toStdString(), m_setup.mappingText(m_nest));
}

QString MappingDocument::suggestedName() const
{
    QString name = QString::fromStdString(m_setup.layer.name);
    name.replace(QRegularExpression(QStringLiteral("[^\\w.-]+")), QStringLiteral("_"));
    return (name.isEmpty() ? QStringLiteral("layer") : name) + QStringLiteral(".mapping.json");
}

Status MappingDocument::openText(std::string_view text, const QString& name)
{
    const std::string file = name.toStdString();
    if (hierarchy::hasLevels(text)) {
        const auto kind = fileKindOf(text, file);
        if (!kind || *kind != FileKind::MappingMethod)
            return openLevels(text, file);
        if (!m_setup.levels)
            return Error{ErrorCode::Refused,
                         "is a mapping of an architecture with levels: open its architecture first",
                         {},
                         file};
        const auto read = hierarchy::readMapping(text, file, m_nest, *m_setup.levels);
        if (!read)
            return read.error();
        applyMapping(*read, tr("Load a mapping"));
        return Unit{};
    }
    // The text is first read as a method. Errors of the other readers are reported only if the text looks
    // like their format.
    const auto method = mapping::readMethod(text, file, m_nest);
    if (method && m_setup.levels)
        return Error{ErrorCode::Refused,
                     "is a method of four levels, but the open architecture has levels of its own",
                     {},
                     file};
    if (method) {
        applyMapping(*method, tr("Load a method"));
        return Unit{};
    }
    if (const auto layers = mapping::readLayers(text, file)) {
        openLayers(*layers);
        return Unit{};
    }
    if (text.find("\"tiling\"") == std::string_view::npos && text.find('{') != std::string_view::npos)
        if (const auto architecture = mapping::readArchitecture(text, file))
            return applyArchitecture(*architecture);
    return method.error();
}

void MappingDocument::openLayers(const mapping::LayersFile& file)
{
    if (file.isModel)
        openModel(file.model);
    takeLayer(file.model.layers.front(), Step::Edit);
}

void MappingDocument::openModel(const mapping::Model& model)
{
    m_model = model;
    Q_EMIT modelChanged();
}

void MappingDocument::openLayer(const mapping::Layer& layer)
{
    takeLayer(layer, Step::Look);
}

void MappingDocument::takeLayer(const mapping::Layer& layer, Step step)
{
    MappingSetup setup = m_setup;
    setup.layer = layer;
    setup.clearConstraints();
    if (const Status s = check(setup); !s) {
        Q_EMIT refused(QString::fromStdString(s.error().text()));
        return;
    }
    setup.showTrivial(*mapping::makeNest(layer));
    Q_EMIT edited();
    pushAndSearch(setup, tr("Open a layer"), step);
}

void MappingDocument::pushAndSearch(const MappingSetup& next, const QString& text, Step step)
{
    const QString key = QStringLiteral("layer %1").arg(++m_opened);
    push(next, text, key, step);
    startSearch(); // started even if the space is the same as before
    m_loadFound = key;
}

Status MappingDocument::follow(const mapping::Layer& layer, const mapping::Architecture& architecture)
{
    if (layer == m_setup.layer && architecture == m_setup.architecture)
        return Unit{};
    MappingSetup setup;
    setup.layer = layer;
    setup.architecture = architecture;
    setup.levels = m_setup.levels;
    if (Status s = check(setup); !s)
        return s;
    setup.showTrivial(*mapping::makeNest(layer));
    m_loadFound = QString();
    reset(setup);
    return Unit{};
}

Status MappingDocument::followOn(const hierarchy::Architecture& levels)
{
    MappingSetup setup = m_setup;
    setup.levels = levels;
    setup.clearConstraints();
    if (Status s = check(setup); !s)
        return s;
    setup.showTrivial(m_nest);
    m_loadFound = QString();
    reset(setup);
    return Unit{};
}

void MappingDocument::loadFound()
{
    const auto& best = m_search.found()->wanted();
    if (!m_loadFound || !best)
        return;
    const QString key = *std::exchange(m_loadFound, std::nullopt);
    MappingSetup setup = m_setup;
    setup.show(best->mapping);
    // An undo step contains the states before and after it, so the opened state can only be changed while
    // there is no step.
    if (key.isEmpty() && undoStack().count() == 0)
        return assign(setup);
    const int last = undoStack().index() - 1;
    const bool looking = last >= 0 && !changesFile(*undoStack().command(last));
    push(setup, tr("Load the best method found"), key, looking ? Step::Look : Step::Edit);
}

// -- edits -----------------------------------------------------------------------------------------------

void MappingDocument::applyMapping(const AnyMapping& mapping, const QString& text, const QString& mergeKey)
{
    MappingSetup next = m_setup;
    if (!next.show(mapping))
        return;
    if (!(next == m_setup))
        Q_EMIT edited();
    push(next, text, mergeKey);
}

Status MappingDocument::applyLayer(const mapping::Layer& layer, const QString& mergeKey)
{
    MappingSetup next = m_setup;
    next.layer = layer;
    if (layer.kind != m_setup.layer.kind)
        next.clearConstraints();
    if (Status s = check(next); !s)
        return s;
    const auto nest = mapping::makeNest(layer);
    // A layer of another kind has other loops, so the method cannot be adapted.
    if (layer.kind == m_setup.layer.kind)
        next.refit(*nest);
    else
        next.showTrivial(*nest);
    if (!(next == m_setup))
        Q_EMIT edited();
    push(next, tr("Change the layer"), mergeKey);
    return Unit{};
}

Status MappingDocument::applyArchitecture(const mapping::Architecture& architecture, const QString& mergeKey)
{
    MappingSetup next = m_setup;
    next.architecture = architecture;
    next.levels.reset();
    if (Status s = check(next); !s)
        return s;
    if (m_setup.levels) {
        next.showTrivial(m_nest);
        Q_EMIT edited();
        pushAndSearch(next, tr("Change the hardware"), Step::Edit);
        return Unit{};
    }
    // The new architecture requires factors that divide the sizes, so the method is adapted.
    if (m_setup.architecture.options.imperfect && !architecture.options.imperfect)
        next.method = mapping::refitMethod(m_nest, m_setup.method);
    const auto load = m_loadFound;
    if (!(next == m_setup))
        Q_EMIT edited();
    push(next, tr("Change the hardware"), mergeKey);
    m_loadFound = load;
    return Unit{};
}

Status MappingDocument::applyLevels(const hierarchy::Architecture& levels, const QString& mergeKey)
{
    MappingSetup next = m_setup;
    next.levels = levels;
    const auto sameName = [](const hierarchy::Level& a, const hierarchy::Level& b) {
        return a.name == b.name;
    };
    const bool hasSameLevels =
        m_setup.levels && std::ranges::equal(m_setup.levels->levels, levels.levels, sameName);
    if (!hasSameLevels)
        next.asked = {};
    if (Status s = check(next); !s)
        return s;
    if (!(next == m_setup))
        Q_EMIT edited();
    if (hasSameLevels) {
        if (m_setup.levels->imperfect && !levels.imperfect)
            next.refit(m_nest); // the factors must divide the sizes again
        const auto load = m_loadFound;
        push(next, tr("Change the hardware"), mergeKey);
        m_loadFound = load;
        return Unit{};
    }
    next.showTrivial(m_nest);
    pushAndSearch(next, tr("Change the hardware"), Step::Edit);
    return Unit{};
}

Status MappingDocument::applyFactors(const std::vector<std::string>& factors)
{
    MappingSetup next = m_setup;
    next.factors = factors;
    if (Status s = check(next); !s)
        return s;
    if (!(next == m_setup))
        Q_EMIT edited();
    push(next, tr("Fix tiling factors"), {});
    return Unit{};
}

Result<std::vector<std::string>> MappingDocument::applyConstraints(std::string_view text,
                                                                   const std::string& file)
{
    MappingSetup next = m_setup;
    if (m_setup.levels) {
        const auto read = timeloop::readConstraints(text, file, m_nest, *m_setup.levels);
        if (!read)
            return read.error();
        next.asked.factors.insert(next.asked.factors.end(), read->factors.begin(), read->factors.end());
        next.asked.orders.insert(next.asked.orders.end(), read->orders.begin(), read->orders.end());
        const Status s = applyAsked(next.asked);
        return s ? Result<std::vector<std::string>>(std::vector<std::string>()) : s.error();
    }
    auto notes = verbs::addConstraints(text, file, m_nest, next.architecture, next.factors);
    if (!notes)
        return notes;
    if (Status s = check(next); !s)
        return s.error();
    if (!(next == m_setup))
        Q_EMIT edited();
    push(next, tr("Load constraints"), {});
    return notes;
}

Status MappingDocument::applyAsked(const hierarchy::ConstraintTexts& asked)
{
    MappingSetup next = m_setup;
    next.asked = asked;
    if (Status s = check(next); !s)
        return s;
    if (!(next == m_setup))
        Q_EMIT edited();
    push(next, tr("Change the constraints"), {});
    return Unit{};
}

void MappingDocument::toggleFactor(const hierarchy::Place& place, int loop)
{
    if (!m_setup.levels)
        return;
    const hierarchy::Architecture& levels = *m_setup.levels;
    auto constraints = hierarchy::constraintsOf(m_nest, levels, m_setup.asked);
    const auto limit = hierarchy::limitAt(levels, place, loop);
    if (!constraints || !limit)
        return;
    hierarchy::toggleFactor(*constraints, *limit, hierarchy::factorAt(m_setup.mapping, place, loop));
    if (const Status s = applyAsked(hierarchy::textsOf(m_nest, levels, *constraints)); !s)
        Q_EMIT refused(QString::fromStdString(s.error().text()));
}

void MappingDocument::toggleOrder(std::size_t level)
{
    if (!m_setup.levels)
        return;
    auto constraints = hierarchy::constraintsOf(m_nest, *m_setup.levels, m_setup.asked);
    if (!constraints)
        return;
    std::vector<int> loops; // a loop that occurs twice counts at its innermost place
    const auto& temporal = m_setup.mapping.levels[level].temporal;
    for (auto tiled = temporal.rbegin(); tiled != temporal.rend(); ++tiled)
        if (tiled->factor > 1 && std::ranges::find(loops, tiled->loop) == loops.end())
            loops.insert(loops.begin(), tiled->loop);
    hierarchy::toggleOrder(*constraints, level, loops);
    if (const Status s = applyAsked(hierarchy::textsOf(m_nest, *m_setup.levels, *constraints)); !s)
        Q_EMIT refused(QString::fromStdString(s.error().text()));
}

void MappingDocument::setOperand(int operand)
{
    if (operand == m_operand)
        return;
    m_operand = operand;
    Q_EMIT operandChanged();
}

void MappingDocument::pinBaseline()
{
    m_baseline = MappingBaseline{m_setup, m_nest, m_evaluation};
    Q_EMIT baselineChanged();
}

void MappingDocument::clearBaseline()
{
    m_baseline.reset();
    Q_EMIT baselineChanged();
}

void MappingDocument::settle()
{
    m_search.settle();
}

} // namespace tilewright::ui
