export { type FilesOptions, files } from "./providers/files.ts";
export { type ConfinedDirectory, confine } from "./providers/files-confined.ts";
