import { UsageError } from "proffer";
import { ASSISTANTS } from "./assistants.ts";
import { EDITORS } from "./editors.ts";
import { MEASURED } from "./measured.ts";
import type { Profile } from "./profile.ts";

/** Marks the cells that were measured. Their values are those of the row: a run compares them. */
function withMeasured(profile: Profile): Profile {
  const measured = MEASURED[profile.id];
  if (measured === undefined) return profile;
  const { version, day, cells } = measured;
  const marked = Object.entries(profile).map(([name, value]) => {
    if (!Object.hasOwn(cells, name)) return [name, value];
    return [name, { ...value, known: "measured", source: `measured with ${version}`, checked: day }];
  });
  return Object.fromEntries(marked);
}

/** The known facts about each client, with sources and dates. */
export const PROFILES: readonly Profile[] = [...ASSISTANTS, ...EDITORS].map(withMeasured);

/** Returns the profile with an id, such as "codex". @throws {UsageError} for an unknown one. */
export function findProfile(id: string): Profile {
  const profile = PROFILES.find((one) => one.id === id);
  if (profile !== undefined) return profile;
  const known = PROFILES.map((one) => one.id).join(", ");
  throw new UsageError(`Unknown client ${JSON.stringify(id.slice(0, 80))}. Known clients: ${known}.`);
}
