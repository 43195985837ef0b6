import type { Server } from "proffer";
import { toServing } from "proffer/flags";
import type { Choice } from "proffer/process";
import { entryOf } from "../modules/copies.ts";
import type { Profile } from "../profiles/profile.ts";
import { findProfile, PROFILES } from "../profiles/table.ts";
import { explainFlags, WrongUsage } from "../terminal/command-error.ts";
import type { Target } from "./arguments.ts";

/** The flags of `serve` that choose the shown items. */
export interface ChoiceFlags {
  readonly toolsets?: readonly string[];
  readonly readOnly?: boolean;
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

const REMEDIES: { readonly [Kind in Exclude<Target["kind"], "module">]: string } = {
  url: "Start the server with it, or add ?toolsets=name to the URL.",
  command: "Write it after --, as a flag of the command.",
};

/**
 * Reads the flags as `serve` does, but without its variables: only its own words choose. Returns undefined
 * without flags. @throws {WrongUsage} for a list without names, and for a server that is no module.
 */
export function toChoice({ toolsets, readOnly, only, except }: ChoiceFlags, target?: Target): Choice | undefined {
  const given: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["--toolsets", toolsets],
    ["--read-only", readOnly ? [] : undefined],
    ["--only", only],
    ["--except", except],
  ];
  const flags = new Map(given.flatMap(([name, values]) => (values === undefined ? [] : [[name, values] as const])));
  const [first] = flags.keys();
  if (first !== undefined && target !== undefined && target.kind !== "module")
    throw new WrongUsage(`${first} applies to a module. ${REMEDIES[target.kind]}`);
  return explainFlags(() => toServing({ flags, operands: [], rest: [] }, {}).choice);
}

/** Shows the items that `serve` would show with this choice, or all without one. @throws {UsageError} for unknown names. */
export async function showChosen(server: Server, choice: Choice | undefined): Promise<void> {
  const { chooseItems, showAllToolsets } = await entryOf(server, "proffer/process");
  return choice === undefined ? showAllToolsets(server) : chooseItems([server], choice);
}

/** Returns the profiles that a flag names, separated by commas. @throws {WrongUsage} for an unknown one. */
export function profilesOf(flag: string, names: string): Profile[] {
  return names.split(",").map((name) => {
    const id = name.trim();
    if (PROFILES.some((profile) => profile.id === id)) return findProfile(id);
    const known = PROFILES.map((profile) => profile.id).join(", ");
    throw new WrongUsage(`Unknown client ${JSON.stringify(id)} in ${flag}. Known clients: ${known}.`);
  });
}
