export { type FilesOptions, files } from "./providers/files.ts";
export {
  type ConfinedDirectory,
  type ConfinedEntry,
  type ConfineOptions,
  confine,
} from "./providers/files-confined.ts";
