// The types of what the engine uses of onnxruntime-web.
export type Numbers = Float32Array | BigInt64Array;
export class Tensor {
  constructor(type: "float32" | "int64", data: Numbers, dims: readonly number[]);
  readonly data: Numbers;
  readonly dims: readonly number[];
}
export interface Session {
  run(fed: Record<string, Tensor>, wanted?: readonly string[]): Promise<Record<string, Tensor>>;
}
export const InferenceSession: { create(bytes: Uint8Array, options?: object): Promise<Session> };
export const env: { wasm: { numThreads: number; wasmBinary?: Uint8Array | ArrayBuffer; proxy?: boolean } };
