import { checkToolName } from "../../catalog/names.ts";
import type { Resource } from "../../resources/define.ts";
import type { ServerState } from "../../server/server.ts";

/** The longest name that every known client accepts. */
const MAX_NAME = 64;

/** Returns the part of a tool's name that comes from a resource: the usable characters of its name, or of its URI. */
export function nameOf(name: string, uri: string): string {
  return toWord(name) || toWord(uri) || "resource";
}

function toWord(text: string): string {
  return text
    .slice(0, 1024)
    .replaceAll(/[^A-Za-z0-9-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}

/** A resource that is no tool, because every name for the tool belongs to another one. */
export interface MissingTool {
  readonly resource: Resource;
  /** A sentence for the author. */
  readonly reason: string;
}

/** Gives names to the tools that read resources: never one that a tool of the author has or had. */
export class Names {
  readonly #server: ServerState;
  readonly #onMissing: (missing: MissingTool) => void;
  readonly #used = new Set<string>();

  constructor(server: ServerState, onMissing: (missing: MissingTool) => void) {
    this.#server = server;
    this.#onMissing = onMissing;
  }

  /** Returns the first name that is free; undefined if none is. */
  claim(resource: Resource, candidates: readonly string[]): string | undefined {
    const name = candidates.map((each) => each.slice(0, MAX_NAME)).find((each) => this.#isFree(each));
    if (name !== undefined) this.#used.add(name);
    else {
      const reason = `The resource ${resource.uri} has no tool, because other tools are named ${candidates.join(" and ")}.`;
      this.#onMissing({ resource, reason });
    }
    return name;
  }

  #isFree(name: string): boolean {
    if (this.#used.has(name) || this.#server.tools.get(name) !== undefined) return false;
    try {
      checkToolName(name);
      return true;
    } catch {
      return false;
    }
  }
}
