// The bundle of the worker: onnxruntime-web and the engine on it.
import * as ort from "../../vendor/onnxruntime-web/ort.wasm.bundle.min.mjs";
import { Server } from "../engine/worker.js";

const server = new Server(ort, (answer, moved = []) => self.postMessage(answer, { transfer: moved }));
self.addEventListener("message", ({ data }) => server.hear(data));
