import { isDeepStrictEqual } from "node:util";
import { createDerivedServer } from "proffer/built";
import type { ManifestTool, Module } from "proffer/derived";
import { connect, type TestClient } from "proffer/testing";
import type { ListName, ZooValue } from "./case-file.ts";
import type { LibraryWatch } from "./library.ts";
import { toArguments, toWire, withoutUndefined } from "./wire.ts";

/** A value of a case and the function that creates it. */
export interface LoadedValue extends ZooValue {
  readonly create: () => unknown;
}

/** The arguments that the stub received, and what it does next. */
interface Exchange {
  received: unknown[] | undefined;
  answer: (args: unknown[]) => unknown;
}

interface Answer {
  /** Of a result without structured content. */
  readonly text?: string;
  readonly problem?: string;
  readonly value?: unknown;
}

interface Calls {
  /** A line per value that is not treated as expected. */
  readonly faults: string[];
  /** Whether a client received a value that code of a package made. */
  readonly isReal: boolean;
}

/** Calls a tool with the values of its case through a client, with a stub that returns a value or calls the function. */
export async function callTool(
  tool: ManifestTool,
  module: Module,
  values: readonly LoadedValue[],
  library: LibraryWatch,
): Promise<Calls> {
  const exchange: Exchange = { received: undefined, answer: () => undefined };
  const { path } = tool.binding;
  const stubbed = replaceMember(module, path, (...args: unknown[]) => {
    exchange.received = args;
    return exchange.answer(args);
  }) as Module;
  const run = (args: unknown[]) => callMember(module, path, args);
  const manifest = {
    server: { name: "zoo", version: "1.0.0" },
    tools: [{ ...tool, name: "input" }, resultTool(tool)],
    prompts: [],
    resources: [],
  };
  // TypeScript converts no strings.
  const options = { coerce: false, errors: "message", log: () => {} } as const;
  const client = await connect(createDerivedServer(manifest, async () => stubbed, options));
  const faults: string[] = [];
  let isReal = false;
  for (const { list, text, create } of values) {
    await library.hasRun();
    const value = create();
    const faultOf: Record<ListName, () => Promise<string | undefined>> = {
      accepts: () => checkInput(client, tool, true, value as unknown[], exchange),
      refuses: () => checkInput(client, tool, false, value as unknown[], exchange),
      returns: () => checkResult(client, true, value, exchange),
      cannotReturn: () => checkResult(client, false, value, exchange),
      gives: () => checkCall(client, tool, value as [unknown[], unknown?], exchange, run),
      fails: () => checkFailure(client, tool, value as [unknown[], ...string[]], exchange, run),
    };
    const fault = await faultOf[list]();
    if (fault !== undefined) faults.push(`${list} ${text.replaceAll(/\s+/g, " ")}: ${fault}`);
    const isLibrary = await library.hasRun();
    if (list === "gives" && !isLibrary) faults.push(`${list}: no code of a package ran, so the value is not real`);
    if (list === "gives" || list === "returns") isReal ||= isLibrary && fault === undefined;
  }
  await client.close();
  return { faults, isReal };
}

async function checkInput(
  client: TestClient,
  tool: ManifestTool,
  isMeant: boolean,
  list: unknown[],
  exchange: Exchange,
): Promise<string | undefined> {
  exchange.received = undefined;
  exchange.answer = () => undefined;
  const { problem } = await request(client, "input", toArguments(tool.binding, list));
  if (!isMeant) return exchange.received === undefined ? undefined : "the server accepts it";
  if (exchange.received === undefined) return `the server refuses it: ${problem}`;
  const received = withoutUndefined(exchange.received);
  return isDeepStrictEqual(received, withoutUndefined(list)) ? undefined : `the function receives ${shown(received)}`;
}

async function checkResult(
  client: TestClient,
  isMeant: boolean,
  value: unknown,
  exchange: Exchange,
): Promise<string | undefined> {
  exchange.answer = () => value;
  const { problem, text, value: received } = await request(client, "result", {});
  if (!isMeant) return problem === undefined ? "the client receives it" : undefined;
  if (problem !== undefined) return `the client receives an error: ${problem}`;
  const isReceived = text === value || isDeepStrictEqual(received, toWire(value) ?? null);
  return isReceived ? undefined : `the client receives ${shown(received)}`;
}

/** Calls the function itself, and compares the result with the JSON of the case, or with that of the value. */
async function checkCall(
  client: TestClient,
  tool: ManifestTool,
  [list, ...json]: [unknown[], unknown?],
  exchange: Exchange,
  run: (args: unknown[]) => unknown,
): Promise<string | undefined> {
  let returned: unknown;
  exchange.answer = (args) => {
    returned = run(args);
    return returned;
  };
  const { problem, text, value } = await request(client, "input", toArguments(tool.binding, list));
  if (problem !== undefined) return `the client receives an error: ${problem}`;
  const expected = json.length > 0 ? json[0] : toJson(await returned);
  const isReceived = text === expected || isDeepStrictEqual(toJson(value), expected);
  return isReceived ? undefined : `the client receives ${shown(value)}`;
}

/** Calls the function itself, and looks for texts in what the model reads. */
async function checkFailure(
  client: TestClient,
  tool: ManifestTool,
  [list, ...texts]: [unknown[], ...string[]],
  exchange: Exchange,
  run: (args: unknown[]) => unknown,
): Promise<string | undefined> {
  exchange.answer = run;
  const { problem, value } = await request(client, "input", toArguments(tool.binding, list));
  if (problem === undefined) return `the client receives ${shown(value)}`;
  const missing = texts.filter((text) => !problem.includes(text));
  return missing.length === 0
    ? undefined
    : `the client receives an error without "${missing.join('", "')}": ${problem}`;
}

/** The JSON that a client can receive of a value. */
function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(toWire(value) ?? null));
}

/** The tool without arguments: a result does not depend on them here. */
function resultTool({ binding, ...tool }: ManifestTool): ManifestTool {
  const { decode: _, ...rest } = binding;
  return { ...tool, name: "result", inputSchema: { type: "object" }, binding: { ...rest, parameters: [] } };
}

async function request(client: TestClient, name: string, args: Record<string, unknown>): Promise<Answer> {
  try {
    const { isError, structuredContent, content } = await client.call(name, args);
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    if (isError) return { problem: text };
    // A plain text has no schema, and is itself, although it may look like JSON.
    return structuredContent === undefined ? { value: parsed(text), text } : { value: structuredContent };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Returns a copy of nested objects in which the member at a path is another one. */
function replaceMember(holder: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member;
  const own = { ...(holder as Record<string, unknown>) };
  return { ...own, [name]: replaceMember(own[name], rest, member) };
}

function callMember(holder: unknown, [name = "", ...rest]: readonly string[], args: unknown[]): unknown {
  const own = holder as Record<string, (...args: unknown[]) => unknown>;
  return rest.length === 0 ? own[name]?.(...args) : callMember(own[name], rest, args);
}

/** A value without an output schema is sent only as text: as JSON, or as itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}n` : item)) ?? "nothing").slice(
    0,
    200,
  );
}
