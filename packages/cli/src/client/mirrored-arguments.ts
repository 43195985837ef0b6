/** Arguments that a tool wants repeated in headers, so that a proxy can route by them (2026-07-28). */
const KEYWORD = "x-mcp-header";
/** RFC 9110, section 5.6.2: what a part of a header's name may be made of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

interface Schema {
  readonly [KEYWORD]?: unknown;
  readonly properties?: unknown;
}

interface Mirror {
  readonly header: string;
  readonly path: readonly string[];
}

/** Knows from the lists of tools that pass by which arguments are to be mirrored. */
export class MirroredArguments {
  readonly #mirrors = new Map<string, readonly Mirror[]>();

  /** Looks at a message from the server; one that is not a list of tools says nothing. */
  learn(message: unknown): void {
    const tools = (message as { result?: { tools?: unknown } } | null)?.result?.tools;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      if (isObject(tool) && typeof tool.name === "string") this.#mirrors.set(tool.name, findMirrors(tool.inputSchema));
    }
  }

  /** The headers of a call, not yet encoded. An argument that is absent or null has none. */
  headersFor(tool: unknown, input: unknown): { readonly [header: string]: string } {
    const headers: { [header: string]: string } = {};
    for (const { header, path } of this.#mirrors.get(String(tool)) ?? []) {
      const value = path.reduce<unknown>(
        (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : null),
        input,
      );
      if (["string", "number", "boolean"].includes(typeof value)) headers[header] = String(value);
    }
    return headers;
  }
}

/** Only chains of `properties` are followed, as the protocol says; a declaration that breaks its rules is left out. */
function findMirrors(schema: unknown, path: readonly string[] = []): Mirror[] {
  if (!isObject(schema)) return [];
  const { [KEYWORD]: name, properties } = schema as Schema;
  const own = typeof name === "string" && TOKEN.test(name) ? [{ header: `mcp-param-${name.toLowerCase()}`, path }] : [];
  if (!isObject(properties)) return own;
  const nested = Object.entries(properties).flatMap(([key, value]) => findMirrors(value, [...path, key]));
  return [...own, ...nested];
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
