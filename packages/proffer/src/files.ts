export { type FilesOptions, files } from "./providers/files/files.ts";
export {
  type ConfinedDirectory,
  type ConfinedEntry,
  type ConfineOptions,
  confine,
} from "./providers/files/root.ts";
