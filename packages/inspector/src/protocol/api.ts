import type {
  Abilities,
  Answer,
  CallMethod,
  CallState,
  Connection,
  Edit,
  ItemKind,
  Json,
  JsonObject,
  Lane,
  Offer,
  Place,
  Problem,
  Tampering,
  Target,
  WireLine,
  WireMessage,
} from "./data.ts";

/**
 * Every request of the page is `POST /api/<name>` with a JSON body and `authorization: Bearer <secret>`. `events` answers with
 * a stream of JSON Lines; all others answer with one JSON object, or with this and a status of 400 or more. The page and Node
 * both import this folder, so it has only types.
 */
export interface ApiError {
  readonly error: { readonly code: string; readonly message: string; readonly remedy?: string };
}

/** The formats of `copy`. */
export type CopyFormat = "test" | "sh" | "powershell" | "curl" | "client" | "config" | "json-rpc";

/** A request that the page would make, or has made: with the answers to its questions. */
export interface Draft {
  readonly revision: string;
  readonly method: CallMethod;
  readonly params: JsonObject;
  readonly answers?: readonly Answer[];
  readonly result?: JsonObject;
}

export interface HistoryEntry {
  readonly id: string;
  readonly at: number;
  readonly draft: Draft;
  readonly status: CallState["status"];
  readonly ms?: number;
  readonly runs: number;
  /** The name under which it is saved in `inspect/`. */
  readonly saved?: string;
}

