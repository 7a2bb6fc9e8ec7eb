// The block of llama-block.json as jax.jit(block).lower(...).as_text() prints one: 128 tokens, 8 heads with 2 for keys
// and values, SwiGLU. The weights are arguments.
module @llama_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128xi32> loc("tokens"), %arg1: tensor<1000x512xbf16> loc("embedding.table"), %arg2: tensor<512xbf16> loc("attention_norm.gamma"), %arg3: tensor<512x512xbf16> loc("q.weight"), %arg4: tensor<512x128xbf16> loc("k.weight"), %arg5: tensor<512x128xbf16> loc("v.weight"), %arg6: tensor<512x512xbf16> loc("o.weight"), %arg7: tensor<512xbf16> loc("ffn_norm.gamma"), %arg8: tensor<512x1408xbf16> loc("gate.weight"), %arg9: tensor<512x1408xbf16> loc("up.weight"), %arg10: tensor<1408x512xbf16> loc("down.weight"), %arg11: tensor<512xbf16> loc("norm.gamma"), %arg12: tensor<512x1000xbf16> loc("head.weight"), %arg13: tensor<128x32xbf16> loc("rope.cos"), %arg14: tensor<128x32xbf16> loc("rope.sin")) -> (tensor<128x1000xbf16> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %1 = stablehlo.compare  LT, %arg0, %0,  SIGNED : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi1>
    %c_0 = stablehlo.constant dense<1000> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %3 = stablehlo.add %arg0, %2 : tensor<128xi32>
    %4 = stablehlo.select %1, %3, %arg0 : tensor<128xi1>, tensor<128xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %6 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 512>}> : (tensor<1000x512xbf16>, tensor<128x1xi32>) -> tensor<128x512xbf16> loc("embedding")
    %7 = call @rms_norm(%6, %arg2) : (tensor<128x512xbf16>, tensor<512xbf16>) -> tensor<128x512xbf16> loc("attention_norm")
    %8 = stablehlo.dot_general %7, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x512xbf16>) -> tensor<128x512xbf16> loc("q")
    %9 = stablehlo.dot_general %7, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x128xbf16>) -> tensor<128x128xbf16> loc("k")
    %10 = stablehlo.dot_general %7, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x128xbf16>) -> tensor<128x128xbf16> loc("v")
    %11 = stablehlo.reshape %8 : (tensor<128x512xbf16>) -> tensor<128x8x64xbf16>
    %12 = stablehlo.reshape %9 : (tensor<128x128xbf16>) -> tensor<128x2x64xbf16>
    %13 = stablehlo.reshape %10 : (tensor<128x128xbf16>) -> tensor<128x2x64xbf16>
    %14 = stablehlo.slice %11 [0:128, 0:8, 0:32] : (tensor<128x8x64xbf16>) -> tensor<128x8x32xbf16>
    %15 = stablehlo.slice %11 [0:128, 0:8, 32:64] : (tensor<128x8x64xbf16>) -> tensor<128x8x32xbf16>
    %16 = stablehlo.broadcast_in_dim %arg13, dims = [0, 2] : (tensor<128x32xbf16>) -> tensor<128x1x32xbf16>
    %17 = stablehlo.broadcast_in_dim %arg14, dims = [0, 2] : (tensor<128x32xbf16>) -> tensor<128x1x32xbf16>
    %18 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<128x1x32xbf16>) -> tensor<128x8x32xbf16>
    %19 = stablehlo.multiply %14, %18 : tensor<128x8x32xbf16>
    %20 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<128x1x32xbf16>) -> tensor<128x8x32xbf16>
    %21 = stablehlo.multiply %15, %20 : tensor<128x8x32xbf16>
    %22 = stablehlo.subtract %19, %21 : tensor<128x8x32xbf16>
    %23 = stablehlo.multiply %15, %18 : tensor<128x8x32xbf16>
    %24 = stablehlo.multiply %14, %20 : tensor<128x8x32xbf16>
    %25 = stablehlo.add %23, %24 : tensor<128x8x32xbf16>
    %26 = stablehlo.concatenate %22, %25, dim = 2 : (tensor<128x8x32xbf16>, tensor<128x8x32xbf16>) -> tensor<128x8x64xbf16> loc("q_rope")
    %27 = stablehlo.slice %12 [0:128, 0:2, 0:32] : (tensor<128x2x64xbf16>) -> tensor<128x2x32xbf16>
    %28 = stablehlo.slice %12 [0:128, 0:2, 32:64] : (tensor<128x2x64xbf16>) -> tensor<128x2x32xbf16>
    %29 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<128x1x32xbf16>) -> tensor<128x2x32xbf16>
    %30 = stablehlo.multiply %27, %29 : tensor<128x2x32xbf16>
    %31 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<128x1x32xbf16>) -> tensor<128x2x32xbf16>
    %32 = stablehlo.multiply %28, %31 : tensor<128x2x32xbf16>
    %33 = stablehlo.subtract %30, %32 : tensor<128x2x32xbf16>
    %34 = stablehlo.multiply %28, %29 : tensor<128x2x32xbf16>
    %35 = stablehlo.multiply %27, %31 : tensor<128x2x32xbf16>
    %36 = stablehlo.add %34, %35 : tensor<128x2x32xbf16>
    %37 = stablehlo.concatenate %33, %36, dim = 2 : (tensor<128x2x32xbf16>, tensor<128x2x32xbf16>) -> tensor<128x2x64xbf16> loc("k_rope")
    %38 = stablehlo.reshape %26 : (tensor<128x8x64xbf16>) -> tensor<128x2x4x64xbf16>
    %39 = stablehlo.transpose %38, dims = [1, 2, 0, 3] : (tensor<128x2x4x64xbf16>) -> tensor<2x4x128x64xbf16>
    %40 = stablehlo.reshape %39 : (tensor<2x4x128x64xbf16>) -> tensor<2x512x64xbf16>
    %41 = stablehlo.transpose %37, dims = [1, 0, 2] : (tensor<128x2x64xbf16>) -> tensor<2x128x64xbf16>
    %42 = stablehlo.dot_general %40, %41, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x512x64xbf16>, tensor<2x128x64xbf16>) -> tensor<2x512x128xbf16> loc("scores")
    %43 = stablehlo.reshape %42 : (tensor<2x512x128xbf16>) -> tensor<2x4x128x128xbf16>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %44 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<2x4x128x128xbf16>
    %45 = stablehlo.multiply %43, %44 : tensor<2x4x128x128xbf16>
    %46 = stablehlo.iota dim = 0 : tensor<128x128xi32>
    %47 = stablehlo.iota dim = 1 : tensor<128x128xi32>
    %48 = stablehlo.compare  GE, %46, %47,  SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %49 = call @_where(%48, %45, %cst_1) : (tensor<128x128xi1>, tensor<2x4x128x128xbf16>, tensor<bf16>) -> tensor<2x4x128x128xbf16> loc("mask")
    %50 = stablehlo.reduce(%49 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x128x128xbf16>, tensor<bf16>) -> tensor<2x4x128xbf16>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<2x4x128xbf16>) -> tensor<2x4x128x1xbf16>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<2x4x128x1xbf16>) -> tensor<2x4x128x128xbf16>
    %53 = stablehlo.subtract %49, %52 : tensor<2x4x128x128xbf16>
    %54 = stablehlo.exponential %53 : tensor<2x4x128x128xbf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %55 = stablehlo.reduce(%54 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<2x4x128x128xbf16>, tensor<bf16>) -> tensor<2x4x128xbf16>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<2x4x128xbf16>) -> tensor<2x4x128x1xbf16>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<2x4x128x1xbf16>) -> tensor<2x4x128x128xbf16>
    %58 = stablehlo.divide %54, %57 : tensor<2x4x128x128xbf16> loc("softmax")
    %59 = stablehlo.reshape %58 : (tensor<2x4x128x128xbf16>) -> tensor<2x512x128xbf16>
    %60 = stablehlo.transpose %13, dims = [1, 0, 2] : (tensor<128x2x64xbf16>) -> tensor<2x128x64xbf16>
    %61 = stablehlo.dot_general %59, %60, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x512x128xbf16>, tensor<2x128x64xbf16>) -> tensor<2x512x64xbf16> loc("context")
    %62 = stablehlo.reshape %61 : (tensor<2x512x64xbf16>) -> tensor<8x128x64xbf16>
    %63 = stablehlo.transpose %62, dims = [1, 0, 2] : (tensor<8x128x64xbf16>) -> tensor<128x8x64xbf16>
    %64 = stablehlo.reshape %63 : (tensor<128x8x64xbf16>) -> tensor<128x512xbf16>
    %65 = stablehlo.dot_general %64, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x512xbf16>) -> tensor<128x512xbf16> loc("o")
    %66 = stablehlo.add %65, %6 : tensor<128x512xbf16> loc("attention_add")
    %67 = call @rms_norm(%66, %arg7) : (tensor<128x512xbf16>, tensor<512xbf16>) -> tensor<128x512xbf16> loc("ffn_norm")
    %68 = stablehlo.dot_general %67, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x1408xbf16>) -> tensor<128x1408xbf16> loc("gate")
    %69 = call @silu(%68) : (tensor<128x1408xbf16>) -> tensor<128x1408xbf16> loc("silu")
    %70 = stablehlo.dot_general %67, %arg9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x1408xbf16>) -> tensor<128x1408xbf16> loc("up")
    %71 = stablehlo.multiply %69, %70 : tensor<128x1408xbf16>
    %72 = stablehlo.dot_general %71, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x1408xbf16>, tensor<1408x512xbf16>) -> tensor<128x512xbf16> loc("down")
    %73 = stablehlo.add %72, %66 : tensor<128x512xbf16> loc("ffn_add")
    %74 = call @rms_norm(%73, %arg11) : (tensor<128x512xbf16>, tensor<512xbf16>) -> tensor<128x512xbf16> loc("norm")
    %75 = stablehlo.dot_general %74, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x1000xbf16>) -> tensor<128x1000xbf16> loc("head")
    return %75 : tensor<128x1000xbf16>
  }
  func.func private @rms_norm(%arg0: tensor<128x512xbf16>, %arg1: tensor<512xbf16>) -> tensor<128x512xbf16> {
    %0 = stablehlo.convert %arg0 : (tensor<128x512xbf16>) -> tensor<128x512xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<128x512xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %cst_0 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<128x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<128x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<128x1xf32>
    %7 = stablehlo.add %5, %6 : tensor<128x1xf32>
    %8 = stablehlo.rsqrt %7 : tensor<128x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<128x512xf32>
    %11 = stablehlo.convert %10 : (tensor<128x512xf32>) -> tensor<128x512xbf16>
    %12 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<512xbf16>) -> tensor<1x512xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x512xbf16>) -> tensor<128x512xbf16>
    %14 = stablehlo.multiply %11, %13 : tensor<128x512xbf16>
    return %14 : tensor<128x512xbf16>
  }
  func.func private @_where(%arg0: tensor<128x128xi1>, %arg1: tensor<2x4x128x128xbf16>, %arg2: tensor<bf16>) -> tensor<2x4x128x128xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<128x128xi1>) -> tensor<2x4x128x128xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<bf16>) -> tensor<2x4x128x128xbf16>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<2x4x128x128xi1>, tensor<2x4x128x128xbf16>
    return %2 : tensor<2x4x128x128xbf16>
  }
  func.func private @silu(%arg0: tensor<128x1408xbf16>) -> tensor<128x1408xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<128x1408xbf16>
    %1 = stablehlo.exponential %0 : tensor<128x1408xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<128x1408xbf16>
    %3 = stablehlo.add %1, %2 : tensor<128x1408xbf16>
    %4 = stablehlo.divide %2, %3 : tensor<128x1408xbf16>
    %5 = stablehlo.multiply %arg0, %4 : tensor<128x1408xbf16>
    return %5 : tensor<128x1408xbf16>
  }
}
