import { findProfile, PROFILES, type Profile } from "proffer/profiles";
import { WrongUsage } from "../terminal/command-error.ts";

/** Returns the profiles that a flag names, separated by commas. @throws {WrongUsage} for an unknown one. */
export function profilesOf(flag: string, names: string): Profile[] {
  return names.split(",").map((name) => {
    const id = name.trim();
    if (PROFILES.some((profile) => profile.id === id)) return findProfile(id);
    const known = PROFILES.map((profile) => profile.id).join(", ");
    throw new WrongUsage(`Unknown client ${JSON.stringify(id)} in ${flag}. Known clients: ${known}.`);
  });
}
