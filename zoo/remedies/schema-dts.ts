import type { Person, PostalAddress, Recipe, Thing } from "schema-dts";
import { accepts, refuses } from "../expect.ts";

type TypeOf<T> = Exclude<T, string> extends { "@type": infer Name } ? Name : never;

/** Saves a recipe. */
export function saveRecipe(recipe: {
  "@context": "https://schema.org";
  "@type": TypeOf<Recipe>;
  name: string;
}): string {
  return recipe.name;
}
accepts(saveRecipe, [{ "@context": "https://schema.org", "@type": "Recipe", name: "A" }]);
refuses(saveRecipe, [{ "@context": "https://schema.org", "@type": "Person", name: "A" }]);

/** Saves a person. */
export function savePerson(person: { "@type": TypeOf<Person>; givenName?: string }): string {
  return String(person.givenName);
}
accepts(savePerson, [{ "@type": "Person", givenName: "A" }]);
refuses(savePerson, [{ "@type": "Recipe" }]);

/** Publishes anything. */
export function publish(thing: { "@type": TypeOf<Thing>; name: string }): string {
  return thing.name;
}
accepts(publish, [{ "@type": "Book", name: "A" }]);
refuses(publish, [{ "@type": "Boook", name: "A" }]);

/** Saves an address. */
export function saveAddress(address: { "@type": TypeOf<PostalAddress>; addressLocality?: string }): string {
  return String(address.addressLocality);
}
accepts(saveAddress, [{ "@type": "PostalAddress", addressLocality: "Bern" }]);
