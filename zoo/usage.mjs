// Preloaded into measured processes: reports the CPU time in microseconds and the peak memory in kilobytes at the end.
import { writeSync } from "node:fs";

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpu: userCPUTime + systemCPUTime, memory: maxRSS }));
});
