export { createDeriver, derive } from "./deriver.ts";
export { importedPackages } from "./emit/imported-packages.ts";
export type { ModuleImport } from "./emit/module-function/module-draft.ts";
export { type ModuleFunction, toModuleFunction } from "./emit/module-function/module-function.ts";
export type { Derivation, Emission, EmittedFile } from "./model/description.ts";
export type { Diagnostic } from "./model/diagnostics.ts";
export type { ItemSource, Place } from "./model/item-source.ts";
export type { ItemPositions, SourceRange } from "./model/positions.ts";
export type { FileObserver } from "./program/system.ts";
