export { createDeriver, type Deriver } from "./deriver.ts";
export type { ModuleImport } from "./emit/module-draft.ts";
export { type ModuleFunction, toModuleFunction } from "./emit/module-function.ts";
export { importedPackages } from "./emit/specifiers.ts";
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
export type { FileObserver } from "./program/system.ts";
