import { createHash, randomBytes } from "node:crypto";
import { isScope } from "proffer/derived";
import { WrongUsage } from "../terminal/command-error.ts";
import { print, printJson, say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

export interface KeyFlags {
  /** The id of the caller. */
  readonly name?: string;
  /** Scopes, separated by spaces. */
  readonly scopes?: string;
  readonly json?: boolean;
}

/** With as many bits as the digest: a key cannot be guessed, so that a fast digest is enough. */
const KEY_BYTES = 32;

/**
 * Prints a new API key, its digest, and the line for `apiKeys`. Nothing is stored.
 * @throws {WrongUsage} for an empty name or an invalid scope.
 */
export async function key({ name, scopes = "", json = false }: KeyFlags): Promise<void> {
  if (name === "") throw new WrongUsage("--name must not be empty.");
  const list = scopes.split(/\s+/).filter((scope) => scope !== "");
  const wrong = list.find((scope) => !isScope(scope));
  if (wrong !== undefined) {
    throw new WrongUsage(`Invalid scope ${JSON.stringify(wrong)}: use visible ASCII without quotes and backslashes.`);
  }
  const secret = `pfr_${randomBytes(KEY_BYTES).toString("base64url")}`;
  const hex = createHash("sha256").update(secret).digest("hex");
  const digest = `sha256:${hex}`;
  const caller = { id: name ?? `key-${hex.slice(0, 8)}`, ...(list.length > 0 && { scopes: list }) };
  if (json) return printJson({ key: secret, digest, caller });
  const members = [`id: ${JSON.stringify(caller.id)}`];
  if (list.length > 0) members.push(`scopes: [${list.map((scope) => JSON.stringify(scope)).join(", ")}]`);
  print(text`key:    ${secret}\ndigest: ${digest}\nline:   "${digest}": { ${members.join(", ")} },`);
  say(text`The key is not shown again. Give it to the client, and add the line to keys of apiKeys().`);
}
