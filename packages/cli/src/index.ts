export { run } from "./main.ts";
export { load } from "./modules/load.ts";
export type { Shell } from "./terminal/shell.ts";
