import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../terminal/command-error.ts";

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Returns the file to write. Users link such files to a dotfiles folder: the target is written, so that the link stays a
 * link, even if the target does not exist yet. All links to one file have the same result, and so the same lock.
 * @throws {CommandError} if the folder of a link's target does not exist.
 */
export function resolveLinks(file: string): string {
  let path = realFolder(file);
  for (let count = 0; isLink(path); count++) {
    if (count === MAX_LINKS) throw new CommandError(`${file} is a symbolic link to itself. Remove it first.`);
    const target = resolve(dirname(path), readlinkSync(path));
    if (!existsSync(dirname(target))) {
      throw new CommandError(
        `${file} is a symbolic link to ${target}, but the folder ${dirname(target)} does not exist. ` +
          "Create the folder or remove the link.",
      );
    }
    path = realFolder(target);
  }
  return path;
}

/** Resolves links in the path of the folder, if it exists. */
function realFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
