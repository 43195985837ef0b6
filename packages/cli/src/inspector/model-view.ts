import { tokensOf } from "proffer/derived";
import { findLosses, findProfile, PROFILES, type Profile, toolsSeenBy } from "proffer/profiles";
import { bytesOf } from "../derive/model/tool-size.ts";
import { costOf, costParts } from "../doctor/tool-cost.ts";
import type { Listing } from "../terminal/listing.ts";
import { ApiProblem } from "./api-problem.ts";
import { toListing } from "./findings.ts";
import type { ModelView, ToolCostView } from "./protocol/api.ts";
import type { JsonObject } from "./protocol/json.ts";
import type { Offer } from "./protocol/offer.ts";

/** Returns a profile by its id. @throws {ApiProblem} */
export function profileOf(id: string): Profile {
  if (PROFILES.some((profile) => profile.id === id)) return findProfile(id);
  throw new ApiProblem(404, "unknown_client", `No profile has the id ${JSON.stringify(id.slice(0, 100))}.`);
}

/** Returns what the model of a client gets of a tool. @throws {ApiProblem} if there is no such tool. */
export function viewAs(profile: Profile, tool: string, offer: Offer): ModelView {
  const { name } = findTool(tool, offer);
  return viewTools(profile, offer).get(name) as ModelView;
}

/** Returns what the model of a client gets of all tools, by their names. */
export function viewTools(profile: Profile, offer: Offer): ReadonlyMap<string, ModelView> {
  const { tools } = toListing(offer);
  const { name: server } = offer.server;
  const { title: client } = profile;
  const losses = new Map<string, string[]>(tools.map(({ name }) => [name, []]));
  for (const { tool, effect, what } of findLosses(profile, server, tools)) {
    losses.get(tool)?.push(`${client} ${effect} ${what}`);
  }
  const views = new Map<string, ModelView>();
  for (const [name, lost] of losses) views.set(name, { client, losses: lost });
  for (const { original, ...seen } of toolsSeenBy(profile, server, tools)) {
    const declaration = seen as unknown as JsonObject;
    views.set(original, { client, losses: losses.get(original) ?? [], declaration, tokens: tokensOf(bytesOf(seen)) });
  }
  return views;
}

/** Returns what a tool costs, by its parts. @throws {ApiProblem} if there is no such tool. */
export function costView(tool: string, offer: Offer): ToolCostView {
  const found = findTool(tool, offer);
  const { tokens, output } = costOf(found);
  return { tokens: tokens - output, output, parts: costParts(found) };
}

function findTool(tool: string, offer: Offer): Listing["tools"][number] {
  const found = toListing(offer).tools.find(({ name }) => name === tool);
  if (found !== undefined) return found;
  throw new ApiProblem(404, "unknown_tool", `The server has no tool ${JSON.stringify(tool.slice(0, 100))} now.`);
}
