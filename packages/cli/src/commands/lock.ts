import type { ItemSource } from "../derive/index.ts";
import { whileDescribing } from "../describe/describing.ts";
import { refusePlaceholders } from "../describe/placeholders.ts";
import { type Change, formatChanges, KINDS, type PlacedChange } from "../lock/change.ts";
import { compareLocks } from "../lock/compare-locks.ts";
import { LOCKED_LISTS, type Lock, lineOf, lockPath, readLock, takeLock, writeLock } from "../lock/lock-file.ts";
import { deriveModule } from "../modules/derive-module.ts";
import { describedServer } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { CommandError, explainUsage, WrongUsage } from "../terminal/command-error.ts";
import { checkDerivation, toShortPath } from "../terminal/diagnostic-report.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { print, printJson, say, stylesFor } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

export interface LockFlags {
  readonly check?: boolean;
  readonly strict?: boolean;
  readonly file?: string;
  readonly json?: boolean;
  /** `name=value`: variables for a module that does not accept placeholders. */
  readonly env?: readonly string[];
}

/**
 * Writes the lock of a module, or compares the module with it. Both print the changes.
 * @throws {CommandError} with `check`, if a change breaks callers.
 */
export async function lock(file: string, flags: LockFlags) {
  const { check = false, strict = false, file: chosen, json = false, env = [] } = flags;
  if (strict && !check) throw new WrongUsage("--strict is an option of --check.");
  const module = findModule(file);
  const path = fromHere(lockPath(module, chosen));
  const earlier = readLock(path);
  const name = toShortPath(path);
  if (earlier === undefined && check)
    throw new CommandError(`${name} does not exist. Write it with proffer lock ${file}, and commit it.`);
  const { derivation, deriver } = await deriveModule(file);
  const sources = deriver.sources();
  checkDerivation(file, derivation);
  const current = await whileDescribing(env, async () => {
    const server = await explainUsage(describedServer(file, derivation));
    return explainUsage(takeLock(server, derivation, module, path));
  });
  refusePlaceholders(current, derivation.settings);
  if (earlier !== undefined && earlier.lock.module !== current.module)
    throw new CommandError(
      `${name} is the lock of ${earlier.lock.module}, not of ${current.module}. Choose another file with --file.`,
    );
  const changes = earlier === undefined ? [] : compareLocks(earlier.lock, current);
  const placed = changes.map((change) => place(change, sources, { name, text: earlier?.text ?? "", module }));
  if (json) printJson({ file: name, changes: placed });
  else if (placed.length > 0) print(formatChanges(placed, stylesFor(currentShell().stdout)));
  if (check) judge(name, changes, strict, file);
  else {
    writeLock(path, current);
    say(text`Wrote ${name}: ${countItems(current)}.`);
  }
}

function judge(name: string, changes: readonly Change[], strict: boolean, file: string): void {
  const breaks = changes.filter(({ level }) => level === "break").length;
  const accept = `To accept ${changes.length === 1 ? "it" : "them"}, run proffer lock ${file}.`;
  if (breaks > 0)
    throw new CommandError(`${breaks === 1 ? "A change breaks" : `${breaks} changes break`} callers. ${accept}`);
  if (changes.length === 0) say(text`${name} is up to date.`);
  else if (strict) throw new CommandError(`${name} is not up to date. ${accept}`);
  else
    say(text`No change breaks callers. To record ${changes.length === 1 ? "it" : "them"}, run proffer lock ${file}.`);
}

/** Adds the place of the item: its code, its line in the lock if it is gone, or else the module. */
function place(
  change: Change,
  sources: readonly ItemSource[],
  { name, text, module }: { readonly name: string; readonly text: string; readonly module: string },
): PlacedChange {
  const { list, key } = change;
  // Code has no templates, only resources.
  const kind = list === "resourceTemplates" ? "resource" : KINDS[list];
  const source = sources.find((each) => each.kind === kind && each.key === key);
  if (source !== undefined) return { ...change, file: toShortPath(source.file), line: source.line };
  const line = lineOf(text, list, key);
  return line === undefined ? { ...change, file: toShortPath(module), line: 1 } : { ...change, file: name, line };
}

function countItems(lock: Lock): string {
  const counts = LOCKED_LISTS.map((list) => [Object.keys(lock[list]).length, list] as const);
  const named = counts
    .filter(([count]) => count > 0)
    .map(([count, list]) => `${count} ${KINDS[list]}${count === 1 ? "" : "s"}`);
  return named.length === 0 ? "nothing" : named.join(", ");
}
