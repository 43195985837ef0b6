import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { HttpHead, Lane, ServerInfo, Target, WireMessage } from "@proffer/inspector";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, parseJson } from "../terminal/json.ts";
import { fromHere } from "../terminal/shell.ts";
import { readMessage } from "./message.ts";

/** The first line of a recording. */
interface RecordingHeader {
  readonly proffer: "recording";
  readonly version: 1;
  /** When it was written, as in RFC 3339. */
  readonly written: string;
  readonly target: Target;
  readonly server?: ServerInfo;
  readonly revisions: readonly string[];
  readonly lanes: readonly Lane[];
}

/** The size of the largest recording that can be opened again. */
export const MAX_RECORDING_BYTES = 256 * 1024 * 1024;

type Header = Omit<RecordingHeader, "proffer" | "version" | "written">;

export function createHeader(header: Header): RecordingHeader {
  return { proffer: "recording", version: 1, written: new Date().toISOString(), ...header };
}

/** Writes a recording as JSON Lines: the header, then a line for each message. */
export function writeRecording(header: Header, messages: Iterable<WireMessage>): string {
  return [createHeader(header), ...messages].map((line) => `${JSON.stringify(line)}\n`).join("");
}

const MAX_PROBLEMS = 20;
const VERSION = 1;
const LF = 10;

