import type { Action, DayOfWeek, Graph, Person, PostalAddress, Recipe, Thing, WithContext } from "schema-dts";
import { accepts, refused, refuses, returns } from "../expect.ts";

/** Saves a recipe. */
export function saveRecipe(recipe: WithContext<Recipe>): void {
  throw new Error(String(recipe));
}
refused(saveRecipe, "PF1110");

/** Saves a person. */
export function savePerson(person: Person): string {
  return String(person);
}
refused(savePerson, "PF1110");

/** Publishes anything. */
export function publish(thing: Thing): void {
  throw new Error(String(thing));
}
refused(publish, "PF1110");

/** Saves an address. */
export function saveAddress(address: Exclude<PostalAddress, string>, graph?: Graph, action?: Action): void {
  throw new Error(String(address) + graph + action);
}
refused(saveAddress, "PF1110");

/** Shows when the shop is open. */
export const openOn = (
  days: Extract<DayOfWeek, `https://${string}`>[],
): { day: Extract<DayOfWeek, `https://${string}`>; from: string }[] => days.map((day) => ({ day, from: "08:00" }));
accepts(openOn, [["https://schema.org/Monday"]]);
refuses(openOn, [["Monday"]], [["https://schema.org/Someday"]]);
returns(openOn, [{ day: "https://schema.org/Friday", from: "08:00" }]);
