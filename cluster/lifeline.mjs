// Imported by each node: ends it when the process that started it has ended, however that ended.
process.stdin.on("end", () => process.exit()).resume();
process.stdin.unref();
