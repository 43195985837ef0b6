import { findSimilar } from "../support/similar.ts";
import { UsageError } from "../support/usage-error.ts";

/** One flag of a command line. */
export interface Flag {
  /** Such as "--host". */
  readonly name: string;
  /** Its value in the help: "<host>" is required, "[port]" is an optional number. Absent if the flag has no value. */
  readonly value?: string;
  /** The environment variable that is used without the flag. */
  readonly variable?: string;
  readonly repeatable?: boolean;
  readonly help: string;
}

/** The words of a command line, sorted. */
export interface CommandLine {
  /** The values of each flag; a flag without a value has an empty list. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Words that are neither flags nor their values. */
  readonly operands: readonly string[];
  /** The words after `--`, which Proffer does not interpret. */
  readonly rest: readonly string[];
}

/** @throws {UsageError} for an unknown flag, a missing or unexpected value, and a flag with two values. */
export function parseCommandLine(words: readonly string[], table: readonly Flag[]): CommandLine {
  const end = words.indexOf("--");
  const own = end === -1 ? words : words.slice(0, end);
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  for (let index = 0; index < own.length; index++) {
    const word = own[index] as string;
    if (!word.startsWith("-")) {
      operands.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const flag = findFlag(equals === -1 ? word : word.slice(0, equals), table);
    const written = equals === -1 ? undefined : word.slice(equals + 1);
    const next = written ?? followingValue(flag, own[index + 1]);
    if (written === undefined && next !== undefined) index++;
    flags.set(flag.name, addValue(flag, flags.get(flag.name) ?? [], next));
  }
  return { flags, operands, rest: end === -1 ? [] : words.slice(end + 1) };
}

/** The description of a flag in the help. */
export function describeFlag({ help, variable }: Flag): string {
  return variable === undefined ? help : `${help} [$${variable}]`;
}

/** The help for all flags, one per line. */
export function describeFlags(table: readonly Flag[]): string {
  const names = table.map(({ name, value }) => (value === undefined ? name : `${name} ${value}`));
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  return table.map((flag, index) => `  ${names[index]?.padEnd(width)}${describeFlag(flag)}`).join("\n");
}

function findFlag(name: string, table: readonly Flag[]): Flag {
  const flag = table.find((each) => each.name === name);
  if (flag !== undefined) return flag;
  const similar = findSimilar(
    name,
    table.map((each) => each.name),
  );
  const hint = similar === undefined ? "--help shows all options." : `Did you mean ${similar}?`;
  throw wrongFlag(`Unknown option ${JSON.stringify(name)}. ${hint}`);
}

/** The value of a flag that is the next word. An optional value is a number: `--http tools.ts` names a module. */
function followingValue({ value }: Flag, next: string | undefined): string | undefined {
  if (value === undefined || next === undefined || next.startsWith("-")) return undefined;
  return value.startsWith("<") || /^\d+$/.test(next) ? next : undefined;
}

function addValue({ name, value, repeatable }: Flag, earlier: readonly string[], next: string | undefined): string[] {
  if (value === undefined && next !== undefined) {
    throw wrongFlag(`${name} accepts no value, not ${JSON.stringify(next)}.`);
  }
  if (!next && (next === "" || value?.startsWith("<"))) {
    throw wrongFlag(`${name} requires a value: ${name} ${value}.`);
  }
  if (next === undefined) return [...earlier];
  const [first] = earlier;
  if (!repeatable && first !== undefined && first !== next) {
    throw wrongFlag(`${name} has two values: ${first} and ${next}. Use one of them.`);
  }
  return repeatable || first === undefined ? [...earlier, next] : [...earlier];
}

/** The error of a flag or a variable whose value cannot be used. */
export function wrongFlag(message: string): UsageError {
  return new UsageError(message);
}
