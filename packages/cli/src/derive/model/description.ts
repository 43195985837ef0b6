import type { Codec } from "proffer/derived";
import type { Diagnostic } from "./diagnostics.ts";
import type { JsonSchema } from "./json-schema.ts";

/** What a module offers to clients, as plain data. */
export interface Derivation {
  /** `server`: the default export is a server of its own, and the lists here are empty. */
  form: "functions" | "server";
  server: { name: string; version: string; instructions?: string };
  tools: DerivedTool[];
  prompts: DerivedPrompt[];
  resources: DerivedResource[];
  /** The questions whose schema was derived and which `emit` completes. */
  questions: DerivedQuestion[];
  diagnostics: Diagnostic[];
  /** Absolute paths of everything of the author's that the result depends on, for hashing and watching. */
  files: string[];
  /** The packages whose types were read. */
  packages: { name: string; version: string; directory: string }[];
}

export interface DerivedTool {
  name: string;
  title?: string;
  description?: string;
  /** Closed: a property that no parameter takes is refused. */
  inputSchema: JsonSchema & { type: "object" };
  /** Open, and of any type at its root. Absent where the result is content, or nothing. */
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
  /** The reason, or true where the author gave none; the description says it too. */
  deprecated?: string | true;
  binding: Binding;
}

export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface DerivedPrompt {
  name: string;
  title?: string;
  description?: string;
  arguments: DerivedArgument[];
  deprecated?: string | true;
  binding: Binding;
}

export interface DerivedArgument {
  name: string;
  description?: string;
  required: boolean;
  /** What the string must satisfy. */
  schema: JsonSchema;
  /** All values that the argument can have, if they are known. */
  complete?: string[];
}

export interface DerivedResource {
  /** A URI, or a template if there are variables. */
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  deprecated?: string | true;
  variables: DerivedVariable[];
  binding: Binding;
}

export interface DerivedVariable {
  name: string;
  required: boolean;
  /** What the text of the URI is turned into before `schema` is applied. */
  type: "string" | "number" | "integer" | "boolean" | "list";
  /** What the value must satisfy, with its default and its limits. */
  schema: JsonSchema;
  complete?: string[];
}

export interface DerivedQuestion {
  file: string;
  line: number;
  column: number;
  schema: JsonSchema;
}

/** How the run-time calls the author's function. */
export interface Binding {
  /** The export, then the members that lead to the function; it is called as a method of what holds it. */
  path: string[];
  /** What each parameter gets, in order. */
  parameters: BoundParameter[];
  /** Applies to the object of all arguments, before they are handed out. */
  decode?: Codec;
  result: BoundResult;
}

export type BoundParameter =
  /** The argument of that name; undefined if it is absent, so that the author's default applies. */
  | { kind: "argument"; name: string }
  /** The argument of that name, spread over the remaining parameters. */
  | { kind: "rest"; name: string }
  /** The object of all arguments. */
  | { kind: "arguments" }
  | { kind: "context" };

export interface BoundResult {
  /**
   * `value`: as returned. `iterable`: the items of an iterable or async iterable, collected into an array.
   * `content`: for the run-time to interpret: content blocks, bytes, streams, nothing.
   */
  kind: "value" | "iterable" | "content";
  /** The function may return nothing where the output schema has null. */
  nullable?: true;
  /** Applies to the value, to each item's array, or to what `result(…)` wraps; not to content. */
  encode?: Codec;
}

/** The JavaScript of the author's files. */
export interface Emission {
  /** Path of the entry's JavaScript, relative to the output directory. */
  entry: string;
  files: EmittedFile[];
}

export interface EmittedFile {
  /** Relative to the output directory, with forward slashes. */
  path: string;
  /** Absolute path of what it was made from. */
  source: string;
  /** What it holds; JavaScript names its source map, `<path>.map`. */
  text: string;
  /** The source map of JavaScript. */
  map?: string;
}
