export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export interface Target {
  readonly kind: "dev" | "module" | "url" | "command" | "recording";
  /** As on the command line, without secrets. */
  readonly name: string;
}

/** The abilities of this start of the inspector. The page leaves out the panes that are not possible. */
export interface Abilities {
  /** Source, positions, edits and traces: the server is a module that this process runs. */
  readonly source: boolean;
  /** Calls can be made: the target is not a recording. */
  readonly calls: boolean;
  /** History is kept in a file. */
  readonly keepsHistory: boolean;
  /** Calls can be saved beside the module. */
  readonly saves: boolean;
}

export interface ServerInfo {
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  readonly instructions?: string;
  readonly capabilities: JsonObject;
}

export interface Connection {
  readonly state: "connecting" | "connected" | "lost" | "failed";
  /** Why the server is lost or could not be reached; `remedy` says how to go on. */
  readonly message?: string;
  readonly remedy?: string;
}

export type ItemKind = "tool" | "prompt" | "resource" | "template";

export interface Place {
  /** The index of a file in `Offer.files`. The page never sends a path. */
  readonly file: number;
  /** Both start at 1. */
  readonly line: number;
  readonly column?: number;
}

/** One entry of a list, as the server sent it. */
export interface Item {
  readonly kind: ItemKind;
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template. */
  readonly key: string;
  readonly description: JsonObject;
  /** An estimate; for tools and prompts. */
  readonly tokens?: number;
  readonly place?: Place;
}

/** The lists of a server on one revision. */
export interface Offer {
  /** Grows with each edit and each change of a list. */
  readonly version: number;
  readonly revision: string;
  readonly server: ServerInfo;
  readonly items: readonly Item[];
  /** Names of files, relative to the project. */
  readonly files: readonly string[];
  /** Lists that could not be read, with the reason. */
  readonly problems: readonly string[];
  readonly tokens: number;
}

export type CallMethod = "tools/call" | "resources/read" | "prompts/get";

export interface Problem {
  /** A JSON pointer into the arguments or the result. */
  readonly pointer: string;
  readonly message: string;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  /** The number of progress notifications so far. */
  readonly count: number;
  /** Units per second. */
  readonly rate?: number;
}

/** A report of the engine about a run; only for servers in this process. */
export type Trace =
  | {
      readonly kind: "step";
      readonly name: string;
      readonly how: "ran" | "replayed" | "failed";
      readonly ms?: number;
      readonly value?: string;
    }
  | { readonly kind: "ask"; readonly message: string; readonly how: "asked" | "replayed" }
  | { readonly kind: "diverged"; readonly message: string; readonly hint: string };

/** One run of a handler: a round of a call. Older revisions have one run with questions inside. */
export interface Run {
  readonly number: number;
  readonly line: number;
  readonly ms?: number;
  readonly outcome: "running" | "asks" | "returned" | "failed" | "canceled";
  /** Bytes of the sealed state that the server left with the client. */
  readonly stateBytes?: number;
  readonly trace: readonly Trace[];
}

export type Answer =
  | { readonly action: "accept"; readonly content?: JsonObject }
  | { readonly action: "decline" | "cancel" }
  /** The whole result for sampling and roots. */
  | { readonly result: JsonObject };

export interface Ask {
  readonly id: string;
  /** The run that asked. */
  readonly run: number;
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
  readonly state: "open" | "answered" | "withdrawn";
  readonly answer?: Answer;
  /** The answer when the question was asked before. */
  readonly suggestion?: Answer;
  /** Milliseconds that the person took. */
  readonly ms?: number;
}

/** The change that a resend of a round tries: a server should refuse all but the first. */
export type Tampering = "nothing" | "arguments" | "state" | "caller";

export interface CallState {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly revision: string;
  readonly method: CallMethod;
  readonly params: JsonObject;
  readonly status: "running" | "asks" | "done" | "failed" | "canceled";
  readonly runs: readonly Run[];
  readonly asks: readonly Ask[];
  readonly progress?: Progress;
  /** A result of more than 256 kB is left out; `result` of the API returns it. */
  readonly result?: JsonObject;
  readonly resultBytes?: number;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
  /** Where the arguments break the input schema according to the server. */
  readonly refused?: readonly Problem[];
  /** Where the result breaks the output schema. */
  readonly problems?: readonly Problem[];
  /** Server time, without the time that people took. */
  readonly ms?: number;
  readonly humanMs?: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** The version of the offer. */
  readonly offer: number;
  /** It goes back to a round of an earlier call and answers it differently. */
  readonly from?: { readonly call: string; readonly run: number };
  readonly resent?: {
    readonly call: string;
    readonly run: number;
    readonly change: Tampering;
    readonly refused: boolean;
  };
}

export interface Difference {
  /** A JSON pointer. */
  readonly pointer: string;
  readonly before?: Json;
  readonly after?: Json;
}

export interface Change {
  readonly kind: ItemKind;
  readonly key: string;
  readonly how: "added" | "removed" | "changed";
  /** Differences of the description, with the places of the parts after the edit. */
  readonly parts: readonly (Difference & { readonly place?: Place })[];
  readonly place?: Place;
}

export interface EditProblem {
  readonly file?: number;
  readonly line?: number;
  readonly column?: number;
  readonly code?: string;
  /** Default: "error". */
  readonly severity?: "error" | "warning";
  readonly message: string;
  readonly remedy?: string;
  /** Some lines around the place, with the number of the first. */
  readonly frame?: { readonly first: number; readonly lines: readonly string[] };
}

export type Edit =
  | {
      readonly how: "applied";
      readonly ms: number;
      readonly changes: readonly Change[];
      readonly problems: readonly EditProblem[];
    }
  | { readonly how: "broken"; readonly problems: readonly EditProblem[]; readonly files: readonly string[] };

/** A lane of the timeline: the page's own connections, or a real client. */
export interface Lane {
  readonly conn: string;
  /** "page": made by the inspector; "client": a client of `dev` or `--tap`, which can only be watched. */
  readonly role: "page" | "client";
  readonly name: string;
  readonly version?: string;
  readonly revision?: string;
  /** Of a client: the capabilities that it declares. */
  readonly capabilities?: JsonObject;
  readonly transport: "memory" | "stdio" | "http" | "sse";
  readonly open: boolean;
}

export interface HttpHead {
  readonly method?: string;
  readonly status?: number;
  /** Secrets are masked before they are recorded. */
  readonly requestHeaders?: { readonly [name: string]: string };
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly eventId?: string;
}

/** A message of the timeline without its text. */
export interface WireLine {
  readonly n: number;
  /** Milliseconds since the inspector started. */
  readonly at: number;
  readonly conn: string;
  /** "out": from the client to the server. */
  readonly dir: "out" | "in";
  readonly revision?: string;
  readonly kind: "request" | "notification" | "result" | "error" | "malformed";
  /** Of a response: the method of its request. */
  readonly method?: string;
  /** The subject of the message: the name of a tool or prompt, a URI, a task. */
  readonly about?: string;
  readonly id?: string | number | null;
  /** The line that this one belongs to: the request of a response, the call of a progress, the first round of a round. */
  readonly re?: number;
  readonly bytes: number;
  /** `complete`, `input_required`, `task`, `isError`, an error code, or the state of a stream. */
  readonly status?: string;
  readonly httpStatus?: number;
  /** Of a response: milliseconds since its request. */
  readonly ms?: number;
  readonly note?: string;
}

/** The exact text; everything else can be computed again. Also a line of an exported recording. */
export interface WireMessage extends WireLine {
  readonly text: string;
  readonly http?: HttpHead;
}
