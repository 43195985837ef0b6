import type { Principal } from "proffer";
import type { Client, ClientOptions } from "proffer/client";
import type { Draft, InspectorFinding, ModelView, SourceView, ToolCostView } from "../protocol/api.ts";
import type {
  CallState,
  HttpHead,
  ItemKind,
  JsonObject,
  Lane,
  Offer,
  Place,
  ServerInfo,
  Target,
  Trace,
  WireLine,
  WireMessage,
} from "../protocol/data.ts";

/**
 * Everything that the inspector gets from the program that starts it: the server, its messages, and views of its code. The
 * inspector itself reads no file but its page, starts no process and opens no connection.
 */
export interface InspectorHost {
  /** The version of the program, which the page shows. */
  readonly version: string;
  readonly target: Target;
  readonly record: MessageRecord;
  /** How to connect to the server; absent if there is none, as for a recording. */
  readonly links?: ServerLinks | undefined;
  /** Reports runs of handlers, only of a server in this process. */
  readonly trace?: TraceSource | undefined;
  /** The code of the server, if it can be shown. */
  readonly code?: ServerCode | undefined;
  /** Keeps the history after the end; without one it ends with the process. */
  readonly history?: HistoryStore | undefined;
  readonly profiles: ClientProfiles;
  /** Writes requests and configurations for the target; absent if it cannot be called. */
  readonly copying?: CopyTarget | undefined;
  /** Writes a call to a file beside the module and returns its path. @throws {ApiProblem} */
  saveCall?(name: string, draft: Draft): string;
  /** Returns the findings of `doctor` about an offer. */
  findProblems(offer: Offer): Promise<readonly InspectorFinding[]>;
  /** Estimates the cost of a tool for each conversation, by its parts. */
  costOf(tool: JsonObject): ToolCostView;
  /** Writes the record as a file, and warns of possible secrets in it. */
  exportRecord(about: RecordedServer): { readonly text: string; readonly warnings: readonly string[] };
  /** Shows output of the server on stderr in the terminal. */
  showOutput(text: string): void;
}

/** The messages of all connections. Secrets are masked before they enter it. */
export interface MessageRecord {
  readonly mask: {
    text(text: string): string;
    /** The same for the strings in a value. */
    json<Value>(value: Value): Value;
  };
  /** Calls the functions for everything that is new, until the returned function is called. */
  observe(observer: RecordObserver): () => void;
  /** Returns a name for a new connection. */
  newConn(): string;
  /** Adds a lane or replaces an earlier version of it. */
  setLane(lane: Lane): void;
  /** Adds a message and returns its line. */
  add(message: SeenMessage): WireLine;
  get(n: number): WireMessage | undefined;
  /** All messages, oldest first. */
  messages(): Iterable<WireMessage>;
  /** All messages without their texts, oldest first. */
  lines(): Iterable<WireLine>;
  lanes(): Iterable<Lane>;
  /** Forgets the messages. Numbers continue, so that no address names another message. */
  clear(): void;
}

/** A message as it was seen on a connection. */
export interface SeenMessage {
  readonly conn: string;
  /** "out": from the client to the server. */
  readonly dir: "out" | "in";
  /** The exact text of the message. */
  readonly text: string;
  /** With secrets: the record masks them. */
  readonly http?: HttpHead | undefined;
  /** A remark that the text does not show. */
  readonly note?: string | undefined;
}

/** Receives the changes of a record. */
export interface RecordObserver {
  line?(line: WireLine): void;
  lane?(lane: Lane): void;
  cleared?(): void;
}

/** The facts about a server that a file of its messages begins with. */
export interface RecordedServer {
  readonly server?: ServerInfo;
  readonly revisions: readonly string[];
}

/** The error code of the responses that a link creates when no response can come. Servers use other codes. */
export const NO_RESPONSE = 0;

