export { load } from "./load.ts";
export { run } from "./main.ts";
