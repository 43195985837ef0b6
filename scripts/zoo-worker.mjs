// The process in which scripts/types-zoo.mjs examines one case file, so that it survives a crash or an endless loop.
import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
const { runWorker } = await import("../zoo/worker.ts");
await runWorker();
