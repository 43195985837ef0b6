import { isDeepStrictEqual } from "node:util";
import { createDerivedServer } from "proffer/built";
import type { ManifestTool, Module } from "proffer/derived";
import { connect, type TestClient } from "proffer/testing";
import type { ZooValue } from "./case-file.ts";
import { toArguments, toWire, withoutUndefined } from "./wire.ts";

/** A value of a case and the function that creates it. */
export interface LoadedValue extends ZooValue {
  readonly create: () => unknown;
}

/** The arguments that the function received, and the value that it returns next. */
interface Exchange {
  received: unknown[] | undefined;
  returned: unknown;
}

interface Answer {
  readonly problem?: string;
  readonly value?: unknown;
}

/**
 * Calls a tool with the values of its case through a client, with a stub instead of the function.
 * @returns a line per value that is not treated as expected
 */
export async function callTool(tool: ManifestTool, module: Module, values: readonly LoadedValue[]): Promise<string[]> {
  const exchange: Exchange = { received: undefined, returned: undefined };
  const { path } = tool.binding;
  const stubbed = replaceMember(module, path, (...args: unknown[]) => {
    exchange.received = args;
    return exchange.returned;
  }) as Module;
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
  for (const { list, text, create } of values) {
    const value = create();
    const isInput = list === "accepts" || list === "refuses";
    const fault = isInput
      ? await checkInput(client, tool, list === "accepts", value as unknown[], exchange)
      : await checkResult(client, list === "returns", value, exchange);
    if (fault !== undefined) faults.push(`${list} ${text.replaceAll(/\s+/g, " ")}: ${fault}`);
  }
  await client.close();
  return faults;
}

async function checkInput(
  client: TestClient,
  tool: ManifestTool,
  isMeant: boolean,
  list: unknown[],
  exchange: Exchange,
): Promise<string | undefined> {
  exchange.received = undefined;
  exchange.returned = undefined;
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
  exchange.returned = value;
  const { problem, value: received } = await request(client, "result", {});
  if (!isMeant) return problem === undefined ? "the client receives it" : undefined;
  if (problem !== undefined) return `the client receives an error: ${problem}`;
  return isDeepStrictEqual(received, toWire(value) ?? null) ? undefined : `the client receives ${shown(received)}`;
}

/** The tool without arguments: a result does not depend on them here. */
function resultTool({ binding, ...tool }: ManifestTool): ManifestTool {
  const { decode: _, ...rest } = binding;
  return { ...tool, name: "result", inputSchema: { type: "object" }, binding: { ...rest, parameters: [] } };
}

async function request(client: TestClient, name: string, args: Record<string, unknown>): Promise<Answer> {
  try {
    const { isError, structuredContent, content } = await client.call(name, args);
    if (!isError) return { value: structuredContent };
    const [block] = content;
    return { problem: block?.type === "text" ? block.text : "an error" };
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

function shown(value: unknown): string {
  return (JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}n` : item)) ?? "nothing").slice(
    0,
    200,
  );
}
