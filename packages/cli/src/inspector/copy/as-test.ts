import { basename } from "node:path";
import { CommandError } from "../../terminal/command-error.ts";
import type { Draft } from "../protocol/api.ts";
import type { Answer } from "../protocol/call.ts";
import type { Json, JsonObject } from "../protocol/json.ts";
import type { Copied, CopySource } from "./copy-source.ts";
import { toLiteral } from "./literal.ts";

/** How each method is called, and what its result is compared by. */
const METHODS = {
  "tools/call": { name: "name", call: "call", compared: ["structuredContent", "content"] },
  "resources/read": { name: "uri", call: "read", compared: ["contents"] },
  "prompts/get": { name: "name", call: "get", compared: ["messages"] },
} as const;

/** Writes a test for vitest, to be saved beside the module. It passes as long as the result stays the same. */
export function asTest(draft: Draft, { target, newest }: CopySource): Copied {
  if (target.kind !== "module") {
    throw new CommandError("Only a module can be tested in its own process. Copy the TypeScript client instead.");
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
