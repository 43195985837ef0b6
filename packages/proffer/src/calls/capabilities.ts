import { RpcError } from "../protocol/errors.ts";
import type { ClientCapabilities } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import { ToolError } from "../results/content.ts";

/** The required capabilities that the client did not declare; undefined if it declared all of them. */
export function missingCapabilities(
  required: ClientCapabilities,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  const missing: Record<string, object> = {};
  for (const [name, modes] of Object.entries(required) as [keyof ClientCapabilities, object][]) {
    const offered = declared[name] as Record<string, unknown> | undefined;
    if (typeof offered !== "object" || offered === null) {
      missing[name] = modes;
      continue;
    }
    const absent = Object.keys(modes).filter((mode) => offered[mode] === undefined && !implied(name, mode, offered));
    if (absent.length > 0) missing[name] = Object.fromEntries(absent.map((mode) => [mode, {}]));
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

/** `elicitation: {}` was the whole declaration before modes existed, and still means forms. */
function implied(name: string, mode: string, offered: Record<string, unknown>): boolean {
  return name === "elicitation" && mode === "form" && offered.url === undefined;
}

/** The error for a client that did not declare a required capability. */
export function missingCapability(revision: Revision, missing: ClientCapabilities, what: string): Error {
  const names = Object.keys({ ...missing, ...missing.extensions }).filter((name) => name !== "extensions");
  const message = `${what} requires a client that supports ${names.join(" and ")}; this client did not declare it.`;
  if (!revision.capabilityErrors) return new ToolError(message);
  return new RpcError("missing_capability", message, { data: { requiredCapabilities: missing } });
}
