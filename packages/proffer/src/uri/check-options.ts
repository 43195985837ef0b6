import type { Variable } from "./expression.ts";
import type { Pairs } from "./pairs.ts";
import type { Plan } from "./plan.ts";
import type { MatchOptions } from "./reading.ts";
import { dropEmptySegments } from "./segments.ts";
import { quote, TemplateError } from "./template-error.ts";

/** Rejects options that do not fit the template. @throws {TemplateError} */
export function checkOptions(text: string, variables: readonly Variable[], plan: Plan, options: MatchOptions): void {
  if (options.emptySegments === "drop") checkSegments(text, plan);
  for (const name of options.maps ?? []) {
    if (variables.some((variable) => variable.name === name && variable.explode)) continue;
    throw new TemplateError(text, 0, `${quote(name)} cannot be a map, because the template has no {${name}*}.`);
  }
  checkMaps(text, plan.query, options);
  for (const { pairs } of [...plan.path.holes, ...(plan.fragment?.holes ?? [])]) {
    if (pairs !== undefined) checkMaps(text, pairs, options);
  }
}

function checkMaps(text: string, pairs: Pairs, options: MatchOptions): void {
  const maps = pairs.list.filter(({ variable }) => variable && options.maps?.includes(variable.name));
  if (maps.length < 2) return;
  const names = maps.map(({ key }) => key).join(" and ");
  throw new TemplateError(text, 0, `${names} cannot both be the map of all unnamed keys. Choose one.`);
}

function checkSegments(text: string, plan: Plan): void {
  let path = plan.path.prefix;
  for (const hole of plan.path.holes) path += `${hole.lead}x${hole.after}`;
  path += plan.path.suffix;
  if (dropEmptySegments(path) === path) return;
  throw new TemplateError(
    text,
    0,
    `the template has an empty segment, but emptySegments: "drop" removes those from every URI. Remove it.`,
  );
}
