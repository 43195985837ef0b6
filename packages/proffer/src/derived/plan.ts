import type { CodecOptions } from "../schema/custom-codec.ts";
import type { TextKind } from "./codec-text.ts";

/**
 * How to encode a value that JSON cannot represent. A plan exists only where there is work to do: parts that the plan
 * does not mention stay unchanged.
 */
export type Plan =
  | { kind: TextKind }
  | { kind: "array"; items: Plan }
  /** By position; null leaves an element unchanged. `rest` applies to further elements. */
  | { kind: "tuple"; items: (Plan | null)[]; rest?: Plan }
  /** By name; `rest` applies to names that are not in `properties`. */
  | { kind: "object"; properties?: Record<string, Plan>; rest?: Plan }
  /** A Set as an array. */
  | { kind: "set"; items?: Plan }
  /** A Map with string keys as an object. */
  | { kind: "map"; values?: Plan }
  /** A Map with other keys as an array of pairs. */
  | { kind: "entries"; keys?: Plan; values?: Plan }
  /** The first option that recognizes the value; strings in `keep` stay unchanged. */
  | { kind: "union"; options: PlanOption[]; keep?: string[] }
  /** A plan in the codec's `defs`, for recursive types. */
  | { kind: "ref"; name: string }
  | CustomPlan
  | ResultPlan;

/** A codec of the author. */
export interface CustomPlan {
  kind: "custom";
  /** The export of the module with the codec, or, in a linked plan, the codec. */
  codec: string | CodecOptions<unknown, unknown>;
  /** The name of its type, for messages. */
  name: string;
  /** The JSON types of its JSON form; absent if it may have any. */
  types?: ("null" | "boolean" | "number" | "string" | "array" | "object")[];
  /** The plan of the JSON form, if it has parts that JSON cannot represent. */
  json?: Plan;
}

/** Plans that exist only in results: JSON does not say which class to decode to. */
export type ResultPlan =
  /** Any value, by its class at run time. */
  | { kind: "any" }
  /** An Error as its name and message. */
  | { kind: "error" }
  /** The value that the method `toJSON` returns, encoded by a plan of its own. */
  | { kind: "json"; value?: Plan }
  /** An element of an array, where JSON writes undefined as null. */
  | { kind: "nullable"; value?: Plan };

export interface PlanOption {
  plan: Plan;
  /** The option applies to objects whose property has one of these values. */
  when?: PlanCondition;
}

export interface PlanCondition {
  property: string;
  values: (string | number | boolean | null)[];
}

/** A plan and the named plans that it refers to, as plain JSON. */
export interface Codec {
  plan: Plan;
  defs?: Record<string, Plan>;
  /** A plan is a codec of the author, so the plans must be linked with the module. */
  custom?: true;
}
