import type { ItemDescription, MiddlewareCall } from "../calls/call-view.ts";
import type { Middleware } from "../calls/middleware.ts";
import { InvalidParams } from "../protocol/errors.ts";
import type { ToolAnnotations } from "../protocol/model.ts";
import { ToolError } from "../results/content.ts";
import { UsageError } from "../support/usage-error.ts";
import { checkFunction, checkNames, checkOptions, show, wrongReturn } from "./options.ts";

export interface DenyOptions {
  /** Names of tools, prompts and resources. An item is denied if its name is in the list. */
  readonly names?: readonly string[];
  /** A tool with all of these annotations is denied, such as `{ destructiveHint: true }`. */
  readonly annotations?: Omit<ToolAnnotations, "title">;
  /** Permits a call that would be denied. */
  readonly unless?: (call: MiddlewareCall) => boolean;
  /** The text that the client receives. Default: "Not permitted." */
  readonly message?: string;
}

const WHERE = "deny";
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * Creates middleware that denies items: calls, reads, completions and subscriptions. Lists still show them; `shows` of
 * the server hides items. A hint counts only if it was set: a tool without annotations is not denied by them.
 * @throws {UsageError} for invalid options.
 */
export function deny(options: DenyOptions): Middleware {
  checkOptions(WHERE, options, ["names", "annotations", "unless", "message"]);
  const { names, annotations, unless, message = "Not permitted." } = options;
  if (names === undefined && annotations === undefined) {
    throw new UsageError(`${WHERE}: set names or annotations; otherwise it denies nothing.`);
  }
  if (names !== undefined) checkNames(WHERE, "names", names);
  checkFunction(WHERE, "unless", unless);
  if (typeof message !== "string") throw new UsageError(`${WHERE}: message must be a text.`);
  const denied = new Set(names);
  const hints = annotations === undefined ? undefined : toHints(annotations);
  return (call, next) => {
    const { item } = call;
    if (item === undefined || !(denied.has(item.name) || hasHints(item, hints))) return next();
    const permitted: unknown = unless === undefined ? false : unless(call);
    if (typeof permitted !== "boolean") throw wrongReturn("unless of deny", permitted, "true or false");
    if (permitted) return next();
    throw call.method === "tools/call" ? new ToolError(message) : new InvalidParams(message);
  };
}

type Hints = readonly (readonly [(typeof HINTS)[number], boolean])[];

function toHints(annotations: Omit<ToolAnnotations, "title">): Hints {
  checkOptions(`${WHERE}: annotations`, annotations, HINTS);
  const hints = Object.entries(annotations) as [(typeof HINTS)[number], boolean][];
  const wrong = hints.find(([, value]) => typeof value !== "boolean");
  if (hints.length > 0 && wrong === undefined) return hints;
  throw new UsageError(`${WHERE}: annotations must have hints that are true or false, not ${show(annotations)}.`);
}

function hasHints(item: ItemDescription, hints: Hints | undefined): boolean {
  if (hints === undefined || !("inputSchema" in item)) return false;
  return hints.every(([name, value]) => item.annotations?.[name] === value);
}
