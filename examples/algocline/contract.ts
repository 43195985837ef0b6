import { param, type Refusal, type ResourceGroupOptions } from "proffer";
import { ID_CHARACTERS } from "./file-sets.ts";

/** What may not stand in an id because it means something in a URI. */
const RESERVED = "&=?/% ";
const U64_LIMIT = 2n ** 64n;

/** An id of the document's character set; messages call it by the label. */
export function id(label: string) {
  return param.charset(ID_CHARACTERS, { label });
}

/** How algocline reads its URIs, and every message with which it refuses one. */
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

/** The first thing that is wrong with a URI that nothing matches, in the order in which algocline looks. */
function unmatched({ uri, segments, query }: Refusal, services: readonly string[]): string {
  const [service, ...rest] = segments;
  if (service === undefined) return `missing path segment in ${uri}`;
  if (!services.includes(service)) return `unknown service: ${service}`;
  if (rest.length === 0) return `missing path segment in ${uri}`;
  if (query.has("")) return `invalid query: empty key in query of ${uri}`;
  if (service === "types" && query.size > 0) return `query params not supported on ${uri}`;
  return `resource not found: ${uri}`;
}

/** What algocline's services say of something that is not there. */
function missing({ uri, segments: [service, name, part] }: Refusal): string {
  if (service === "packages" && part === "init.lua") return `pkg not found: ${name}`;
  if (service === "cards") return `card '${name}' not found`;
  if (service === "scenarios") return `Scenario '${name}' not found`;
  if (service === "eval") return `Eval result not found: ${name}`;
  if (service === "logs") return `Log file not found for session '${name}'`;
  return `resource not found: ${uri}`;
}

/** Above the cap; or above what algocline's own integers hold, which it reports as a bad number. */
function overCap({ name, value, uri, limit }: Refusal): string {
  const number = BigInt(value);
  if (number < U64_LIMIT) return `query param '${name}=${number}' on ${uri} exceeds cap of ${limit}`;
  return `invalid query param '${name}=${value}' on ${uri}: number too large to fit in target type`;
}
