export { createDeriver } from "./deriver.ts";
export { importedPackages } from "./emit/emit.ts";
export type { ModuleImport } from "./emit/module-draft.ts";
export { type ModuleFunction, toModuleFunction } from "./emit/module-function.ts";
export type {
  Derivation,
  Emission,
  EmittedFile,
  ItemPositions,
  ItemSource,
  Place,
  SourceRange,
} from "./model/description.ts";
export type { Diagnostic } from "./model/diagnostics.ts";
export type { FileObserver } from "./program/host.ts";
