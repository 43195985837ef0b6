import { isObject } from "../../protocol/messages.ts";
import { toCanonical } from "../../schema/json-schema/equality.ts";
import { messageOf } from "../../support/log.ts";
import { builtinModule, sha256 } from "../../support/run-time.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { Offer } from "./offer.ts";

interface Files {
  readFile(path: string, encoding: "utf8"): Promise<string>;
  writeFile(path: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/** The digests of what was accepted: by mount, kind, and name. */
interface PinFile {
  readonly servers: { readonly [mount: string]: { readonly [item: string]: string } };
}

/** Writers of one process take turns. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Removes from an offer what is not as it was accepted. A server that the file does not have is accepted as it is now, and
 * written: delete its part of the file to accept changes. @throws {UsageError} for a file that cannot be used.
 */
export async function onlyPinned(
  offer: Offer,
  path: string,
  mount: string,
  refused: (text: string) => void,
): Promise<Offer> {
  const digests = new Map<object, string>();
  const names = new Map<object, string>();
  for (const kind of ["tools", "prompts", "resources"] as const) {
    for (const item of offer[kind]) {
      names.set(item, `${kind} ${nameOf(item)}`);
      digests.set(item, await sha256(toCanonical(item)));
    }
  }
  const all = Object.fromEntries([...names].map(([item, name]) => [name, digests.get(item) as string]));
  const reading = last.then(() => acceptedOf(path, mount, all));
  last = reading.catch(() => undefined);
  const accepted = await reading;
  const isAccepted = (item: object) => {
    const name = names.get(item) as string;
    const known = Object.hasOwn(accepted, name) ? accepted[name] : undefined;
    if (known === digests.get(item)) return true;
    refused(known === undefined ? `${name} is new` : `${name} has changed`);
    return false;
  };
  return {
    tools: offer.tools.filter(isAccepted),
    prompts: offer.prompts.filter(isAccepted),
    resources: offer.resources.filter(isAccepted),
    contains: offer.contains,
  };
}

function nameOf(item: object): string {
  const { uri, uriTemplate, name } = item as { readonly [key: string]: unknown };
  return String(uri ?? uriTemplate ?? name);
}

async function acceptedOf(path: string, mount: string, offered: PinFile["servers"][string]) {
  const files = builtinModule("node:fs/promises") as Files | undefined;
  if (files === undefined) throw new UsageError(`pin: this run-time has no files, so ${path} cannot be read.`);
  const file = parse(path, await files.readFile(path, "utf8").catch(ignoreMissing));
  const known = file.servers[mount];
  if (known !== undefined) return known;
  const text = `${JSON.stringify({ ...file, servers: { ...file.servers, [mount]: offered } }, null, 2)}\n`;
  await files.writeFile(`${path}.new`, text);
  await files.rename(`${path}.new`, path);
  return offered;
}

function ignoreMissing(error: { readonly code?: unknown }): undefined {
  if (error.code !== "ENOENT") throw error;
}

function parse(path: string, text: string | undefined): PinFile {
  if (text === undefined) return { servers: {} };
  let problem = "it has no servers";
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && isObject(value.servers) && Object.values(value.servers).every(isObject))
      return value as never;
  } catch (error) {
    problem = messageOf(error);
  }
  throw new UsageError(`pin: ${path} cannot be used: ${problem}. Correct it, or delete it to accept all servers anew.`);
}
