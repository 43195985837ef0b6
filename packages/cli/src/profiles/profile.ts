import type { ProfileId } from "proffer";

/** A fact about a client, where it is stated, and the day on which that was checked. */
export interface Cell<Value> {
  readonly value: Value;
  /** In words, for the table of clients. */
  readonly text: string;
  readonly source: string;
  /** As YYYY-MM-DD. */
  readonly checked: string;
  /** Measured with the client itself, read in its source code, or reported by somebody. */
  readonly known: "measured" | "read" | "reported";
}

/** What was measured with a client, by the names of its cells. */
export interface MeasuredClient {
  readonly version: string;
  /** As YYYY-MM-DD. */
  readonly day: string;
  readonly cells: { readonly [Name in keyof Profile]?: unknown };
}

/** How many tools a client shows. */
export interface ToolRules {
  readonly max?: number;
  /** The fate of the others. */
  readonly beyond?: "omitted" | "deferred" | "warned";
  /** The client reads the first page of the list only. */
  readonly firstPage?: true;
}

/** How a client names a tool for its model. */
export interface NameRules {
  /** The name for the model, of the names of the server and the tool. */
  readonly pattern: string;
  /** The characters that stay, as in a regular expression; others become `_`. Absent if names stay as they are. */
  readonly characters?: string;
  /** The client refuses names with other characters, instead of replacing them. */
  readonly strict?: true;
  readonly max?: number;
  /** The fate of a longer name. */
  readonly beyond?: "omitted" | "cut" | "refused";
}

/** How a client treats the schemas of arguments and results. */
export interface SchemaRules {
  /** A union at the root of the arguments makes the client or its API refuse the tool. */
  readonly refusesRootUnion?: true;
  /** Objects without `properties` are refused, often with the whole conversation. */
  readonly needsProperties?: true;
  /** Arrays without `items` are refused. */
  readonly needsItems?: true;
  /** `$schema` is refused. */
  readonly refusesDialect?: true;
  /** References stay unresolved. */
  readonly ignoresReferences?: true;
  /** A union at the root of an output breaks the connection. */
  readonly refusesOutputUnion?: true;
  /** The only keywords that reach the model. */
  readonly keeps?: readonly string[];
  /** Keywords that do not reach the model. */
  readonly drops?: readonly string[];
  /** The size in bytes beyond which parts are removed. */
  readonly maxBytes?: number;
  /** The size in characters beyond which descriptions of tools are cut. */
  readonly maxDescription?: number;
}

/** The parts of a result that a model sees. */
export interface ResultRules {
  /** Structured content replaces all other content. */
  readonly structuredOnly?: true;
  /** Structured content replaces the texts beside it. */
  readonly structuredFirst?: true;
  /** The content blocks that reach the model; absent: all. */
  readonly blocks?: readonly ("text" | "image" | "audio" | "resource" | "resource_link")[];
  /** The size of a text in characters beyond which it is cut or saved to a file. */
  readonly maxText?: number;
}

/** The time limits of a client, in seconds. */
export interface TimeRules {
  readonly start?: number;
  readonly call?: number;
}

export type Question = "form" | "url" | "sampling" | "roots";

/** The known facts about a client; a missing cell is not known. */
export interface Profile {
  readonly id: ProfileId;
  readonly title: string;
  /** The texts that the client sends as `clientInfo.name`; `*` at the end stands for any further characters. */
  readonly names: readonly string[];
  readonly revision?: Cell<string>;
  readonly tools?: Cell<ToolRules>;
  readonly toolNames?: Cell<NameRules>;
  readonly schemas?: Cell<SchemaRules>;
  readonly results?: Cell<ResultRules>;
  /** Whether the model can read resources, without the user. */
  readonly resources?: Cell<boolean>;
  readonly questions?: Cell<readonly Question[]>;
  readonly times?: Cell<TimeRules>;
  /** The folder in which the client starts a server. */
  readonly folder?: Cell<null>;
}
