import type { ErrorName } from "../errors.ts";
import type {
  CacheHints,
  CallResult,
  ContentBlock,
  Implementation,
  Progress,
  PromptDescription,
  ReadResult,
  ResourceDescription,
  TemplateDescription,
  ToolDescription,
} from "../model.ts";

/** The things whose shape changed between revisions. */
export interface Shapes {
  implementation: Implementation;
  capabilities: { readonly [name: string]: object };
  tool: ToolDescription;
  prompt: PromptDescription;
  resource: ResourceDescription;
  template: TemplateDescription;
  block: ContentBlock;
  call: CallResult;
  read: ReadResult;
  progress: Progress;
  /** The parameters of `elicitation/create`. */
  elicitation: { readonly [key: string]: unknown };
}

type Convert<Shape> = (value: Shape, detail: { readonly wrapped: boolean }) => Shape;

/** Converts what changed; a missing entry means that the value goes as it is. */
export type Conversions = { readonly [Name in keyof Shapes]?: Convert<Shapes[Name]> };

/** One revision of the protocol: all that is particular about it, as data and one conversion. */
export interface Revision {
  readonly version: string;
  /** Clients open with `initialize`; otherwise each request carries its version and capabilities. */
  readonly handshake: boolean;
  readonly methods: ReadonlySet<string>;
  readonly batches: boolean;
  /** Streams of events begin with one that has only an id, and clients come back for the rest. */
  readonly primed: boolean;
  /** The id of an error that answers an unreadable request. */
  readonly unreadableId: null | undefined;
  /** Codes that differ from the table of errors. */
  readonly codes: { readonly [Name in ErrorName]?: number };
  /** A missing client capability is an error object; otherwise a tool result that says so. */
  readonly capabilityErrors: boolean;
  /** What a client can be asked for. */
  readonly inputs: ReadonlySet<string>;
  /** What is asked ends the request, which the client repeats with the answers; otherwise it is a request itself. */
  readonly rounds: boolean;
  readonly convert: Conversions;
  /** What every result carries besides its own fields; `hints` where the answer may be cached. */
  envelope?(server: Implementation, hints: CacheHints | undefined): { readonly [key: string]: unknown };
}

/** Applies a conversion of the revision, if it has one for that shape. */
export function convert<Name extends keyof Shapes>(
  revision: Revision,
  name: Name,
  value: Shapes[Name],
  detail = AS_IS,
): Shapes[Name] {
  const conversion = revision.convert[name] as Convert<Shapes[Name]> | undefined;
  return conversion === undefined ? value : conversion(value, detail);
}

const AS_IS = { wrapped: false };

/** The conversions of an older revision: those of the newer one, then its own. */
export function chain(newer: Conversions, own: Conversions): Conversions {
  const all: Record<string, Convert<unknown>> = { ...(newer as Record<string, Convert<unknown>>) };
  for (const [name, after] of Object.entries(own as Record<string, Convert<unknown>>)) {
    const before = all[name];
    all[name] = before === undefined ? after : (value, detail) => after(before(value, detail), detail);
  }
  return all as Conversions;
}

/** The value without some of its keys; the same value if it has none of them. */
export function without<Value extends object>(value: Value, ...keys: string[]): Value {
  if (!keys.some((key) => key in value)) return value;
  const rest = { ...value } as Record<string, unknown>;
  for (const key of keys) delete rest[key];
  return rest as Value;
}
