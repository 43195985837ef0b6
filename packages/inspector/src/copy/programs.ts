import { basename } from "node:path";
import type { Draft } from "../protocol/api.ts";
import type { Answer } from "../protocol/call.ts";
import type { Json, JsonObject } from "../protocol/json.ts";
import { ApiProblem } from "../support/api-problem.ts";
import type { CopiedText } from "../support/host.ts";
import type { CopySource } from "./commands.ts";

/** How each method is called, and what its result is compared by. */
const METHODS = {
  "tools/call": { name: "name", call: "call", compared: ["structuredContent", "content"] },
  "resources/read": { name: "uri", call: "read", compared: ["contents"] },
  "prompts/get": { name: "name", call: "get", compared: ["messages"] },
} as const;

/** Writes a test for vitest, to be saved beside the module. It passes as long as the result stays the same. */
export function asTest(draft: Draft, { target, newest }: CopySource): CopiedText {
  if (target.kind !== "module") {
    throw new ApiProblem(
      400,
      "refused",
      "Only a module can be tested in its own process. Copy the TypeScript client instead.",
    );
  }
  const { params, result, revision, answers = [] } = draft;
  const { name, call, compared } = METHODS[draft.method];
  const options = {
    ...(revision !== newest && { revision }),
    ...(answers.length > 0 && { answers: answers.map(toScripted) }),
  };
  const given = Object.keys(options).length === 0 ? "" : `, ${toLiteral(options, "  ")}`;
  const input = params.arguments === undefined ? "" : `, ${toLiteral(params.arguments, "  ")}`;
  const called = `await client.${call}(${JSON.stringify(params[name])}${input})`;
  const text = `import { load } from "@proffer/cli";
import { connect } from "proffer/testing";
import { expect, test } from "vitest";

test(${JSON.stringify(params[name])}, async () => {
  const server = await load(new URL(${JSON.stringify(`./${basename(target.file)}`)}, import.meta.url));
  const client = await connect(server${given});
${check(called, result, compared)}
  await client.close();
});
`;
  return { text, language: "typescript" };
}

function check(called: string, result: JsonObject | undefined, compared: readonly string[]): string {
  const key = compared.find((each) => result?.[each] !== undefined);
  if (result === undefined || key === undefined) return `  ${called};`;
  const names = result.isError === true ? `isError, ${key}` : key;
  const failed = result.isError === true ? "\n  expect(isError).toBe(true);" : "";
  const value = toLiteral(result[key] as Json, "  ");
  return `  const { ${names} } = ${called};${failed}\n  expect(${key}).toEqual(${value});`;
}

/** The answer as `connect` takes it. */
function toScripted(answer: Answer): Json {
  if ("result" in answer) return answer.result;
  return answer.action === "accept" ? (answer.content ?? {}) : answer.action;
}

const CALLS = { "tools/call": "callTool", "resources/read": "readResource", "prompts/get": "getPrompt" } as const;

/** Writes a program with the official client for TypeScript. */
export function asClient({ method, params }: Draft, source: CopySource): CopiedText {
  const { imports, transport } = transportOf(source);
  const text = `import { Client } from "@modelcontextprotocol/client";
${imports}

const client = new Client({ name: "my-client", version: "1.0.0" });
await client.connect(${transport});
console.log(await client.${CALLS[method]}(${toLiteral(params)}));
await client.close();
`;
  return { text, language: "typescript" };
}

function transportOf({ target, url }: CopySource): { readonly imports: string; readonly transport: string } {
  const address = target.kind === "url" ? target.url : url;
  if (address !== undefined) {
    return {
      imports: 'import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";',
      transport: `new StreamableHTTPClientTransport(new URL(${JSON.stringify(address)}))`,
    };
  }
  const [command = "", ...args] =
    target.kind === "command" ? target.command : ["npx", "proffer", "serve", "file" in target ? target.file : ""];
  return {
    imports: 'import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";',
    transport: `new StdioClientTransport(${toLiteral({ command, args })})`,
  };
}

/** Longer values are written on several lines. */
const WIDTH = 80;

/** Writes a value of JSON as TypeScript. */
function toLiteral(value: Json, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => toLiteral(each, inner))
    : Object.entries(value).map(([key, each]) => `${toKey(key)}: ${toLiteral(each, inner)}`);
  const [open, close, pad] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", " "];
  if (parts.length === 0) return open + close;
  const line = `${open}${pad}${parts.join(", ")}${pad}${close}`;
  if (line.length + indent.length <= WIDTH && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function toKey(key: string): string {
  // In a literal, this name alone would set the prototype.
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
