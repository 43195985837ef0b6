import { param, type Refusal, type ResourceGroupOptions } from "proffer";
import { ID_CHARACTERS } from "./file-sets.ts";

/** Characters with a meaning in URIs, which are not allowed in ids. */
const RESERVED = "&=?/% ";
const U64_LIMIT = 2n ** 64n;

/** An id of the document's character set; `label` names it in messages. */
export function id(label: string) {
  return param.charset(ID_CHARACTERS, { label });
}

/** Algocline's rules for URIs, and its message for each violation. */
export function createContract(services: readonly string[]): ResourceGroupOptions {
  return {
    uri: "alc://",
    decode: false,
    emptySegments: "drop",
    duplicates: "last",
    hideQuery: true,
    messages: {
      foreign: ({ uri }) => `invalid scheme: expected alc://, got ${uri}`,
      traversal: ({ value }) => `path traversal segment rejected: ${value}`,
      unmatched: (refusal) => unmatched(refusal, services),
      missing,
      empty_key: ({ uri }) => `invalid query: empty key in query of ${uri}`,
      unknown_key: ({ name, uri, keys }) =>
        keys.length === 0 ? `query params not supported on ${uri}` : `unsupported query param '${name}' on ${uri}`,
      character: ({ label, value, uri, char = "" }) =>
        `${label} '${value}' on ${uri} contains ${RESERVED.includes(char) ? "reserved" : "unsupported"} character '${char}'`,
      length: ({ label, uri, limit }) => `${label} on ${uri} has more than ${limit} characters`,
      integer: ({ name, value, uri }) =>
        `invalid query param '${name}=${value}' on ${uri}: ${value === "" ? "cannot parse integer from empty string" : "invalid digit found in string"}`,
      max: overCap,
    },
  };
}

/** Returns the message for an unmatched URI. The order of the checks is algocline's. */
function unmatched({ uri, segments, query }: Refusal, services: readonly string[]): string {
  const [service, ...rest] = segments;
  if (service === undefined) return `missing path segment in ${uri}`;
  if (!services.includes(service)) return `unknown service: ${service}`;
  if (rest.length === 0) return `missing path segment in ${uri}`;
  if (query.has("")) return `invalid query: empty key in query of ${uri}`;
  if (service === "types" && query.size > 0) return `query params not supported on ${uri}`;
  return `resource not found: ${uri}`;
}

/** The "not found" messages of algocline's services. */
function missing({ uri, segments: [service, name, part] }: Refusal): string {
  if (service === "packages" && part === "init.lua") return `pkg not found: ${name}`;
  if (service === "cards") return `card '${name}' not found`;
  if (service === "scenarios") return `Scenario '${name}' not found`;
  if (service === "eval") return `Eval result not found: ${name}`;
  if (service === "logs") return `Log file not found for session '${name}'`;
  return `resource not found: ${uri}`;
}

/** The message for a value above the cap. Algocline reports a value beyond 64 bits as an invalid number. */
function overCap({ name, value, uri, limit }: Refusal): string {
  const number = BigInt(value);
  if (number < U64_LIMIT) return `query param '${name}=${number}' on ${uri} exceeds cap of ${limit}`;
  return `invalid query param '${name}=${value}' on ${uri}: number too large to fit in target type`;
}
