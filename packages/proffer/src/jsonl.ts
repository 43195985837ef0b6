export { type FileResolver, type JsonlOptions, jsonl } from "./providers/jsonl.ts";
