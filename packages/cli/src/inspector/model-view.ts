import { tokensOf } from "proffer/derived";
import { findLosses, findProfile, PROFILES, type Profile, toolsSeenBy } from "proffer/profiles";
import { bytesOf } from "../derive/model/schema-size.ts";
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
  const { tools } = toListing(offer);
  findTool(tool, offer);
  const server = offer.server.name;
  const losses = findLosses(profile, server, tools).filter((loss) => loss.tool === tool);
  const seen = toolsSeenBy(profile, server, tools).find(({ original }) => original === tool);
  const { original: _, ...declaration } = seen ?? {};
  return {
    client: profile.title,
    losses: losses.map(({ effect, what }) => `${profile.title} ${effect} ${what}`),
    ...(seen !== undefined && {
      declaration: declaration as unknown as JsonObject,
      tokens: tokensOf(bytesOf(declaration)),
    }),
  };
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
