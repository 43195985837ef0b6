export {
  type ConfinedDirectory,
  type ConfinedEntry,
  type ConfineOptions,
  confine,
} from "./providers/files/confined.ts";
export { type FilesOptions, files } from "./providers/files/files.ts";
