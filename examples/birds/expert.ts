import { type Context, field } from "proffer";
import { type Kind, MENUS } from "./taxonomy.ts";

/** The user's answers so far: for each attribute, the values that the bird has or does not have. */
type Facts = Map<string, Map<string, boolean>>;

/** Finds the first bird, in the order of the taxonomy, all of whose traits are present. */
export async function identify(
  kinds: readonly Kind[],
  ctx: Context,
  facts: Facts = new Map(),
  inherited = {},
): Promise<string | undefined> {
  for (const kind of kinds) {
    const traits = { ...inherited, ...kind.traits };
    const found = kind.kinds
      ? await identify(kind.kinds, ctx, facts, traits)
      : (await hasAll(traits, ctx, facts)) && kind.name;
    if (found) return found;
  }
  return undefined;
}

async function hasAll(traits: Kind["traits"], ctx: Context, facts: Facts): Promise<boolean> {
  for (const attribute of Object.keys(traits).sort()) {
    if (!(await has(attribute, traits[attribute] ?? "", ctx, facts))) return false;
  }
  return true;
}

/** Whether the bird has the value: from the known facts, or else by asking. */
async function has(attribute: string, value: string, ctx: Context, facts: Facts): Promise<boolean> {
  const known = facts.get(attribute) ?? new Map<string, boolean>();
  facts.set(attribute, known);
  // An attribute has one value: if another value is known, this one is wrong.
  if (known.has(value) || [...known.values()].includes(true)) return known.get(value) ?? false;
  const menu = MENUS[attribute];
  if (menu === undefined) {
    const answer = await ctx.ask(`${attribute}: ${value}?`, { answer: field.choice(["yes", "no"]) });
    known.set(value, answer.action === "accept" && answer.content.answer === "yes");
    return known.get(value) ?? false;
  }
  const answer = await ctx.ask(`What is the value for ${attribute}?`, { answer: field.choice(menu) });
  // Without an answer the value stays unknown, and the next bird asks again.
  if (answer.action !== "accept") return false;
  known.set(answer.content.answer, true);
  return answer.content.answer === value;
}
