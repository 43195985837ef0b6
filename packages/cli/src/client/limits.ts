import { WrongUsage } from "../terminal/command-error.ts";

/** The limits of what one command accepts from a server. */
export interface ClientLimits {
  /** The time for the server's responses, in seconds; 0 means no limit. */
  readonly timeout: number;
  /** The bytes of all messages. */
  readonly maxBytes: number;
}

export interface LimitFlags {
  readonly timeout?: string;
  readonly maxBytes?: string;
}

/** Node's `fetch` ends a response after the same time of silence. */
export const DEFAULT_TIMEOUT = 300;
export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** The longest timer of Node, in seconds. */
const LONGEST_TIMEOUT = 2_147_483;
/** Node cannot create a longer string. */
const LARGEST_MESSAGE = 500_000_000;

/** @throws {WrongUsage} for an invalid value. */
export function toLimits({ timeout, maxBytes }: LimitFlags): ClientLimits {
  return {
    timeout: timeout === undefined ? DEFAULT_TIMEOUT : parse("--timeout", timeout, 0, LONGEST_TIMEOUT),
    maxBytes: maxBytes === undefined ? DEFAULT_MAX_BYTES : parse("--max-bytes", maxBytes, 1, LARGEST_MESSAGE),
  };
}

function parse(flag: string, value: string, min: number, max: number): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= min && number <= max) return number;
  throw new WrongUsage(`Invalid value of ${flag}: ${JSON.stringify(value)}. Use a number from ${min} to ${max}.`);
}
