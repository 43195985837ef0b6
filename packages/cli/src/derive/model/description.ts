import type { Manifest } from "proffer/derived";
import type { Diagnostic } from "./diagnostics.ts";
import type { DerivedSchema } from "./json-schema.ts";

/** The result of deriving a module: its manifest, and the facts that commands, caches and watchers need. */
export interface Derivation extends Manifest {
  /**
   * `functions`: the lists of the manifest are the server. `server`: the default export is a server made by the author,
   * and the lists are empty. `combined`: the lists are added to the server that is exported as `server`.
   */
  readonly form: "functions" | "server" | "combined";
  /** The questions whose schema was derived; `emit` adds the schemas to the code. */
  readonly questions: readonly DerivedQuestion[];
  readonly diagnostics: readonly Diagnostic[];
  /** Absolute paths of all files of the author that the result depends on, for watching. */
  readonly files: readonly string[];
}

export interface DerivedQuestion {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly schema: DerivedSchema;
}

/** The JavaScript of the author's files. */
export interface Emission {
  /** Path of the entry's JavaScript, relative to the output directory. */
  readonly entry: string;
  /** The folder of the sources that the output directory mirrors; an absolute path. */
  readonly root: string;
  readonly files: readonly EmittedFile[];
}

export interface EmittedFile {
  /** Relative to the output directory, with forward slashes. */
  readonly path: string;
  /** Absolute path of the source file. */
  readonly source: string;
  /** The content. JavaScript refers to its source map, `<path>.map`. */
  readonly text: string;
  /** The source map of JavaScript. */
  readonly map?: string;
}
