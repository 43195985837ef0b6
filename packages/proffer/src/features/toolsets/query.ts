import { RpcError } from "../../protocol/errors.ts";

/** In characters, decoded. */
const MAX_LENGTH = 2000;
const MAX_NAMES = 50;

/** The last query and its toolsets: the requests of a client have the same. */
let last: { readonly query: string; readonly toolsets: ReadonlySet<string> | undefined } | undefined;

/**
 * The toolsets that the query of a request asks for, in order; undefined if it does not.
 * @throws {RpcError} for a parameter that is empty, too long, or repeated: a proxy may have checked the other one.
 */
export function toolsetsOf(query: string | undefined): ReadonlySet<string> | undefined {
  if (!query?.includes("toolsets=")) return undefined;
  if (last?.query !== query) last = { query, toolsets: parseToolsets(query) };
  return last.toolsets;
}

function parseToolsets(query: string): ReadonlySet<string> | undefined {
  const values = new URLSearchParams(query).getAll("toolsets");
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) throw badQuery("is there twice. Separate the names by commas");
  if (value.length > MAX_LENGTH) throw badQuery(`has more than ${MAX_LENGTH} characters`);
  const names = new Set(value.split(",").map((name) => name.trim()));
  names.delete("");
  if (names.size === 0) throw badQuery("names no toolset. Leave it out to see all that the server shows");
  if (names.size > MAX_NAMES) throw badQuery(`names more than ${MAX_NAMES} toolsets`);
  return new Set([...names].sort());
}

function badQuery(problem: string): RpcError {
  return new RpcError("invalid_request", `The query parameter toolsets ${problem}.`);
}
