export {
  type BadLine,
  type BadLineWording,
  type FileResolver,
  type JsonlOptions,
  jsonl,
} from "./providers/jsonl/jsonl.ts";
