import type { Action, DayOfWeek, Graph, Person, PostalAddress, Recipe, Thing, WithContext } from "schema-dts";
import { accepts, refuses, returns, says } from "../expect.ts";

/** Saves a recipe. */
export function saveRecipe(recipe: WithContext<Recipe>): void {
  throw new Error(String(recipe));
}
accepts(
  saveRecipe,
  [{ "@context": "https://schema.org", "@type": "Recipe", name: "Soup" }],
  [{ "@context": "https://schema.org", "@type": "Recipe", author: { "@type": "Person", name: ["A", "B"] } }],
);
refuses(
  saveRecipe,
  [{ "@type": "Recipe" }],
  [{ "@context": "https://schema.org", "@type": "Soup" }],
  [{ "@context": "https://schema.org", "@type": "Recipe", nutrition: 5 }],
);

/** Saves a person. */
export function savePerson(person: Person): string {
  return String(person);
}
accepts(savePerson, ["Ada"], [{ "@type": "Person", knows: { "@type": "Person", name: "B" } }]);
refuses(savePerson, [{ "@type": "Person", name: 5 }], [5]);

/** Publishes anything. */
export function publish(thing: Thing): void {
  throw new Error(String(thing));
}
accepts(publish, [{ "@type": "Event", name: "Party" }]);
refuses(publish, [{ "@type": "Nothing" }]);

/** Saves an address. */
export function saveAddress(address: Exclude<PostalAddress, string>, graph?: Graph, action?: Action): void {
  throw new Error(String(address) + graph + action);
}
accepts(saveAddress, [{ "@type": "PostalAddress", addressCountry: "CH" }]);
refuses(saveAddress, [{ addressCountry: "CH" }], [{ "@type": "PostalAddress", postalCode: true }]);
says(saveAddress, "addressLocality");

/** Shows when the shop is open. */
export const openOn = (
  days: Extract<DayOfWeek, `https://${string}`>[],
): { day: Extract<DayOfWeek, `https://${string}`>; from: string }[] => days.map((day) => ({ day, from: "08:00" }));
accepts(openOn, [["https://schema.org/Monday"]]);
refuses(openOn, [["Monday"]], [["https://schema.org/Someday"]]);
returns(openOn, [{ day: "https://schema.org/Friday", from: "08:00" }]);
