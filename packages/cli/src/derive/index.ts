export { createDeriver, derive } from "./deriver.ts";
export type { Derivation, Emission, EmittedFile } from "./description.ts";
export type { Diagnostic } from "./diagnostics.ts";
export type { ModuleImport } from "./module-draft.ts";
export { toModuleFunction } from "./module-function.ts";