/** Reads a recording. Broken lines become problems. @throws {CommandError} if the file is not a recording at all. */
export async function readRecording(file: string) {
  const { size } = await stat(fromHere(file)).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`);
  });
  if (size > MAX_RECORDING_BYTES) {
    const most = `the inspector opens recordings of at most ${MAX_RECORDING_BYTES} bytes`;
    throw new CommandError(`${file} has ${size} bytes; ${most}.`);
  }
  let header: RecordingHeader | undefined;
  const lanes = new Map<string, Lane>();
  const messages: WireMessage[] = [];
  const problems: string[] = [];
  let broken = 0;
  let number = 0;
  for await (const line of linesOf(file)) {
    number++;
    if (header === undefined) {
      header = toHeader(file, line);
      for (const lane of header.lanes) lanes.set(lane.conn, lane);
      continue;
    }
    const value = line === "" ? undefined : parseJson(line);
    // The client introduced itself while the recording was written.
    const [lane] = isObject(value) ? toLane(value.lane) : [];
    const message = toMessage(value);
    if (lane !== undefined) lanes.set(lane.conn, lane);
    else if (message !== undefined) messages.push(message);
    else if (line !== "" && ++broken <= MAX_PROBLEMS) problems.push(`Line ${number} of ${file} is not a message.`);
  }
  if (broken > MAX_PROBLEMS) problems.push(`${broken - MAX_PROBLEMS} more lines are not messages.`);
  if (header === undefined) throw notRecording(file);
  header = { ...header, lanes: [...lanes.values()] };
  return { header, messages: messages.sort((a, b) => a.n - b.n), problems };
}

/** The lines of a file. A line may have megabytes, which `node:readline` would search again with each chunk. */
async function* linesOf(file: string): AsyncIterable<string> {
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(fromHere(file)) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
  const rest = Buffer.concat(parts).toString();
  if (rest !== "") yield rest;
}

function toHeader(file: string, line: string): RecordingHeader {
  const value = parseJson(line);
  if (!isObject(value) || value.proffer !== "recording") throw notRecording(file);
  if (value.version !== VERSION) {
    throw new CommandError(
      `${file} is a recording of version ${JSON.stringify(value.version)}; this release reads version ${VERSION}.`,
    );
  }
  const { server, lanes, revisions, target, written } = value;
  return {
    proffer: "recording",
    version: VERSION,
    written: String(written),
    target: {
      kind: "recording",
      name: isObject(target) && typeof target.name === "string" ? target.name : "recording",
    },
    ...(isObject(server) && typeof server.name === "string" && { server: server as never }),
    revisions: Array.isArray(revisions) ? revisions.filter((each) => typeof each === "string") : [],
    lanes: Array.isArray(lanes) ? lanes.flatMap(toLane) : [],
  };
}

function notRecording(file: string): CommandError {
  return new CommandError(
    `${file} is not a recording: its first line must be the header that the inspector writes. Export a session again.`,
  );
}

const TRANSPORTS = ["memory", "stdio", "http", "sse"];

function toLane(value: unknown): Lane[] {
  if (!isObject(value)) return [];
  const { conn, role, name, version, revision, transport } = value;
  if (typeof conn !== "string" || typeof name !== "string" || !TRANSPORTS.includes(String(transport))) return [];
  return [
    {
      conn,
      role: role === "client" ? "client" : "page",
      name,
      ...(typeof version === "string" && { version }),
      ...(typeof revision === "string" && { revision }),
      transport: transport as Lane["transport"],
      open: false,
    },
  ];
}

/** A message of the file. Its kind and names are read from the text again, because the rest of the line may lie. */
function toMessage(value: unknown): WireMessage | undefined {
  if (!isObject(value)) return undefined;
  const { n, at, conn, dir, text, revision, re, ms, method, about, note, http } = value;
  if (!isNumber(n) || !isNumber(at) || typeof conn !== "string" || typeof text !== "string") return undefined;
  if (dir !== "out" && dir !== "in") return undefined;
  const said = readMessage(text);
  // A notification about a request is named after it, as the record does.
  const named = said.kind === "notification" && isNumber(re) ? (about ?? said.about) : (said.about ?? about);
  return {
    n,
    at,
    conn,
    dir,
    kind: said.kind,
    bytes: Buffer.byteLength(text),
    text,
    ...texts({ revision, method: said.method ?? method, about: named, note: note ?? said.note }),
    ...texts({ status: said.status }),
    ...(said.id !== undefined && { id: said.id }),
    ...(isNumber(re) && { re }),
    ...(isNumber(ms) && { ms }),
    ...toHead(http),
  };
}

function toHead(value: unknown): { readonly http?: HttpHead; readonly httpStatus?: number } {
  if (!isObject(value)) return {};
  const { method, status, requestHeaders, responseHeaders, eventId } = value;
  const http: HttpHead = {
    ...texts({ method, eventId }),
    ...(isNumber(status) && { status }),
    ...(isObject(requestHeaders) && { requestHeaders: texts(requestHeaders) as HttpHead["requestHeaders"] }),
    ...(isObject(responseHeaders) && { responseHeaders: texts(responseHeaders) as HttpHead["responseHeaders"] }),
  } as HttpHead;
  return { http, ...(isNumber(status) && { httpStatus: status }) };
}

/** The members that are texts. */
function texts<Name extends string>(values: { readonly [key in Name]: unknown }): { readonly [key in Name]?: string } {
  const found = Object.entries(values).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(found) as never;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

const SECRET = /passw|secret|token|api[-_]?key|credential|private[-_]?key|authorization/i;
/** Parts of the protocol with such names. */
const PROTOCOL = new Set(["progressToken"]);
const MAX_WARNINGS = 20;
const MAX_DEPTH = 20;

/** Warns about arguments and results whose names suggest a secret: a recording is made to be given away. */
export function warnOfSecrets(messages: Iterable<WireMessage>): string[] {
  const warnings = new Set<string>();
  for (const { n, text } of messages) {
    if (!SECRET.test(text)) continue;
    for (const name of namesIn(parseJson(text))) {
      if (warnings.size >= MAX_WARNINGS) return [...warnings, "There may be more."];
      warnings.add(`Message ${n} contains a value named ${JSON.stringify(name)}. Check it before you share the file.`);
    }
  }
  return [...warnings];
}

/** The names of texts that may be secrets. In a schema, the same name is that of a parameter. */
function* namesIn(value: unknown, depth = 0): Iterable<string> {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const each of value) yield* namesIn(each, depth + 1);
  if (!isObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "string" && each !== "" && SECRET.test(name) && !PROTOCOL.has(name)) yield name.slice(0, 100);
    else yield* namesIn(each, depth + 1);
  }
}
