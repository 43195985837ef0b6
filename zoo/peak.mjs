// Preloaded into measured processes: reports the peak memory at their end.
import { writeSync } from "node:fs";

process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));
