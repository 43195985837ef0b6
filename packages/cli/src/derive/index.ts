export { createDeriver, derive } from "./deriver.ts";
export type { Derivation, Emission, EmittedFile } from "./description.ts";
export type { Diagnostic } from "./diagnostics.ts";
