import type { Api } from "./protocol/api.ts";
import { ApiProblem } from "./support/api-problem.ts";
import { isObject } from "./support/values.ts";

/** The functions behind the requests of the page, by name. */
export type Handlers = {
  readonly [Name in keyof Api]: Api[Name] extends { readonly out: infer Out }
    ? (input: Api[Name]["in"]) => Out | Promise<Out>
    : (input: Api[Name]["in"]) => void;
};

/**
 * Creates the function that answers requests of the page, or throws an `ApiProblem`. No handler starts a command or connects
 * to an address that the page names: only the command line says which may be started or reached.
 */
export function createRoutes(handlers: Partial<Handlers>): (name: string, input: unknown) => Promise<object> {
  return async (name, input) => {
    const shape = Object.hasOwn(REQUEST_SHAPES, name) ? REQUEST_SHAPES[name as keyof Api] : undefined;
    if (shape === undefined) throw new ApiProblem(404, "unknown_request", "The API has no request with this name.");
    const problem = shape(input, "");
    if (problem !== undefined) throw new ApiProblem(400, "bad_request", `${name}: ${problem.trimStart()}.`);
    const handle = handlers[name as keyof Api] as ((input: unknown) => unknown) | undefined;
    if (handle === undefined) {
      throw new ApiProblem(404, "unavailable", `"${name}" is not possible for this kind of target.`);
    }
    return ((await handle(input)) as object | undefined) ?? {};
  };
}

/** Returns the first problem with a value, or undefined. The path names the value in the problem. */
type Shape = (value: unknown, path: string) => string | undefined;

const anything: Shape = () => undefined;
const string = typed("string");
const number = typed("number");
const jsonObject = recordOf(anything);

function typed(type: "string" | "number"): Shape {
  return (value, path) => (typeof value === type ? undefined : `${path} must be a ${type}`);
}

function optional(shape: Shape): Shape {
  return (value, path) => (value === undefined ? undefined : shape(value, path));
}

function arrayOf(shape: Shape): Shape {
  return (value, path) =>
    Array.isArray(value)
      ? firstProblem(value.entries(), (index, each) => shape(each, `${path}[${index}]`))
      : `${path} must be an array`;
}

/** An object whose values all have one shape. */
function recordOf(shape: Shape): Shape {
  return (value, path) =>
    isObject(value)
      ? firstProblem(Object.entries(value), (name, each) => shape(each, `${path}.${name}`))
      : `${path} must be an object`;
}

/** An object with no other member than these: a member that no code reads must not be sent. */
function exactly(members: { readonly [name: string]: Shape }): Shape {
  return (value, path) => {
    if (!isObject(value)) return `${path} must be an object`;
    const prefix = path && `${path}.`;
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name));
    if (unknown !== undefined) return `${prefix}${JSON.stringify(unknown)} is unknown`;
    return firstProblem(Object.entries(members), (name, shape) =>
      shape(Object.hasOwn(value, name) ? value[name] : undefined, prefix + name),
    );
  };
}

function firstProblem<Key, Value>(
  entries: Iterable<[Key, Value]>,
  find: (key: Key, value: Value) => string | undefined,
) {
  for (const [key, value] of entries) {
    const problem = find(key, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function oneOf(...values: readonly string[]): Shape {
  return (value, path) =>
    values.includes(value as string)
      ? undefined
      : `${path} must be one of ${values.map((each) => JSON.stringify(each)).join(", ")}`;
}

const nothing = exactly({});
const kind = oneOf("tool", "prompt", "resource", "template");
const item = exactly({ kind, key: string });
const place = exactly({ file: number, line: number, column: optional(number) });

/** An answer to a question: an action, or the whole result. */
const answer: Shape = (value, path) => {
  if (isObject(value) && "result" in value) return exactly({ result: jsonObject })(value, path);
  return exactly({ action: oneOf("accept", "decline", "cancel"), content: optional(jsonObject) })(value, path);
};

const draft = exactly({
  revision: string,
  method: oneOf("tools/call", "resources/read", "prompts/get"),
  params: jsonObject,
  answers: optional(arrayOf(answer)),
  result: optional(jsonObject),
});
const subscription = exactly({ revision: string, uri: string });

/** The form of each request of the page. */
export const REQUEST_SHAPES: { readonly [Name in keyof Api]: Shape } = {
  offer: exactly({ revision: string }),
  call: draft,
  answer: exactly({ ask: string, answer }),
  cancel: exactly({ id: string }),
  result: exactly({ id: string }),
  resend: exactly({ call: string, run: number, change: oneOf("nothing", "arguments", "state", "caller") }),
  reanswer: exactly({ call: string, run: number }),
  check: exactly({ schema: jsonObject, value: anything }),
  expand: exactly({ template: string, values: jsonObject }),
  complete: exactly({
    revision: string,
    ref: jsonObject,
    name: string,
    value: string,
    known: optional(recordOf(string)),
  }),
  subscribe: subscription,
  unsubscribe: subscription,
  raw: exactly({ revision: string, text: string }),
  compare: exactly({ method: string, params: jsonObject, revisions: optional(arrayOf(string)) }),
  message: exactly({ n: number }),
  clear: nothing,
  export: nothing,
  source: item,
  doctor: nothing,
  model: exactly({ tool: string, client: string }),
  client: exactly({ conn: string }),
  cost: exactly({ revision: string, tool: string }),
  copy: exactly({
    draft,
    format: oneOf("test", "sh", "powershell", "curl", "client", "config", "json-rpc"),
    client: optional(string),
  }),
  history: nothing,
  remembered: exactly({ id: string }),
  forget: exactly({ id: optional(string) }),
  save: exactly({ name: string, draft, id: optional(string) }),
  open: place,
  reconnect: nothing,
};
