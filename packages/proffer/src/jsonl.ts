export {
  type BadLine,
  type BadLineMessage,
  type FileResolver,
  type JsonlOptions,
  jsonl,
} from "./providers/jsonl/jsonl.ts";
