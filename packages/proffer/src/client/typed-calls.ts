import { isObject, type JsonObject } from "../protocol/messages.ts";
import type { CallResult, Meta } from "../protocol/model.ts";
import { toBase64 } from "../support/bytes.ts";
import type { Client, ListItems } from "./client.ts";
import { RemoteError, ToolFailure, TypesMismatch } from "./errors.ts";
import type { RequestOptions } from "./options.ts";

interface Item {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly outputSchema?: object;
  readonly inputSchema?: { readonly properties?: JsonObject; readonly additionalProperties?: unknown };
  readonly _meta?: Meta;
}

type Kind = keyof ListItems;

/** The calls of functions, by what the server lists: names, parameters, schemas. */
export class TypedCalls {
  readonly #client: Client;
  readonly #typesOf: string | undefined;
  /** The items of each list by name. */
  readonly #lists = new Map<Kind, Map<string, Item>>();

  constructor(client: Client, typesOf: string | undefined) {
    this.#client = client;
    this.#typesOf = typesOf;
  }

  async call(path: readonly string[], args: readonly unknown[], options: RequestOptions): Promise<unknown> {
    const { item, name, values } = await this.#prepare("tools", "tool", path, args);
    const result = await this.#ask("tool", item, name, () => this.#client.call(name, values, options));
    if (!result.isError) return unwrap(result, item);
    // Its parameters may have changed since.
    this.#lists.clear();
    throw new ToolFailure(name, result);
  }

  async get(path: readonly string[], args: readonly unknown[], options: RequestOptions): Promise<unknown> {
    const { item, name, values } = await this.#prepare("prompts", "prompt", path, args);
    return this.#ask("prompt", item, name, () => this.#client.get(name, values as Record<string, string>, options));
  }

  async read(path: readonly string[], args: readonly unknown[], options: RequestOptions): Promise<unknown> {
    const name = path.join("_");
    if (name.includes(":")) return this.#readUri({ name, uriTemplate: name }, args, options);
    const fixed = args.length === 0 ? await this.#find("resources", name) : undefined;
    if (fixed?.uri !== undefined) return this.#client.read(fixed.uri, options);
    const item = await this.#find("templates", name);
    if (item === undefined) throw this.#mismatch(`has no resource "${name}"`);
    return this.#readUri(item, args, options);
  }

