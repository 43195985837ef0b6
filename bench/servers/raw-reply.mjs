import { contentsOf, definitionOf, positionOf, rowAt, TOOL_TEXTS, textResult } from "../workload/definition.mjs";
import { JSON_SCHEMAS } from "../workload/json-schemas.mjs";

const SERVER = { name: "raw", version: "1.0.0" };
const META = "io.modelcontextprotocol/";
const PAGE = 1_000;

/** Returns a function that answers a message with text, buffers to write in order, or a promise of text. */
export async function createReply(mode, profile) {
  const dispatch = createDispatch(definitionOf(profile));
  if (mode === "cached") return cachedReply(dispatch);
  if (mode === "checked") return await checkedReply(dispatch, profile);
  return (message) => {
    const result = dispatch(message);
    return result instanceof Promise ? result.then((value) => answer(message, value)) : answer(message, result);
  };
}

function createDispatch(definition) {
  const tools = definition.tools.map(({ kind, ...tool }) => ({ ...tool, inputSchema: JSON_SCHEMAS[kind] }));
  const kinds = new Map(definition.tools.map(({ name, kind }) => [name, kind]));
  const resources = definition.resources.map(({ uri, name, mimeType }) => ({ uri, name, mimeType }));
  const byUri = new Map(definition.resources.map((resource) => [resource.uri, resource]));
  const byScheme = new Map(definition.templates.map((template) => [template.uriTemplate.split(":")[0], template]));

  function read(uri) {
    const resource = byUri.get(uri);
    if (resource !== undefined) return { contents: [contentsOf(resource)] };
    const colon = uri.indexOf("://");
    const { mimeType, textNow, readPlain } = byScheme.get(uri.slice(0, colon));
    const id = uri.slice(colon + 3);
    if (textNow !== undefined) return { contents: [{ uri, mimeType, text: textNow(id) }] };
    return readPlain(id).then((text) => ({ contents: [{ uri, mimeType, text }] }));
  }

  return function dispatch({ method, params }) {
    switch (method) {
      case "tools/call":
        return textResult(TOOL_TEXTS[kinds.get(params.name)](params.arguments));
      case "tools/list":
        return { tools };
      case "resources/list":
        return definition.rows === undefined ? { resources } : rowsAfter(params.cursor);
      case "resources/read":
        return read(params.uri);
      case "initialize":
        return {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {}, resources: {} },
          serverInfo: SERVER,
        };
      default:
        throw new Error(`The raw server has no ${method}.`);
    }
  };
}

function rowsAfter(cursor) {
  const first = cursor === undefined ? 0 : positionOf(cursor) + 1;
  const resources = Array.from({ length: PAGE }, (_, i) => rowAt(first + i));
  return { resources, nextCursor: resources.at(-1).uri };
}

function answer({ id, method, params }, result) {
  return JSON.stringify({ jsonrpc: "2.0", id, result: isModern(params) ? enveloped(method, result) : result });
}

/** Whether the message is a request of the newest revision. */
export function isModern(params) {
  return params?._meta?.[`${META}protocolVersion`] !== undefined;
}

/** Fields that every result of the newest revision has. */
export function enveloped(method, result) {
  const hints = method === "tools/call" ? undefined : { ttlMs: 0, cacheScope: "private" };
  return { resultType: "complete", ...hints, _meta: { [`${META}serverInfo`]: SERVER }, ...result };
}

function cachedReply(dispatch) {
  const tails = new Map();
  return (message) => {
    const { id, method, params } = message;
    const key = params.uri ?? method;
    let tail = tails.get(key);
    if (tail === undefined) {
      const result = dispatch(message);
      if (result instanceof Promise) return result.then((value) => answer(message, value));
      if (method === "tools/call" || method === "initialize") return answer(message, result);
      tail = Buffer.from(`,"result":${JSON.stringify(result)}}`);
      tails.set(key, tail);
    }
    return [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}`), tail];
  };
}

async function checkedReply(dispatch, profile) {
  const { SCHEMAS } = await import("../workload/schemas.mjs");
  const kinds = new Map(definitionOf(profile).tools.map(({ name, kind }) => [name, kind]));
  return async (message) => {
    if (!isRequest(message)) return error(message, -32600, "Invalid Request");
    if (message.method !== "tools/call") return answer(message, await dispatch(message));
    const kind = kinds.get(message.params.name);
    const parsed = SCHEMAS[kind].safeParse(message.params.arguments);
    if (!parsed.success) return error(message, -32602, parsed.error.message);
    return answer(message, await textResult(TOOL_TEXTS[kind](parsed.data)));
  };
}

function isRequest(message) {
  if (typeof message !== "object" || message === null || message.jsonrpc !== "2.0") return false;
  return typeof message.method === "string" && (typeof message.id === "number" || typeof message.id === "string");
}

function error(message, code, text) {
  return JSON.stringify({ jsonrpc: "2.0", id: message?.id ?? null, error: { code, message: text } });
}
