import type { JsonObject } from "./json.ts";

/** A lane of the timeline: the page's own connections, or a real client. */
export interface Lane {
  readonly conn: string;
  /** "page": made by the inspector; "client": a client of `dev` or `--tap`, which can only be watched. */
  readonly role: "page" | "client";
  readonly name: string;
  readonly version?: string;
  readonly revision?: string;
  /** Of a client: what it says that it can do. */
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
  /** The name of the tool or prompt, the URI, the task: what the message is about. */
  readonly about?: string;
  readonly id?: string | number | null;
  /** The line that this one belongs to: the request of a response, the call of a progress, the first round of a round. */
  readonly re?: number;
  readonly bytes: number;
  /** `complete`, `input_required`, `task`, `isError`, an error code, or what a stream does. */
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
