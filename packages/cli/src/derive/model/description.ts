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

export interface DerivedQuestion extends Place {
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

/** A place in the author's code. Line and column start at 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The code of a tool, a prompt or a resource. */
export interface ItemSource extends Place {
  readonly kind: "tool" | "prompt" | "resource";
  /** The name, or the URI of a resource. */
  readonly key: string;
  /** Where its code throws an error whose message no client receives by default, in the file of its handler. */
  readonly throws: readonly Place[];
  /** Where it awaits something outside of a step before a question, so that the work is done again in each round. */
  readonly repeats: readonly Place[];
  /** It is defined without an output schema, and its handler returns an object or a list. */
  readonly returnsUntyped: boolean;
}

/** Some lines of an author's file, from its line and column on. */
export interface SourceRange extends Place {
  /** The last line. */
  readonly endLine: number;
}

/** Where the parts of an item come from. */
export interface ItemPositions {
  readonly kind: ItemSource["kind"];
  /** The name, or the URI of a resource. */
  readonly key: string;
  /** By JSON pointer into the description of the item, such as `/inputSchema/properties/zip`; "" is the item itself. */
  readonly places: readonly { readonly pointer: string; readonly range: SourceRange }[];
  /** The code of the item, then the declarations of its types. */
  readonly pieces: readonly SourceRange[];
}