export interface Compared {
  readonly revision: string;
  readonly ms: number;
  readonly bytes: number;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A piece of source and the schema nodes that come from it. */
export interface SourceView {
  readonly pieces: readonly { readonly file: number; readonly first: number; readonly lines: readonly string[] }[];
  /** JSON pointers into the description, such as `/inputSchema/properties/zip`, and their places. */
  readonly places: readonly { readonly pointer: string; readonly place: Place; readonly endLine: number }[];
}

export interface InspectorFinding {
  readonly level: "good" | "warning" | "error";
  readonly message: string;
  readonly remedy?: string;
  readonly code?: string;
  readonly item?: { readonly kind: ItemKind; readonly key: string };
  readonly place?: Place;
  /** The number of the message that shows it. */
  readonly line?: number;
}

/** A tool as the model of a client gets it. */
export interface ModelView {
  readonly client: string;
  /** Undefined if the client leaves the tool out; then `losses` says why. */
  readonly declaration?: JsonObject;
  readonly losses: readonly string[];
  readonly tokens?: number;
}

/** The offer of the server as a watched client gets it. */
export interface ClientView {
  readonly revision: string;
  /** The title of its profile, if it is a known client. */
  readonly profile?: string;
  readonly capabilities: JsonObject;
  /** By the keys under which the client gets them. */
  readonly items: readonly (ModelView & { readonly kind: ItemKind; readonly key: string })[];
  /** Of the tools that its model sees; an estimate. */
  readonly tokens: number;
  /** Lists that could not be read. */
  readonly problems: readonly string[];
}

/** The cost of a tool for each conversation, in estimated tokens. */
export interface ToolCostView {
  /** Without the output schema, which few clients pass to a model. */
  readonly tokens: number;
  readonly output: number;
  readonly parts: readonly {
    readonly kind: "description" | "parameter" | "definition" | "rest";
    readonly name?: string;
    readonly tokens: number;
    /** Of these, the texts that describe it, and the values that it lists. */
    readonly descriptions: number;
    readonly enums: number;
  }[];
}

/** The bodies of requests and responses by name. A request without `out` is answered with an empty object. */
export interface Api {
  readonly offer: { in: { readonly revision: string }; out: Offer };
  readonly call: { in: Draft; out: { readonly id: string } };
  readonly answer: { in: { readonly ask: string; readonly answer: Answer } };
  readonly cancel: { in: { readonly id: string } };
  readonly result: { in: { readonly id: string }; out: { readonly result: JsonObject } };
  /** Sends a round again, as it was or changed. */
  readonly resend: {
    in: { readonly call: string; readonly run: number; readonly change: Tampering };
    out: { readonly id: string };
  };
  /** Goes back to a round that asked: its questions are asked again, and the answers belong to its state. */
  readonly reanswer: { in: { readonly call: string; readonly run: number }; out: { readonly id: string } };
  /**
   * Where a value breaks a schema. Node has the validator, so that the page need not load it. `note` says why a schema is
   * not checked, or only in part.
   */
  readonly check: {
    in: { readonly schema: JsonObject; readonly value: Json };
    out: { readonly problems: readonly Problem[]; readonly note?: string };
  };
  /** Expands a URI template. Node has the code, so that the page need not load it. */
  readonly expand: {
    in: { readonly template: string; readonly values: JsonObject };
    out: { readonly uri: string } | { readonly problem: string };
  };
  readonly complete: {
    in: {
      readonly revision: string;
      readonly ref: JsonObject;
      readonly name: string;
      readonly value: string;
      readonly known?: { readonly [name: string]: string };
    };
    out: { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean };
  };
  readonly subscribe: { in: { readonly revision: string; readonly uri: string } };
  readonly unsubscribe: { in: { readonly revision: string; readonly uri: string } };
  /** Sends any text, also malformed; a response appears on the wire. */
  readonly raw: { in: { readonly revision: string; readonly text: string } };
  /** The same request on several revisions. Questions are declined. */
  readonly compare: {
    in: { readonly method: string; readonly params: JsonObject; readonly revisions?: readonly string[] };
    out: { readonly results: readonly Compared[] };
  };
  readonly message: { in: { readonly n: number }; out: WireMessage };
  readonly clear: { in: Record<never, never> };
  /** The recording as JSON Lines. */
  readonly export: { in: Record<never, never>; out: { readonly text: string; readonly warnings: readonly string[] } };
  readonly source: { in: { readonly kind: ItemKind; readonly key: string }; out: SourceView };
  readonly doctor: { in: Record<never, never>; out: { readonly findings: readonly InspectorFinding[] } };
  readonly model: { in: { readonly tool: string; readonly client: string }; out: ModelView };
  /** The view of a watched client, read from the server under its name and with its capabilities. */
  readonly client: { in: { readonly conn: string }; out: ClientView };
  readonly cost: { in: { readonly revision: string; readonly tool: string }; out: ToolCostView };
  readonly copy: {
    in: { readonly draft: Draft; readonly format: CopyFormat; readonly client?: string };
    out: { readonly text: string; readonly language: string };
  };
  readonly history: { in: Record<never, never>; out: { readonly entries: readonly HistoryEntry[] } };
  readonly remembered: { in: { readonly id: string }; out: { readonly call: CallState } };
  readonly forget: { in: { readonly id?: string } };
  /** Writes `inspect/<name>.json` beside the module; `id` is the call of the history that gets the name. */
  readonly save: {
    in: { readonly name: string; readonly draft: Draft; readonly id?: string };
    out: { readonly file: string };
  };
  /** Opens the editor. */
  readonly open: { in: Place };
  /** Starts the command of the command line again, or connects again. */
  readonly reconnect: { in: Record<never, never> };
}

/** The body of a response. */
export type ResponseTo<Name extends keyof Api> = Api[Name] extends { readonly out: infer Out }
  ? Out
  : Record<never, never>;

/** A line of the stream. A new stream begins with `hello`, then everything that is known, then `ready`. */
export type InspectorEvent =
  | {
      readonly kind: "hello";
      readonly version: string;
      readonly target: Target;
      readonly abilities: Abilities;
      /** The revisions that the server supports, newest first. */
      readonly revisions: readonly string[];
      /** Names of client profiles. */
      readonly profiles: readonly string[];
    }
  | { readonly kind: "ready" }
  | { readonly kind: "connection"; readonly connection: Connection; readonly revisions: readonly string[] }
  | { readonly kind: "offer"; readonly offer: Offer }
  | { readonly kind: "line"; readonly line: WireLine }
  | { readonly kind: "lane"; readonly lane: Lane }
  /** The whole state of a call, after each change. */
  | { readonly kind: "call"; readonly call: CallState }
  | { readonly kind: "edit"; readonly edit: Edit; readonly at: number }
  | { readonly kind: "stderr"; readonly text: string }
  /** The contents of a subscribed resource, read again after an update. */
  | {
      readonly kind: "live";
      readonly uri: string;
      readonly revision: string;
      readonly at: number;
      readonly result?: JsonObject;
      readonly error?: string;
      readonly updates: number;
    }
  | { readonly kind: "unsubscribed"; readonly uri: string; readonly revision: string }
  /** The findings about the messages of the server; all of them so far. */
  | { readonly kind: "findings"; readonly findings: readonly InspectorFinding[] }
  | { readonly kind: "cleared" }
  | { readonly kind: "history" };
