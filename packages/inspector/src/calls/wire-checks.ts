import type { InspectorFinding } from "../protocol/api.ts";
import type { JsonObject, Offer, WireMessage } from "../protocol/data.ts";
import { hasHandshake, isObject } from "../support/values.ts";
import { checkResult } from "./problems.ts";

/** Findings that are kept. Each appears once, with the first message that has it. */
const MAX_FINDINGS = 50;
/** Characters of a message that is checked, and of a name in a finding. */
const MAX_TEXT = 1024 * 1024;
const MAX_NAME = 100;
/** The codes that JSON-RPC defines. Of the rest of its reserved range, servers may only use -32099 to -32000. */
const DEFINED_CODES: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32603]);

type Found = Pick<InspectorFinding, "message" | "remedy" | "item">;

/** Finds parts of a server's messages that clients may not understand. Nothing is refused: a finding is only shown. */
export class WireChecks {
  readonly #findOffer: (revision: string) => Offer | undefined;
  readonly #changed: () => void;
  readonly #found = new Map<string, InspectorFinding>();

  constructor(findOffer: (revision: string) => Offer | undefined, changed: () => void) {
    this.#findOffer = findOffer;
    this.#changed = changed;
  }

  findings(): readonly InspectorFinding[] {
    return [...this.#found.values()];
  }

  clear(): void {
    if (this.#found.size === 0) return;
    this.#found.clear();
    this.#changed();
  }

  look(message: WireMessage): void {
    const { dir, text, n } = message;
    if (dir !== "in" || text.length > MAX_TEXT || this.#found.size >= MAX_FINDINGS) return;
    const before = this.#found.size;
    for (const found of this.#examine(message)) {
      const key = JSON.stringify([found.message, found.item]);
      if (!this.#found.has(key) && this.#found.size < MAX_FINDINGS) {
        this.#found.set(key, { level: "warning", ...found, line: n });
      }
    }
    if (this.#found.size > before) this.#changed();
  }

  *#examine(message: WireMessage): Iterable<Found> {
    const { text } = message;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    const subject = message.method ?? "message";
    const key = findDuplicateKey(text);
    if (key !== undefined) {
      yield {
        message: `A ${subject} has the key ${shorten(key)} twice in one object.`,
        remedy: "Parsers keep one of the values, and not all keep the same one: send each key once.",
      };
    }
    if (!isObject(value)) return;
    if (isObject(value.error)) yield* examineError(subject, value.error);
    if (isObject(value.result)) yield* this.#examineResult(message, value.result as JsonObject);
  }

  *#examineResult({ method = "request", about, revision = "" }: WireMessage, result: JsonObject): Iterable<Found> {
    const { resultType, structuredContent, content, isError } = result;
    if (!hasHandshake(revision) && typeof resultType !== "string") {
      yield {
        message: `The result of ${method} has no resultType.`,
        remedy: `Revision ${revision} requires it: "complete" for a result that is whole.`,
      };
    }
    if (method !== "tools/call" || about === undefined) return;
    if (resultType !== undefined && resultType !== "complete") return;
    const item = { kind: "tool", key: about } as const;
    const hasText = Array.isArray(content) && content.some((block) => isObject(block) && block.type === "text");
    if (structuredContent !== undefined && isError !== true && !hasText) {
      yield {
        message: "A result has structuredContent and no text.",
        remedy: "Clients without structured results show nothing: add the same as JSON in a text block.",
        item,
      };
    }
    const listed = this.#findOffer(revision)?.items.find(({ kind, key }) => kind === "tool" && key === about);
    const [problem] = listed === undefined ? [] : checkResult(listed.description, result);
    if (problem !== undefined) {
      yield {
        message: `A result breaks the output schema: ${problem.pointer} ${shorten(problem.message)}`,
        remedy: "Clients may refuse such results: correct the result or the schema.",
        item,
      };
    }
  }
}

function* examineError(subject: string, { code }: { readonly [key: string]: unknown }): Iterable<Found> {
  const isOwn = typeof code === "number" && (code < -32768 || code >= -32099);
  if (Number.isInteger(code) && (isOwn || DEFINED_CODES.has(code))) return;
  yield {
    message: `An error of ${subject} has the code ${shorten(JSON.stringify(code) ?? "undefined")}, which nobody defines.`,
    remedy: "Use a code of JSON-RPC or of the specification, or one outside of -32768 to -32100.",
  };
}

function shorten(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}

/** A string, with a colon if it is a key; or a bracket. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"[ \t\r\n]*(:)?|[{}[\]]/gs;

/** Returns a key that occurs twice in one object of a JSON text; parsers keep only one of the values. */
export function findDuplicateKey(text: string): string | undefined {
  /** The keys of the open objects; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  for (const [token, name, colon] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const key = JSON.parse(`"${name}"`) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