  async #readUri(item: Item, args: readonly unknown[], options: RequestOptions): Promise<unknown> {
    const { parseTemplate } = await import("../uri/template.ts");
    const template = parseTemplate(item.uriTemplate ?? "");
    const values = this.#toValues("resource", item, args) ?? {};
    const names: readonly string[] = template.variables.map((variable) => variable.name);
    const unknown = Object.keys(values).find((name) => !names.includes(name));
    if (unknown !== undefined) throw this.#mismatch(`has no variable "${unknown}" in ${template.text}`);
    return this.#client.read(template.expand(values as never), options);
  }

  async #prepare(kind: "tools" | "prompts", noun: string, path: readonly string[], args: readonly unknown[]) {
    const name = path.join("_");
    const item = await this.#find(kind, name);
    return { item, name: item?.name ?? name, values: this.#toValues(noun, item ?? { name }, args) };
  }

  /** Returns an item of a list; undefined if the list does not have it, also after it was requested again. */
  async #find(kind: Kind, name: string): Promise<Item | undefined> {
    const known = this.#lists.get(kind)?.get(name);
    if (known !== undefined) return known;
    const list = new Map<string, Item>();
    const others: [string, Item][] = [];
    for await (const page of this.#client.pages(kind)) {
      for (const item of page as readonly Item[]) {
        list.set(item.name, item);
        others.push([item.uri ?? item.uriTemplate ?? item.name, item]);
        const names = item._meta?.["proffer/names"];
        if (Array.isArray(names)) for (const other of names) others.push([String(other), item]);
      }
    }
    for (const [other, item] of others) if (!list.has(other)) list.set(other, item);
    this.#lists.set(kind, list);
    return list.get(name);
  }

  /** A server may have items that it does not list, so an unknown name is sent, too. */
  async #ask<Answer>(noun: string, item: Item | undefined, name: string, send: () => Promise<Answer>): Promise<Answer> {
    if (item !== undefined) return send();
    try {
      return await send();
    } catch (cause) {
      throw cause instanceof RemoteError ? this.#mismatch(`has no ${noun} "${name}"`, cause) : cause;
    }
  }

  /** Returns the arguments by name; undefined for none. */
  #toValues(noun: string, item: Item, args: readonly unknown[]): JsonObject | undefined {
    if (args.length === 0) return undefined;
    const parameters = item._meta?.["proffer/parameters"];
    const subject = `${noun} "${item.name}"`;
    if (Array.isArray(parameters)) return this.#byPosition(subject, parameters.map(String), args);
    const [values] = args;
    if (args.length > 1 || !isObject(values)) {
      throw this.#mismatch(
        `says nothing about the order of parameters, so ${subject} takes one object`,
        undefined,
        "Functions of Proffer have it on revisions since 2025-06-18.",
      );
    }
    const renamed = isObject(parameters) ? parameters : {};
    const entries = Object.entries(values).filter(([, value]) => value !== undefined);
    const named = entries.map(([key, value]) => [Object.hasOwn(renamed, key) ? String(renamed[key]) : key, value]);
    const { properties, additionalProperties } = item.inputSchema ?? {};
    const isKnown = (key: string) => additionalProperties !== false || Object.hasOwn(properties ?? {}, key);
    const unknown = named.find(([key]) => !isKnown(key as string));
    if (unknown !== undefined) throw this.#mismatch(`has no parameter "${unknown[0]}" of ${subject}`);
    return toJson(Object.fromEntries(named)) as JsonObject;
  }

  #byPosition(subject: string, parameters: readonly string[], args: readonly unknown[]): JsonObject {
    const last = parameters.at(-1) ?? "";
    const rest = last.startsWith("...") ? parameters.length - 1 : undefined;
    if (rest === undefined && args.length > parameters.length) {
      const known = parameters.length === 0 ? "none" : parameters.join(", ");
      throw this.#mismatch(`has fewer parameters of ${subject} than the ${args.length} arguments: ${known}`);
    }
    const named: [string, unknown][] = [];
    for (const [index, name] of parameters.entries()) {
      if (index === rest) named.push([name.slice(3), toJson(args.slice(index))]);
      else if (args[index] !== undefined) named.push([name, toJson(args[index])]);
    }
    return Object.fromEntries(named);
  }

  #mismatch(problem: string, cause?: unknown, more = ""): TypesMismatch {
    // The lists may be old.
    this.#lists.clear();
    const { name, version } = this.#client.serverInfo;
    const types = this.#typesOf === undefined ? "" : ` The types are of version ${this.#typesOf}.`;
    return new TypesMismatch(`${name} ${version} ${problem}.${types}${more && ` ${more}`}`, { cause });
  }
}

/**
 * Returns the value of a result, or its blocks if the tool describes no value. Functions of Proffer may give structured
 * content without a schema, or nothing.
 */
function unwrap({ structuredContent, content = [] }: CallResult, item: Item | undefined): unknown {
  const isFunction = item?._meta?.["proffer/parameters"] !== undefined;
  if (structuredContent === undefined || !(isFunction || isObject(item?.outputSchema))) {
    const [block] = content;
    if (item?._meta?.["proffer/text"] === true && block?.type === "text") return block.text;
    return isFunction && content.length === 0 ? undefined : content;
  }
  const isWrapped = item?._meta?.["proffer/wrapped"] === true;
  return isWrapped ? (structuredContent as { readonly result?: unknown }).result : structuredContent;
}

/** Writes arguments as a server of Proffer reads them, and as `JSON.stringify` writes the rest. */
function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function" && !(value instanceof Uint8Array)) {
    return (value as { toJSON(): unknown }).toJSON();
  }
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Uint8Array) return toBase64(value);
  if (value instanceof Map && [...value.keys()].every((key) => typeof key === "string")) {
    return toJson(Object.fromEntries(value));
  }
  if (Symbol.iterator in value) return Array.from(value as Iterable<unknown>, toJson);
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, toJson(own)]));
}
