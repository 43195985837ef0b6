import type { ErrorsOption } from "../calls/exposed-error.ts";
import type { Middleware } from "../calls/middleware.ts";
import type { Observer } from "../calls/observe.ts";
import type { Store } from "../calls/store.ts";
import type { Shows } from "../catalog/access.ts";
import { DEFAULT_PAGE_SIZE } from "../catalog/pages.ts";
import { checkName } from "../catalog/registry.ts";
import type { Cluster } from "../nodes/ports.ts";
import type { CreatedByDefinePrompt } from "../prompts/define.ts";
import type { CacheHints, Implementation } from "../protocol/model.ts";
import type { SkillsOption } from "../providers/skills/folder.ts";
import type { CreatedByDefineResource } from "../resources/define.ts";
import type { LogSink } from "../support/log.ts";
import { badOption, checkFlag, UsageError } from "../support/usage-error.ts";
import type { CreatedByDefineTool, MaxResult } from "../tools/define.ts";
import type { ServerLimits } from "./limits.ts";
import type { Server } from "./server.ts";

/** A toolset with options. */
export interface ToolsetSettings {
  /** The names of its tools, prompts and resources; `*` stands for any characters. Items can also name it themselves. */
  readonly tools?: readonly string[];
  /** Whether it is shown if nobody names toolsets. False hides its items until it is named. Default: true. */
  readonly default?: boolean;
}

/** Options for a server inside another one. */
export interface MountOptions {
  /** Before the names of its tools and prompts. Default: its name in `servers` and "_". */
  readonly prefix?: string;
  /** Patterns of the names that are offered, as the mounted server spells them; `*` stands for any characters. */
  readonly only?: readonly string[];
  /** Patterns of the names that are not offered. */
  readonly except?: readonly string[];
  /** The toolset of its items. */
  readonly toolset?: string;
  /** Cuts its larger results, as `maxResult` of a tool. */
  readonly maxResult?: MaxResult;
}

/** A server in this process, with options. */
export interface LocalMount extends MountOptions {
  readonly server: Server;
}

/** Distinguishes a server elsewhere from plain options; the name of this type is the hint in the compiler's error. */
export interface CreatedByRemote {
  readonly kind: "remote";
}

/** Options for `defineServer`. */
export interface ServerOptions<
  Tools = CreatedByDefineTool,
  Prompts = CreatedByDefinePrompt,
  Resources = CreatedByDefineResource | readonly CreatedByDefineResource[],
