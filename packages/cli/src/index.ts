export { run } from "./main.ts";
export { load } from "./modules/load.ts";
