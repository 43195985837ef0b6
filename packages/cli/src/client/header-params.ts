import { isObject } from "./shape.ts";

/** The keyword of arguments that clients repeat in headers, so that proxies can route by them (2026-07-28). */
const KEYWORD = "x-mcp-header";
/** RFC 9110, section 5.6.2: the characters of a header name. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

interface Schema {
  readonly [KEYWORD]?: unknown;
  readonly properties?: unknown;
}

interface HeaderParam {
  readonly header: string;
  /** The path of property names to the argument. */
  readonly path: readonly string[];
}

/** Learns from tool lists which arguments must be repeated in headers. */
export class HeaderParams {
  readonly #params = new Map<string, readonly HeaderParam[]>();

  /** Reads a message from the server. Messages other than tool lists are ignored. */
  learn(message: unknown): void {
    const tools = (message as { result?: { tools?: unknown } } | null)?.result?.tools;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      if (isObject(tool) && typeof tool.name === "string") this.#params.set(tool.name, findParams(tool.inputSchema));
    }
  }

  /** Returns the headers of a call, not yet encoded. An absent or null argument has no header. */
  headersFor(tool: unknown, input: unknown): { readonly [header: string]: string } {
    const headers: { [header: string]: string } = {};
    for (const { header, path } of this.#params.get(String(tool)) ?? []) {
      const value = path.reduce<unknown>(
        (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : null),
        input,
      );
      if (["string", "number", "boolean"].includes(typeof value)) headers[header] = String(value);
    }
    return headers;
  }
}

/**
 * Finds the declarations in a schema. The specification allows them only under nested `properties`. An invalid one is
 * skipped: unlike the run-time, which rejects its author's mistakes, this reads the schemas of any server.
 */
function findParams(schema: unknown, path: readonly string[] = []): HeaderParam[] {
  if (!isObject(schema)) return [];
  const { [KEYWORD]: name, properties } = schema as Schema;
  const own =
    typeof name === "string" && isHeaderName(name) ? [{ header: `mcp-param-${name.toLowerCase()}`, path }] : [];
  if (!isObject(properties)) return own;
  const nested = Object.entries(properties).flatMap(([key, value]) => findParams(value, [...path, key]));
  return [...own, ...nested];
}
