import { memoized } from "../support/memo.ts";
import type { Principal } from "./client.ts";

/** The marks by which a caller is counted. */
export interface CallerMarks {
  /** Of a run of a task: the caller of its request. */
  readonly caller?: string | undefined;
  readonly principal?: Principal | undefined;
  /** The network address, where the transport knows one, or the text by which the author names the caller. */
  readonly address?: string | undefined;
  /** The session or the connection. */
  readonly listener?: object | undefined;
}

/**
 * The caller for every bound of a server: the principal; else the network address; only without both the session. An address
 * can open as many sessions as it likes, so they do not count. Undefined if nothing is known, as over some run-times.
 *
 * It counts, and never authorizes: offices share an address, and clients change theirs. Sessions, tasks and kept results
 * belong to a principal, or to whoever knows their secret id.
 */
export function callerOf({ caller, principal, address, listener }: CallerMarks): string | undefined {
  if (caller !== undefined) return caller;
  if (principal !== undefined) return `id ${principal.caller ?? principal.id}`;
  if (address !== undefined) return `address ${networkOf(address)}`;
  return listener === undefined ? undefined : numberOf(listener);
}

/** The same for a thing that is counted again and again: to find the /64 of ten thousand addresses takes milliseconds. */
export const callerOfThing: (thing: CallerMarks) => string | undefined = /* @__PURE__ */ memoized(callerOf);

const numbers = new WeakMap<object, string>();
let last = 0;

function numberOf(listener: object): string {
  let number = numbers.get(listener);
  if (number === undefined) {
    number = `connection ${++last}`;
    numbers.set(listener, number);
  }
  return number;
}

const IPV6 = /^[\da-f]*:[\da-f:.]*(?:%.*)?$/i;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The /64 of an IPv6 address, because whoever has one address of it has all; any other text as it is. */
function networkOf(address: string): string {
  if (!IPV6.test(address)) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [start = "", end] = address.replace(/%.*/, "").split("::");
  const left = start === "" ? [] : start.split(":");
  const right = end === undefined || end === "" ? [] : end.split(":");
  const missing = Array<string>(Math.max(0, GROUPS - left.length - right.length)).fill("0");
  const groups = [...left, ...missing, ...right].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
