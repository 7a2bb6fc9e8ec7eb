// SPDX-License-Identifier: GPL-3.0-or-later
// Measured sets, and how far predictions are from them (docs/rules/validation.md).
#include "test_main.h"
#include "validation/comparison.h"

#include <QTest>

#include <cmath>

namespace test_validation {

using namespace tilewright;
using namespace tilewright::validation;

namespace {

MeasuredSet read(std::string_view text, const ReadOptions& options = {})
{
    auto set = readMeasuredSet(text, "set.csv", options);
    if (!set)
        qFatal("%s", set.error().text().c_str());
    return std::move(*set);
}

std::string refusal(std::string_view text, const ReadOptions& options = {})
{
    const auto set = readMeasuredSet(text, "set.csv", options);
    return set ? std::string("accepted") : set.error().text();
}

const model::Operator& onlyOperator(const MeasuredRow& row)
{
    return row.model.operators[OperatorId(0)];
}

std::vector<ComparedRow> pairs(const std::vector<std::pair<double, double>>& predictedMeasured)
{
    std::vector<ComparedRow> out;
    for (const auto& [predicted, measured] : predictedMeasured)
        out.push_back({"row", 1, measured, predicted, {}});
    return out;
}

} // namespace

class TestValidation : public QObject
{
    Q_OBJECT
private slots:
    void columnsSayWhatARowIs_1_1();
    void convolutionsReadTheirPadding_1_2();
    void vectorsNeedTheirOperator_1_3();
    void columnOfMeasurements_1_4();
    void tilesOfTheChip_1_5();
    void conditionsLeaveRowsOut_1_6();
    void partsOfLanguageModels_1_7();
    void stepsOfLanguageModels_1_8();
    void badSetsAreOneSentence();
    void figuresByHand_3();
    void correlationsWithoutSpreadAreZero_3();
    void pageLinksPointsAndRows();
};

void TestValidation::columnsSayWhatARowIs_1_1()
{
    const MeasuredSet set = read("# source: somewhere\n# what: silicon\nindex,M,N,K,us\n0,2,3,4,5.5\n");
    QCOMPARE(set.head.size(), std::size_t{2});
    QCOMPARE(set.head[0], std::string("source: somewhere"));
    QCOMPARE(set.rows.size(), std::size_t{1});
    const MeasuredRow& row = set.rows[0];
    QCOMPARE(row.name, std::string("2 x 3 x 4"));
    QCOMPARE(row.line, std::size_t{4});
    QCOMPARE(row.measured, 0.0055); // ms
    QVERIFY(onlyOperator(row).kind == model::OperatorKind::MatMul);
    QCOMPARE(model::macsOf(row.model), std::int64_t{24});
    ReadOptions narrow;
    narrow.operandBits = 4 * 1024;
    const MeasuredSet bits = read("m,k,n,us\n2,4,3,1\n", narrow);
    QCOMPARE(bits.rows[0].model.tensors[ModelTensorId(0)].bits, std::int64_t{4096});
    QCOMPARE(bits.rows[0].model.tensors[ModelTensorId(2)].bits, std::int64_t{0});
}

void TestValidation::convolutionsReadTheirPadding_1_2()
{
    const auto windowOf = [](const MeasuredSet& set) {
        return onlyOperator(set.rows[0]).as<model::WindowAttributes>();
    };
    // With `padded` a row has ceil(H / stride) outputs, without padding those that fit.
    const MeasuredSet padded = read(
        "layer,C,H,W,K,R,S,padded,stride_h,stride_w,P,Q,x_cycles\nconv1,3,224,224,64,7,7,1,2,2,112,112,9\n");
    QVERIFY((windowOf(padded).padding == std::array<std::int64_t, 4>{2, 2, 3, 3}));
    QCOMPARE(model::macsOf(padded.rows[0].model), std::int64_t{112} * 112 * 64 * 3 * 49);
    QCOMPARE(padded.rows[0].name, std::string("conv1, 3 to 64, 7 x 7 / 2, 224 x 224"));
    const MeasuredSet bare = read(
        "layer,C,H,W,K,R,S,padded,stride_h,stride_w,P,Q,x_cycles\nconv1,3,224,224,96,11,11,0,4,4,55,55,9\n");
    QCOMPARE(model::macsOf(bare.rows[0].model), std::int64_t{54} * 54 * 96 * 3 * 121);
    // Otherwise the output says how much is padded; without an input nothing is.
    const MeasuredSet both =
        read("in_channels,out_channels,batch,groups,in_h,in_w,out_h,out_w,R,S,stride,latency_ms\n"
             "192,128,4,2,13,13,13,13,3,3,1,10\n");
    QVERIFY((windowOf(both).padding == std::array<std::int64_t, 4>{1, 1, 1, 1}));
    QCOMPARE(model::macsOf(both.rows[0].model), std::int64_t{4} * 2 * 128 * 192 * 9 * 169);
    const MeasuredSet outputs = read("N,C,K,P,Q,R,S,stride,cycles\n1,2,5,4,4,3,3,2,10\n");
    QCOMPARE(outputs.rows[0].model.tensors[ModelTensorId(0)].shape, (model::Shape{1, 2, 9, 9}));
}

void TestValidation::vectorsNeedTheirOperator_1_3()
{
    ReadOptions softmax;
    softmax.operatorKind = "softmax";
    const MeasuredSet rows = read("M,N,us\n4,32,1\n", softmax);
    QVERIFY(onlyOperator(rows.rows[0]).kind == model::OperatorKind::Softmax);
    QCOMPARE(rows.rows[0].name, std::string("4 x 32"));
    const MeasuredSet elements = read("elements,us\n1024,1\n", softmax);
    QCOMPARE(elements.rows[0].model.tensors[ModelTensorId(0)].shape, (model::Shape{1, 1024}));
    QCOMPARE(
        refusal("M,N,us\n4,32,1\n"),
        std::string("set.csv: rows of vectors need --operator softmax, layer_norm, rms_norm or elementwise"));
}

void TestValidation::columnOfMeasurements_1_4()
{
    const auto columnOf = [](const std::string& names, std::string asked = {}) {
        ReadOptions options;
        options.column = std::move(asked);
        return read("m,n,k," + names + "\n1,1,1,2,3,4\n", options).column.name;
    };
    QCOMPARE(columnOf("us_min,us_avg,us_max"), std::string("us_avg"));
    QCOMPARE(columnOf("cycles_min,cycles_median,cycles_max"), std::string("cycles_median"));
    QCOMPARE(columnOf("mac_cycles,dram_cycles,total_cycles"), std::string("total_cycles"));
    QCOMPARE(columnOf("host_ns,ideal_ns,device_ns"), std::string("device_ns"));
    QCOMPARE(columnOf("ms_printed,ms,tflops"), std::string("ms"));
    QCOMPARE(columnOf("in_kb,out_kb,x_cycles"), std::string("x_cycles"));
    QCOMPARE(columnOf("in_kb,out_kb,x_cycles", "OUT_kb"), std::string("out_kb"));
    ReadOptions bytes;
    bytes.column = "dram_kb";
    const MeasuredSet set = read("m,n,k,dram_kb\n1,1,1,1.5\n", bytes);
    QVERIFY(set.column.quantity == Quantity::Bytes);
    QCOMPARE(set.rows[0].measured, 1536.0);
}

void TestValidation::tilesOfTheChip_1_5()
{
    const MeasuredSet products = read("m,n,k,tile_m,tile_k,us\n64,64,64,32,16,1\n64,64,64,,,1\n");
    npu::TileSizes expected;
    expected.m = 32, expected.k = 16;
    QVERIFY(products.rows[0].tile == expected);
    QVERIFY(products.rows[1].tile == npu::TileSizes());
    const MeasuredSet layers =
        read("c,k,p,q,r,s,tile_k,tile_c,tile_p,tile_q,cycles\n8,16,10,12,3,3,4,8,5,6,1\n");
    expected = {};
    expected.cOut = 4, expected.cIn = 8, expected.height = 5, expected.width = 6;
    QVERIFY(layers.rows[0].tile == expected);
    QCOMPARE(refusal("m,n,k,tile_m,us\n64,64,64,0,1\n"),
             std::string("set.csv: line 2: tile_m: expected a whole number from 1, got \"0\""));
}

void TestValidation::conditionsLeaveRowsOut_1_6()
{
    const std::string text = "m,n,k,kind,us\n1,1,1,a,1\n2,1,1,b,1\n3,1,1,a,\n4,1,1,a,1\n";
    const auto rowsOf = [&](std::vector<std::string> where) {
        ReadOptions options;
        options.where = std::move(where);
        return read(text, options).rows.size();
    };
    QCOMPARE(rowsOf({}), std::size_t{3}); // one has no measurement
    QCOMPARE(read(text).leftOut, std::int64_t{1});
    QCOMPARE(rowsOf({"kind=a"}), std::size_t{2});
    QCOMPARE(rowsOf({"KIND!=a"}), std::size_t{1});
    QCOMPARE(rowsOf({"m>1", "m<4.5"}), std::size_t{2});
    QCOMPARE(rowsOf({"m=1.0"}), std::size_t{1});
}

void TestValidation::partsOfLanguageModels_1_7()
{
    const std::string head = "kind,phase,heads,kv_heads_or_dim,dim,batch,length,us\n";
    const auto macs = [&](const std::string& row) { return model::macsOf(read(head + row).rows[0].model); };
    QCOMPARE(macs("mha,decode,32,8,128,4,1000,9\n"), std::int64_t{4} * 32 * 1000 * 128 * 2);
    QCOMPARE(macs("mla,decode,128,512,64,4,1000,9\n"), std::int64_t{4} * 128 * 1000 * (576 + 512));
    const MeasuredSet prefill = read(head + "mha,prefill,32,8,128,1,100,9\n");
    QCOMPARE(prefill.rows[0].name, std::string("attention, 32 heads, prompt 100"));
    QVERIFY(onlyOperator(prefill.rows[0]).as<model::AttentionAttributes>().causal);
    QCOMPARE(
        refusal(head + "mla,prefill,128,512,64,1,100,9\n"),
        std::string("set.csv: line 2: prefill is predicted for one sequence of attention without a latent "
                    "cache"));
    QCOMPARE(refusal(head + "mha,start,32,8,128,1,100,9\n"),
             std::string("set.csv: line 2: phase: expected prefill or decode, got \"start\""));
    QCOMPARE(refusal(head + "mha,decode,30,8,128,1,100,9\n"),
             std::string("set.csv: line 2: heads: expected a multiple of 8, got 30"));
    const std::string experts =
        "num_local_experts,tokens_per_expert,hidden_size,intermediate_size,up_us,down_us\n"
        "8,32,7168,2048,5,4\n";
    const MeasuredSet up = read(experts);
    QCOMPARE(up.column.name, std::string("up_us"));
    QCOMPARE(model::macsOf(up.rows[0].model), std::int64_t{8} * 32 * 7168 * 4096);
    ReadOptions options;
    options.column = "down_us";
    const MeasuredSet down = read(experts, options);
    QCOMPARE(model::macsOf(down.rows[0].model), std::int64_t{8} * 32 * 2048 * 7168);
    QCOMPARE(down.rows[0].name, std::string("8 experts, 32 x 2048 x 7168"));
}

void TestValidation::stepsOfLanguageModels_1_8()
{
    const std::string head = "model,config,phase,batch,prompt,cached,expert_chips,tokens_per_s\n";
    const MeasuredSet set =
        read(head + "A,a.json,prefill,4,4096,,32,7839\nA,a.json,decode,128,,4989,128,2324\n");
    QVERIFY(set.column.quantity == Quantity::TokensPerSecond);
    QCOMPARE(set.rows[0].name, std::string("A, prefill"));
    QCOMPARE(set.rows[0].tokens, std::int64_t{16384});
    QCOMPARE(set.rows[1].tokens, std::int64_t{128});
    QCOMPARE(set.rows[1].dimensions,
             (std::map<std::string, std::int64_t>{
                 {"phase", 2}, {"batch", 128}, {"cached", 4989}, {"expert_chips", 128}}));
    QVERIFY(isMeasuredSet(head));
    QCOMPARE(refusal(head + "A,a.json,prefill,4,,,,1\n"),
             std::string("set.csv: line 2: prompt: a row of prefill needs the tokens of a sequence"));
    QCOMPARE(refusal(head + "A,,prefill,4,8,,,1\n"),
             std::string("set.csv: line 2: config: expected the file of a configuration"));
    QCOMPARE(refusal("m,n,k,tokens_per_s\n1,1,1,5\n"),
             std::string("set.csv: line 2: tokens a second are those of a step of a language model"));
    QCOMPARE(refusal("config,phase,batch,prompt,us\na.json,prefill,1,8,5\n"),
             std::string("set.csv: line 2: a step of a language model is measured in tokens_per_s"));
}

void TestValidation::badSetsAreOneSentence()
{
    QCOMPARE(refusal(""), std::string("set.csv: expected a line with the names of the columns"));
    QCOMPARE(refusal("m,n,k,us\n"),
             std::string("set.csv: no row has a measurement and meets the conditions"));
    QCOMPARE(refusal("m,n,k,speed\n1,1,1,1\n"),
             std::string("set.csv: line 1: no column has a time or cycles; the columns are m, n, k, speed"));
    QCOMPARE(refusal("a,b,us\n1,1,1\n"),
             std::string(
                 "set.csv: line 2: the columns have no shape of an operator: expected M, N and K, or C, K, R "
                 "and S, or M and N, or elements; they are a, b, us"));
    QCOMPARE(refusal("m,n,k,us\n1,0,1,1\n"),
             std::string("set.csv: line 2: n: expected a whole number from 1, got \"0\""));
    QCOMPARE(refusal("m,n,k,us\n1,1,1,fast\n"),
             std::string("set.csv: line 2: us: expected a number above 0, got \"fast\""));
    ReadOptions options;
    options.column = "ns";
    QCOMPARE(refusal("m,n,k,us\n1,1,1,1\n", options),
             std::string("set.csv: line 1: there is no column \"ns\"; the columns are m, n, k, us"));
    options.column = "m";
    QCOMPARE(
        refusal("m,n,k,us\n1,1,1,1\n", options),
        std::string("set.csv: line 1: the name of the column \"m\" has no unit; the units are ns, us, ms, s, "
                    "cycles, kb, bytes, pj, nj, uj and tokens_per_s"));
    options = {};
    options.where = {"m~1"};
    QCOMPARE(refusal("m,n,k,us\n1,1,1,1\n", options),
             std::string(
                 "--where: expected COLUMN=VALUE, COLUMN!=VALUE, COLUMN<VALUE or COLUMN>VALUE, got \"m~1\""));
    QCOMPARE(
        refusal("C,K,R,S,H,us\n1,1,3,3,9,1\n"),
        std::string("set.csv: line 2: a column with a size of the operator is missing; the columns are C, K, "
                    "R, S, H, us"));
    QCOMPARE(refusal("C,K,R,S,H,W,us\n1,1,5,5,3,3,1\n"),
             std::string("set.csv: line 2: the kernel is larger than the input"));
}

void TestValidation::figuresByHand_3()
{
    const Agreement a = agreementOf(pairs({{1, 2}, {2, 2}, {8, 4}}));
    QCOMPARE(a.rows, std::size_t{3});
    QCOMPARE(a.ratio, 1.0); // of 1/2, 1 and 2
    QCOMPARE(a.least, 0.5);
    QCOMPARE(a.most, 2.0);
    QCOMPARE(a.error, std::pow(2.0, 2.0 / 3) - 1);
    QCOMPARE(a.scaledError, a.error);
    QCOMPARE(a.pearson, 78 / std::sqrt(258.0 * 24));
    QCOMPARE(a.pearsonOfLogs, 15 / std::sqrt(42.0 * 6));
    QCOMPARE(a.spearman, std::sqrt(3.0) / 2); // the two measurements of 2 share the rank 1.5
    QCOMPARE(a.within10, 1.0 / 3);
    const Agreement twice = agreementOf(pairs({{2, 1}, {20, 10}}));
    QCOMPARE(twice.ratio, 2.0);
    QCOMPARE(twice.error, 1.0);
    QVERIFY(twice.scaledError < 1e-12);
    QCOMPARE(agreementOf(pairs({{0.75, 1}, {1.1, 1}, {1.26, 1}})).within25, 2.0 / 3);
    // Rows without a prediction do not count.
    auto rows = pairs({{2, 1}, {3, 1}});
    rows[1].error = "too large";
    QCOMPARE(agreementOf(rows).rows, std::size_t{1});
    QCOMPARE(agreementOf(rows).ratio, 2.0);
}

void TestValidation::correlationsWithoutSpreadAreZero_3()
{
    QCOMPARE(agreementOf({}).rows, std::size_t{0});
    const Agreement one = agreementOf(pairs({{3, 1}}));
    QCOMPARE(one.pearson, 0.0);
    QCOMPARE(one.spearman, 0.0);
    QCOMPARE(agreementOf(pairs({{3, 1}, {3, 2}})).pearson, 0.0);
}

void TestValidation::pageLinksPointsAndRows()
{
    Comparison c;
    c.file = "a<b.csv";
    c.column = "us";
    c.machine = "m";
    c.lens = "npu";
    c.rows = pairs({{1, 2}, {30, 20}});
    c.rows.push_back({"gone", 4, 1, 0, "too \"large\""});
    c.agreement = agreementOf(c.rows);
    const std::string page = comparisonHtml(c);
    for (const char* part :
         {"<a href=\"#row-1\" id=\"point-1\"><circle", "<tr id=\"row-1\">", "<a href=\"#point-1\">",
          "a&lt;b.csv", "too &quot;large&quot;", "predicted / measured, geometric mean"})
        QVERIFY2(page.find(part) != std::string::npos, part);
    QVERIFY(page.find("id=\"point-2\"") == std::string::npos); // without a prediction there is no point
    QVERIFY(page.find("href=\"http") == std::string::npos && page.find("src=") == std::string::npos);
}

TILEWRIGHT_TEST(TestValidation)

} // namespace test_validation
#include "test_validation.moc"
