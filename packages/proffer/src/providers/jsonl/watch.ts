import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Watch } from "../../resources/watch.ts";
import { UsageError } from "../../support/usage-error.ts";
import { requirePeer } from "../files/peer.ts";
import { watchDirectory } from "../files/watcher.ts";

/**
 * Watches the one file, or all files of the directory that they lie in: which URI such a file belongs to is not known, so
 * everybody is told who subscribed to one of the template. @throws {UsageError} if it is not known where the files are.
 */
export function watchLines(file: unknown, within: string | undefined, uri: string): Watch {
  requirePeer("chokidar", "jsonl() with watch");
  const brace = uri.indexOf("{");
  const changed = brace === -1 ? uri : { prefix: uri.slice(0, brace) };
  if (typeof file === "string") {
    const path = resolve(within ?? "", file);
    return watchDirectory({
      root: () => realpath(dirname(path)),
      isIgnored: (other) => other !== basename(path),
      tell: (_, events) => events.updated(changed),
    });
  }
  if (within === undefined) {
    throw new UsageError(
      "bad_option",
      `jsonl(): to watch the files of ${uri}, say where they are: within: directory. Or give a watch function.`,
    );
  }
  return watchDirectory({
    root: () => realpath(within),
    isIgnored: () => false,
    tell({ isListChange }, events) {
      events.updated(changed);
      if (isListChange) events.listChanged();
    },
  });
}
