import type { Call } from "../calls/call.ts";
import type { ToolDescription } from "../protocol/model.ts";
import type { Shape } from "./shape.ts";

/** A request whose client needs conversions. */
export class AdaptedCall {
  readonly shape: Shape;
  readonly #call: Call;
  readonly #resourceTools: readonly string[];
  #names: ReadonlyMap<string, string> | undefined;

  constructor(shape: Shape, call: Call, resourceTools: readonly string[]) {
    this.shape = shape;
    this.#call = call;
    this.#resourceTools = resourceTools;
  }

  /** The names as listed, by the names of the tools. */
  get names(): ReadonlyMap<string, string> {
    const { info, tools } = this.#call.server;
    this.#names ??= this.shape.names(info.name, [...tools.keys(), ...this.#resourceTools]);
    return this.#names;
  }

  tool(description: ToolDescription): ToolDescription {
    return this.shape.tool(description, this.names.get(description.name) ?? description.name);
  }

  /** The name of the tool that is listed under a name. */
  originalOf(name: string): string | undefined {
    for (const [original, listed] of this.names) if (listed === name) return original;
    return undefined;
  }
}
