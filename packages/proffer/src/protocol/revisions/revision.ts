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

/** The types whose shape changed between revisions. */
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

/** Conversions by type; a type without an entry is sent unchanged. */
export type Conversions = { readonly [Name in keyof Shapes]?: Convert<Shapes[Name]> };

/** The methods that every revision has. */
export const ITEM_METHODS: readonly string[] = [
  ...["tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete"],
  ...["resources/list", "resources/templates/list", "resources/read"],
];

/** One revision of the protocol: all its differences from the others, as data and conversions. */
export interface Revision {
  readonly version: string;
  /** Clients start with `initialize`; otherwise each request carries the version and the client's capabilities. */
  readonly handshake: boolean;
  readonly methods: ReadonlySet<string>;
  /**
   * A list of items that the server does not have is empty, although the capability is absent; otherwise the method does
   * not exist. Some clients ask for every list, whatever the capabilities are, and give up on a server after an error.
   */
  readonly emptyLists: boolean;
  readonly batches: boolean;
  /** Event streams start with an event that has only an id, so that clients can reconnect and resume. */
  readonly primed: boolean;
  /** The id of the error response to an unreadable request. */
  readonly unreadableId: null | undefined;
  /** Error codes that differ from `ERRORS`. */
  readonly codes: { readonly [Name in ErrorName]?: number };
  /** A missing client capability is reported as a JSON-RPC error; otherwise as a tool result with `isError`. */
  readonly capabilityErrors: boolean;
  /**
   * Official clients validate the structured content of failures too, and report an error of their own instead of a
   * failure whose content does not match the output schema of the tool.
   */
  readonly checksFailures: boolean;
  /** The requests that a server may send to a client. */
  readonly inputs: ReadonlySet<string>;
  /** A question may ask the user to open a page. */
  readonly urlQuestions: boolean;
  /**
   * A question ends the request, and the client repeats the request with the answers. Otherwise a question is a request
   * from the server to the client.
   */
  readonly rounds: boolean;
  /** Servers and clients may agree on extensions, with methods and results of their own. */
  readonly extensions: boolean;
  /** Clients replace their scopes by those of a challenge; otherwise they add them. */
  readonly replacesScopes: boolean;
  readonly convert: Conversions;
  /** Returns the properties that every result has besides its own; `hints` is set if the result may be cached. */
  envelope?(server: Implementation, hints: CacheHints | undefined): { readonly [key: string]: unknown };
}

/** Applies the revision's conversion for this type, if it has one. */
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

/** Combines conversions: those of the newer revision run first, then those of the older one. */
export function chain(newer: Conversions, own: Conversions): Conversions {
  const all: Record<string, Convert<unknown>> = { ...(newer as Record<string, Convert<unknown>>) };
  for (const [name, after] of Object.entries(own as Record<string, Convert<unknown>>)) {
    const before = all[name];
    all[name] = before === undefined ? after : (value, detail) => after(before(value, detail), detail);
  }
  return all as Conversions;
}

/** Returns a copy without some keys, or the value itself if it has none of them. */
export function without<Value extends object>(value: Value, ...keys: string[]): Value {
  if (!keys.some((key) => key in value)) return value;
  const rest = { ...value } as Record<string, unknown>;
  for (const key of keys) delete rest[key];
  return rest as Value;
}