/** Connects clients to one target: the one of the command line. */
export interface ServerLinks {
  readonly transport: Lane["transport"];
  /** The name under which servers know the clients. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** The revisions that clients speak, newest first. */
  readonly revisions: readonly string[];
  /** Whether the server supports all of them. Otherwise it is asked. */
  readonly supportsAll: boolean;
  /** Whether each link starts a process. */
  readonly spawns: boolean;
  /** Whether `caller` is heard. */
  readonly changesCaller: boolean;
  /** Whether the server can be reached again. Absent if only an attempt to connect can show it. */
  isThere?(): Promise<boolean>;
  /** @throws {RemoteError} if the server does not respond. */
  connect(request: ConnectRequest): Promise<LinkedClient>;
}

export interface ConnectRequest {
  /** The name of the server in messages. */
  readonly name: string;
  /** Is called for each attempt: on another revision, and for a command with another process. */
  observe(): LinkObserver;
  readonly options: ClientOptions;
  readonly caller?: Principal | undefined;
}

/** Sees the messages of a link, exactly and before they are checked. */
export interface LinkObserver {
  sent(text: string, http?: HttpHead): void;
  received(text: string, http?: HttpHead): void;
  stderr(text: string): void;
  /** The server has the older transport: HTTP with SSE. */
  fellBack(): void;
  /** A request will have no response, or a stream broke off: the server may be gone. */
  unanswered(): void;
  /** The server is gone. */
  ended(reason: string): void;
}

/** A client that is connected. */
export interface LinkedClient {
  readonly client: Client;
  /** Sends a raw text, which may be no message. */
  send(text: string): void;
  /** In this process: the object that runs are reported with. */
  readonly source?: object | undefined;
  /** Checks an intermediate result: questions, or the state of a task. @throws if it breaks the protocol. */
  check(form: "questions" | "task", method: string, result: object): void;
}

/** A report of a run of a handler. */
export interface TraceEvent {
  /** The connection within this process that the request came by. */
  readonly source: object;
  /** The id of the request. */
  readonly id: string | number;
  readonly trace: Trace;
}

export type TraceSource = (listener: (event: TraceEvent) => void) => void;

/** The code of a server. Files are named by their index: the page never sends a path. */
export interface ServerCode {
  /** Names of files, relative to the project. */
  files(): readonly string[];
  placeOf(kind: ItemKind, key: string): Place | undefined;
  /** @throws {ApiProblem} if the code of the item was not found. */
  view(kind: ItemKind, key: string): SourceView | Promise<SourceView>;
  /** Opens the author's editor. @throws {ApiProblem} if there is none, or no such file. */
  open(place: Place): Promise<void>;
}

/** A call that has ended, as the history keeps it. */
export interface Remembered {
  readonly id: string;
  readonly call: CallState;
  /** The name under which it is saved. */
  readonly saved?: string;
}

export interface HistoryStore {
  /** The calls of earlier starts. */
  read(): readonly Remembered[];
  /** Adds a call as a line of JSON. */
  append(line: string): void;
  replace(lines: readonly string[]): void;
}

/** The clients of which it is known how they show servers to their models. */
export interface ClientProfiles {
  readonly ids: readonly string[];
  /** Finds a profile by its id, or by the name that a client declares. */
  find(client: string | { readonly name: string; readonly version: string }): ClientProfile | undefined;
}

export interface ClientProfile {
  readonly title: string;
  /** The revision that the client speaks, if it is known. */
  readonly revision?: string | undefined;
  /** Whether its model can read resources by itself. */
  readonly readsResources: boolean;
  /** Returns each tool, or only one, as its model gets it, by the names of the tools. */
  viewTools(offer: Offer, only?: string): Promise<ReadonlyMap<string, ModelView>>;
}

/** The target as commands and configurations name it. */
export interface CopyTarget {
  readonly target: CommandTarget;
  /** The address of the server, once it is known. */
  address(): string | undefined;
  /** Writes the configuration of a client. @throws {ApiProblem} if the client cannot use the server. */
  toConfiguration(client: string, serverName: string): CopiedText;
  /** Returns the headers of a message over HTTP. Some tools declare arguments that are repeated in headers. */
  toHeaders(message: JsonObject, tools: readonly JsonObject[]): { readonly [name: string]: string };
}

export type CommandTarget =
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "command"; readonly command: readonly string[] };

/** A text to paste, and its language. */
export interface CopiedText {
  readonly text: string;
  readonly language: "typescript" | "sh" | "powershell" | "json" | "toml" | "yaml";
}
