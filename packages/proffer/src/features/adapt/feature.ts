import type { Call, Conversion } from "../../calls/call.ts";
import { findTool } from "../../calls/uses.ts";
import { findProfile } from "../../profiles/find.ts";
import { type ProfileId, profileOf } from "../../profiles/known.ts";
import { createShape, type Shape } from "../../profiles/shape.ts";
import type { CallResult, ToolDescription } from "../../protocol/model.ts";
import type { Feature } from "../../server/feature.ts";
import { TOOLS } from "../../tools/methods.ts";

/** The option `adapt`: names, schemas and results for clients that would lose a part of them. */
export const feature: Feature = {
  /**
   * A shortened name is replaced by the name of its tool before anything reads it: scopes, visibility and middleware must
   * decide about the tool that runs.
   */
  before(call) {
    if (!call.method.startsWith("tools/")) return;
    const id = profileOf(call.client.info)?.id;
    const shape = id === undefined ? undefined : shapeOf(id);
    if (shape === undefined) return;
    const conversion = new ShapeConversion(shape, call);
    call.conversion = conversion;
    const { name } = call.params;
    if (call.method !== "tools/call" || typeof name !== "string" || findTool(call, name) !== undefined) return;
    const original = conversion.originalOf(name);
    if (original !== undefined) call.params = { ...call.params, name: original };
  },
};

class ShapeConversion implements Conversion {
  readonly key: string;
  readonly #shape: Shape;
  readonly #call: Call;
  #names: ReadonlyMap<string, string> | undefined;

  constructor(shape: Shape, call: Call) {
    this.key = shape.key;
    this.#shape = shape;
    this.#call = call;
  }

  /** The names as listed, by the names of the tools. */
  get #listedNames(): ReadonlyMap<string, string> {
    this.#names ??= this.#shape.names(this.#call.server.info.name, namesOf(this.#call));
    return this.#names;
  }

  tool(description: ToolDescription): ToolDescription {
    return this.#shape.tool(description, this.#listedNames.get(description.name) ?? description.name);
  }

  result(result: CallResult): CallResult {
    return this.#shape.result(result);
  }

  /** The name of the tool that is listed under a name. */
  originalOf(name: string): string | undefined {
    for (const [original, listed] of this.#listedNames) if (listed === name) return original;
    return undefined;
  }
}

/** The names of all tools for the client: those of the author, and those that other features add. */
function namesOf(call: Call): readonly string[] {
  const { tools, features } = call.server;
  const added = features.with("list").flatMap((each) => each.list(call, TOOLS.name)?.entries ?? []);
  return [...tools.keys(), ...added.map(({ item }) => item.name)];
}

const shapes = new Map<ProfileId, Shape | undefined>();

/** Clients with the same needs share a shape, and so their lists. */
function shapeOf(id: ProfileId): Shape | undefined {
  if (!shapes.has(id)) {
    const { adapts, toolNames } = findProfile(id);
    shapes.set(id, createShape(adapts, toolNames?.value));
  }
  return shapes.get(id);
}