> extends Implementation {
  /** Instructions for the model about the server as a whole. */
  readonly instructions?: string;
  /** A list, even an empty one, announces the capability; items can be added while the server runs. */
  readonly tools?: readonly Tools[];
  readonly prompts?: readonly Prompts[];
  readonly resources?: readonly Resources[];
  /** Other servers, by the names before those of their items: in this process, or elsewhere with `remote`. */
  readonly servers?: { readonly [name: string]: Server | LocalMount | CreatedByRemote };
  /**
   * Whether an item exists for a caller. Otherwise it is in no list, and a request for it gets the error of an unknown
   * name. Must be pure and synchronous. Default: everything exists for everyone.
   */
  readonly shows?: Shows;
  /**
   * Groups of items by name, of which the person who starts the server shows some, and a client can ask for some. Each
   * name must match an item when the server starts.
   */
  readonly toolsets?: { readonly [name: string]: readonly string[] | ToolsetSettings };
  /**
   * Which items the lists contain: "all", or "granted" for those whose scopes the caller has. Default: "all", because a
   * client asks for the scopes of an item only if it knows the item.
   */
  readonly lists?: "all" | "granted";
  /**
   * Whether resources are also tools, for models that cannot read resources: "auto" for the clients that are known to have
   * such models, "always", or "never" except for resources with `tool`. Default: "auto".
   */
  readonly resourceTools?: "auto" | "always" | "never";
  /**
   * Instructions for models, with files: a folder in which each folder with a `SKILL.md` is a skill, `{ from }` with
   * settings, skills of `defineSkill`, or a list of these. Default: none.
   */
  readonly skills?: SkillsOption;
  /** Runs around every request: for permissions, rate limits, caching. The first of a list is the outermost. */
  readonly middleware?: Middleware | readonly Middleware[];
  /** Sees every call and changes nothing: for telemetry, audits, metrics. Create one with `defineObserver`. */
  readonly observe?: Observer | readonly Observer[];
  /**
   * Converts strings such as `"1"` and `"true"` in tool arguments that are invalid, where the schema leaves no other
   * meaning. Default: true.
   */
  readonly coerce?: boolean;
  /**
   * Drops the properties that the output schema of a tool does not have from its results, at every level, and lists the
   * schemas as closed. `closed` of a tool overrides it. Default: false.
   */
  readonly closedResults?: boolean;
  /**
   * Cuts larger results: texts at a line, arrays at an element, with a sentence about the missing part. The tool `more`,
   * which this option adds, returns the rest. `maxResult` of a tool overrides it. Default: results are never cut.
   */
  readonly maxResult?: MaxResult;
  /**
   * Converts lists and results for clients that would lose a part of them, by their profiles: names that are too long,
   * references, images beside structured content, links. The name of a client decides, which any client can choose.
   * Default: false.
   */
  readonly adapt?: boolean;
  /**
   * How clients see unexpected exceptions, which are always logged: "masked", "message" for their messages, or a function
   * that returns the text. The text is limited to 8,192 characters. Default: "masked".
   */
  readonly errors?: ErrorsOption;
  /** How long clients may cache lists and contents. Default: not at all, and only for themselves. */
  readonly cache?: Partial<CacheHints>;
  /** The maximum number of entries in one page of a list. Default: 1,000. */
  readonly pageSize?: number;
  /**
   * Keys of 32 bytes that seal cursors and the state of questions: the first one seals, all of them open. Default:
   * `PROFFER_KEYS`, or a random key for this process.
   */
  readonly keys?: readonly (Uint8Array | string)[];
  /** Remembers claims for operations that may happen only once. Default: the memory of this process. */
  readonly store?: Store;
  /** The state that the nodes of this server share, if it runs on several. It contains a store, so `store` must not be set. */
  readonly cluster?: Cluster;
  readonly limits?: ServerLimits;
  /**
   * Runs once before the first call, for example to connect to a database; calls wait for it, lists do not. If it throws
   * or exceeds `limits.startTimeout`, the server does not start.
   */
  readonly onStart?: (server: Server) => unknown;
  /** Runs once after the last transport has closed, within its drain time, if the server has started. */
  readonly onStop?: (server: Server) => unknown;
  /** Receives the server's log entries. Default: writes each as a line of JSON to stderr. */
  readonly log?: LogSink;
}

/** Checks the options that nothing else checks. @throws {UsageError} */
export function checkOptions(options: ServerOptions): void {
  const { name, version, pageSize = DEFAULT_PAGE_SIZE } = options;
  checkName(name, "a server");
  const where = `Server "${name}"`;
  if (typeof version !== "string" || version === "") throw new UsageError(`${where} requires a version.`);
  if (options.cluster !== undefined && options.store !== undefined)
    throw new UsageError(`${where}: cluster contains a store, so remove the option store.`);
  for (const hook of ["onStart", "onStop", "shows"] as const) {
    if (options[hook] !== undefined && typeof options[hook] !== "function")
      throw badOption(where, hook, "a function", options[hook]);
  }
  for (const flag of ["coerce", "closedResults", "adapt"] as const) checkFlag(flag, options[flag], where);
  if (!Number.isInteger(pageSize) || pageSize < 1)
    throw badOption(where, "pageSize", "a whole number of at least 1", pageSize);
}

/**
 * Whether lists depend on the caller.
 * @throws {UsageError} for an invalid option, or if shared caches would return the list of one caller to another.
 */
export function filtersLists(
  { name, shows, lists = "all", resourceTools = "auto", adapt }: ServerOptions,
  { cacheScope }: CacheHints,
): boolean {
  const where = `Server "${name}"`;
  if (lists !== "all" && lists !== "granted") throw badOption(where, "lists", '"all" or "granted"', lists);
  if (resourceTools !== "auto" && resourceTools !== "always" && resourceTools !== "never")
    throw badOption(where, "resourceTools", '"auto", "always" or "never"', resourceTools);
  const filters = shows !== undefined || lists === "granted";
  if ((filters || adapt) && cacheScope === "public")
    throw new UsageError(
      `${where}: cacheScope "public" contradicts shows, adapt and lists: "granted", because lists depend on the caller.`,
    );
  return filters;
}

/** @throws {UsageError} for a value that is neither a mode nor a function. */
export function checkErrors(errors: ErrorsOption, name: string): ErrorsOption {
  if (errors === "masked" || errors === "message" || typeof errors === "function") return errors;
  throw badOption(`Server "${name}"`, "errors", '"masked", "message" or a function', errors);
}
