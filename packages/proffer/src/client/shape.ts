import { isObject } from "../protocol/messages.ts";
import { ConnectionError } from "./errors.ts";

/** Returns the first problem with a value, or undefined. The path names the value in the problem. */
export type Shape = (value: unknown, path: string) => string | undefined;

const string: Shape = (value, path) => (typeof value === "string" ? undefined : expected("a string", value, path));

const number: Shape = (value, path) => (typeof value === "number" ? undefined : expected("a number", value, path));

/** Many servers write null for an absent value. */
function optional(shape: Shape): Shape {
  return (value, path) => (value === undefined || value === null ? undefined : shape(value, path));
}

function arrayOf(shape: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return expected("an array", value, path);
    return firstOf(value, (each, index) => shape(each, `${path}[${index}]`));
  };
}

/** An object with at least these properties. */
function object(properties: { readonly [name: string]: Shape }): Shape {
  const shapes = Object.entries(properties);
  return (value, path) => {
    if (!isObject(value)) return expected("an object", value, path);
    return firstOf(shapes, ([name, shape]) =>
      shape(Object.hasOwn(value, name) ? value[name] : undefined, path === "" ? name : `${path}.${name}`),
    );
  };
}

/** An object whose values all have one shape. */
function recordOf(shape: Shape): Shape {
  return (value, path) => {
    if (!isObject(value)) return expected("an object", value, path);
    return firstOf(Object.entries(value), ([name, each]) => shape(each, `${path}.${name}`));
  };
}

/** Describes a value in a message without its content, which may be long. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return value === null ? "null" : "missing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a string" : `${typeof value === "number" ? "the number " : ""}${value}`;
}

/** The message for a result that does not have the form of the protocol. */
export function explainMalformed(server: string, method: string, problem: string): string {
  return `${server} sent a malformed response to ${method}: ${problem}.`;
}

/** @throws {ConnectionError} that names the server and the field. */
export function checkShape(shape: Shape | undefined, server: string, method: string, result: object): void {
  const problem = shape?.(result, "");
  if (problem !== undefined) throw new ConnectionError("malformed", explainMalformed(server, method, problem));
}

function expected(kind: string, value: unknown, path: string): string {
  return `${path} must be ${kind}, not ${describeValue(value)}`;
}

function firstOf<Item>(items: readonly Item[], find: (item: Item, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const problem = find(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const anything: Shape = () => undefined;

const contents = object({ text: optional(string), blob: optional(string), mimeType: optional(string) });

const BLOCKS: { readonly [type: string]: Shape } = {
  text: object({ text: string }),
  image: object({ data: string, mimeType: optional(string) }),
  audio: object({ data: string, mimeType: optional(string) }),
  resource_link: object({ uri: string, name: optional(string) }),
  resource: object({ resource: contents }),
};

const typed = object({ type: string });

/** A content block. A type of a later revision is accepted. */
const block: Shape = (value, path) => {
  const problem = typed(value, path);
  if (problem !== undefined) return problem;
  const { type } = value as { type: string };
  return Object.hasOwn(BLOCKS, type) ? BLOCKS[type]?.(value, path) : undefined;
};

const inputSchema = object({ properties: optional(object({})) });
const named = { name: string, description: optional(string) };

/** The answer to `initialize`. Something that is no MCP server may answer any request with any object. */
export const INITIALIZED = object({
  protocolVersion: string,
  capabilities: object({}),
  serverInfo: object({ name: string }),
});

/** The parts of each result that a client reads, by method. */
export const RESULT_SHAPES: { readonly [method: string]: Shape } = {
  "tools/list": object({ tools: arrayOf(object({ ...named, inputSchema })) }),
  "prompts/list": object({
    prompts: arrayOf(object({ ...named, arguments: optional(arrayOf(object({ name: string }))) })),
  }),
  "resources/list": object({
    resources: arrayOf(object({ uri: string, name: optional(string), description: optional(string) })),
  }),
  "resources/templates/list": object({
    resourceTemplates: arrayOf(object({ uriTemplate: string, name: optional(string), description: optional(string) })),
  }),
  "tools/call": object({ content: optional(arrayOf(block)) }),
  "resources/read": object({ contents: arrayOf(contents) }),
  "prompts/get": object({ messages: arrayOf(object({ role: string, content: block })) }),
};

/** A page of any list. */
export const PAGE = object({ nextCursor: optional(string) });

const inputRequests = optional(recordOf(object({ method: string, params: optional(recordOf(anything)) })));

/** The state of a task. */
export const TASK = object({
  status: string,
  statusMessage: optional(string),
  inputRequests,
  result: optional(object({})),
  error: optional(object({ message: string })),
});

/** A response that asks questions instead of a result (2026-07-28). */
export const INPUT_REQUIRED = object({
  inputRequests,
  requestState: optional(string),
});

/** The shapes, for programs that read messages of servers themselves, such as the command line. @internal */
export const SHAPES = {
  string,
  number,
  optional,
  arrayOf,
  object,
  recordOf,
  INPUT_REQUIRED,
  TASK,
  checkShape,
} as const;
