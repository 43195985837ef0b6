import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Watch } from "../../resources/watch.ts";
import { UsageError } from "../../support/usage-error.ts";
import { requirePeer } from "../files/peer.ts";
import { watchDirectory } from "../files/watcher.ts";

/**
 * Watches a single file, or all files in `within`. The resolver maps URIs to files but not back, so a change in the
 * directory notifies all subscribers of the template. @throws {UsageError} for a resolver without `within`.
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
      notify: (_, events) => events.updated(changed),
    });
  }
  if (within === undefined) {
    throw new UsageError(
      "bad_option",
      `jsonl(): to watch the files of ${uri}, set within to their directory, or pass a watch function.`,
    );
  }
  return watchDirectory({
    root: () => realpath(within),
    isIgnored: () => false,
    notify({ isListChange }, events) {
      events.updated(changed);
      if (isListChange) events.listChanged();
    },
  });
}
