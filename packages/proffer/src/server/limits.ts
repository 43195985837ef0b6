import { MAX_ITEMS } from "../protocol/parse.ts";
import { MAX_STREAM_BYTES } from "../results/stream.ts";
import { UsageError } from "../support/usage-error.ts";
import { MAX_URI_LENGTH } from "../uri/match.ts";
import { MAX_TEMPLATE_LENGTH } from "../uri/parse.ts";

/** What one client may ask for, and how much one answer may be. */
export interface ServerLimits {
  /** How many resources a client may subscribe to. Default: 10,000. */
  readonly subscriptions?: number;
  /** How many entries of a list are looked at to complete a variable. Default: 10,000. */
  readonly completionScan?: number;
  /** How many keys and elements a message may have, all objects and lists in it together. Default: 250,000. */
  readonly messageItems?: number;
  /** How many characters a URI may have. Default: 16,384. */
  readonly uriLength?: number;
  /** How many characters the template of a resource may have. Default: 2,048. */
  readonly templateLength?: number;
  /** How many bytes, or characters, of a stream are collected for one answer. Default: 64 MiB. */
  readonly streamBytes?: number;
}

const DEFAULTS: Required<ServerLimits> = {
  subscriptions: 10_000,
  completionScan: 10_000,
  messageItems: MAX_ITEMS,
  uriLength: MAX_URI_LENGTH,
  templateLength: MAX_TEMPLATE_LENGTH,
  streamBytes: MAX_STREAM_BYTES,
};

/** Fills in what was not said. @throws {UsageError} for a limit that is none. */
export function toServerLimits(given: ServerLimits | undefined, where: string): Required<ServerLimits> {
  const limits = { ...DEFAULTS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && value > 0) continue;
    throw new UsageError("bad_option", `${where}: limits.${name} must be a positive number, not ${String(value)}.`);
  }
  return limits;
}
