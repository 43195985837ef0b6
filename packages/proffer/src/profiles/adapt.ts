import type { Call } from "../calls/call.ts";
import { AdaptedCall } from "./adapted-call.ts";
import { findProfile } from "./find.ts";
import { type ProfileId, profileOf } from "./known.ts";
import { createShape, type Shape } from "./shape.ts";

const shapes = new Map<ProfileId, Shape | undefined>();

/**
 * Prepares the conversions for the client of a call, if it has a profile. A shortened name is replaced by the name of its
 * tool before anything reads it: scopes, visibility and middleware must decide about the tool that runs. `resourceTools`
 * has the names of the tools that read resources.
 */
export function adaptCall(call: Call, resourceTools: readonly string[]): void {
  const id = profileOf(call.client.info)?.id;
  const shape = id === undefined ? undefined : shapeOf(id);
  if (shape === undefined) return;
  call.adapted = new AdaptedCall(shape, call, resourceTools);
  const { name } = call.params;
  if (call.method !== "tools/call" || typeof name !== "string" || call.server.tools.get(name) !== undefined) return;
  if (resourceTools.includes(name)) return;
  const original = call.adapted.originalOf(name);
  if (original !== undefined) call.params = { ...call.params, name: original };
}

/** Clients with the same needs share a shape, and so their lists. */
function shapeOf(id: ProfileId): Shape | undefined {
  if (!shapes.has(id)) {
    const { adapts, toolNames } = findProfile(id);
    shapes.set(id, createShape(adapts, toolNames?.value));
  }
  return shapes.get(id);
}
