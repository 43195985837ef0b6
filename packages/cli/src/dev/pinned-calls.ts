import type { Context, Server } from "proffer";
import type { Substitutes } from "proffer/derived";

/** Name of the step that saves the version of a call with the state of its questions. */
const VERSION_STEP = "proffer dev: version";
/** Calls that began on an older version are continued on the newest one. */
const KEPT_VERSIONS = 10;

/**
 * Runs each call to its end on the version of the server that it began on. In revisions without sessions a question ends
 * the request, and the answer comes with another one; an edit in between must not change the handler.
 */
export class PinnedCalls implements Substitutes {
  readonly #versions = new Map<number, Server>();
  #newest = 0;

  /** Runs calls that begin from now on with the handlers of `server`. */
  add(server: Server): void {
    this.#newest += 1;
    this.#versions.set(this.#newest, server);
    this.#versions.delete(this.#newest - KEPT_VERSIONS);
  }

  readonly tool: Substitutes["tool"] = (tool) => ({
    ...tool,
    handle: async (input, ctx) => {
      const server = await this.#serverOf(ctx);
      return (server?.tools.get(tool.name) ?? tool).handle(input, ctx);
    },
  });

  readonly prompt: Substitutes["prompt"] = (prompt) => ({
    ...prompt,
    get: async (values, ctx) => {
      const server = await this.#serverOf(ctx);
      return (server?.prompts.get(prompt.name) ?? prompt).get(values, ctx);
    },
  });

  readonly resource: Substitutes["resource"] = (resource) => {
    // Fixed contents run no code. Their serialized results are cached under the original object.
    if (resource.content !== undefined) return resource;
    return {
      ...resource,
      read: async (params, ctx) => {
        const server = await this.#serverOf(ctx);
        return (server?.resources.get(resource.uri) ?? resource).read(params, ctx);
      },
    };
  };

  async #serverOf(ctx: Context): Promise<Server | undefined> {
    const version = await ctx.step(VERSION_STEP, () => this.#newest);
    return this.#versions.get(version);
  }
}
