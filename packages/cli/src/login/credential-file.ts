import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { CredentialStore, Credentials } from "proffer/client/oauth";
import { replaceFile, withLock } from "../install/atomic-file.ts";
import { userFolder } from "../modules/trust.ts";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, parseJson } from "../terminal/json.ts";
import { hideFromErrors } from "../terminal/redact.ts";

interface Content {
  readonly servers: { readonly [url: string]: Credentials };
}

interface Found {
  readonly content: Content;
  /** Undefined if there is no file yet. */
  readonly stats: Stats | undefined;
}

/** Credentials in a file of the user, for the commands that talk to servers. */
export const credentialFile: CredentialStore = {
  get(server) {
    // Without a home folder nobody has logged in.
    if (userFolder() === undefined) return undefined;
    const { servers } = read(credentialPath()).content;
    return Object.hasOwn(servers, server) ? servers[server] : undefined;
  },

  async update(server, change) {
    const file = credentialPath();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Another process waits, and then finds the tokens of this one: many refresh tokens can be used only once.
    const locked = async (isHeld: () => boolean) => {
      const { servers } = read(file).content;
      const known = Object.hasOwn(servers, server) ? servers[server] : undefined;
      const next = await change(known);
      if (next === known) return known;
      hide(next);
      const { stats, content } = read(file);
      const { [server]: _, ...others } = content.servers;
      const changed = { servers: { ...others, ...(next && { [server]: next }) } };
      const isWritten = replaceFile(file, `${JSON.stringify(changed, undefined, 2)}\n`, stats, isHeld);
      if (!isWritten) throw new CommandError(`Another process took over the lock of ${file}. Try again.`);
      return next;
    };
    return withLock(file, locked, TIMES);
  },
};

/** In milliseconds. The lock is held during a request to the authorization server, which may take half a minute. */
const TIMES = { patience: 120_000, maxAge: 60_000 };

export function credentialPath(): string {
  const folder = userFolder();
  if (folder === undefined) throw new CommandError("There is no home folder in which credentials could be kept.");
  return join(folder, "credentials.json");
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const MAX_BYTES = 4 * 1024 * 1024;

/** @throws {CommandError} if others could have read or replaced the file. */
function read(file: string): Found {
  const refuse = (problem: string) =>
    new CommandError(
      `${file} ${problem}, so its credentials are not used. Delete it, and log in again: proffer login <url>`,
    );
  let descriptor: number;
  try {
    // Not a link: it could lead to a file of another user, or take the credentials there.
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { content: { servers: {} }, stats: undefined };
    throw code === "ELOOP" || code === "EMLINK" ? refuse("is a link") : new CommandError(`${file}: ${message}`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw refuse("is not a file");
    if (process.platform !== "win32") {
      if (stats.uid !== process.getuid?.()) throw refuse("belongs to another user");
      if ((stats.mode & 0o077) !== 0) throw refuse("can be read by others");
    }
    if (stats.size > MAX_BYTES) throw refuse("is too large");
    const value = parseJson(readFileSync(descriptor, "utf8"));
    if (!isObject(value) || !isObject(value.servers)) throw refuse("is damaged");
    const content = value as unknown as Content;
    Object.values(content.servers).forEach(hide);
    return { content, stats };
  } finally {
    closeSync(descriptor);
  }
}

/** A server could repeat a token in an error message. */
function hide(known: Partial<Credentials> | undefined): void {
  for (const secret of [known?.accessToken, known?.refreshToken, known?.client?.secret]) {
    if (typeof secret === "string") hideFromErrors(secret);
  }
}
