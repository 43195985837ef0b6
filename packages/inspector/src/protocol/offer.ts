import type { JsonObject } from "./json.ts";

export interface Target {
  readonly kind: "dev" | "module" | "url" | "command" | "recording";
  /** As on the command line, without secrets. */
  readonly name: string;
}

/** What this start of the inspector can show. The page leaves out the panes that are not possible. */
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
  /** What happened, if the server is lost or could not be reached: what was tried, and what to do. */
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
