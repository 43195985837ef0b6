import type { Json, JsonObject } from "./json.ts";

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

/** What the engine reports about a run; only for servers that this process runs. */
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
  /** What was answered when the question was asked before. */
  readonly suggestion?: Answer;
  /** Milliseconds that the person took. */
  readonly ms?: number;
}

/** What a resend of a round tries, and what should happen. */
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
