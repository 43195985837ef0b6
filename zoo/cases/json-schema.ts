import type { JSONSchema4, JSONSchema7, JSONSchema7TypeName } from "json-schema";
import { accepts, cannotReturn, refuses, returns } from "../expect.ts";

/** Stores a schema. */
export function store(schema: JSONSchema7): JSONSchema7 {
  return schema;
}
accepts(
  store,
  [{}],
  [{ type: "object", properties: { a: { type: ["string", "null"] }, b: true }, required: ["a"] }],
  [{ items: [{ type: "string" }, false], default: [1, { a: null }], examples: [1] }],
  [{ definitions: { a: { $ref: "#/definitions/a" } }, const: null, enum: ["x", 1, [true]] }],
);
refuses(store, [{ type: "text" }], [{ required: "a" }], [{ properties: { a: 5 } }], [{ minimum: "5" }]);
returns(store, { type: "array", items: { type: "number" } });
cannotReturn(store, { type: 5 });

/** Lists the types of a schema. */
export const types = (of: JSONSchema7TypeName[]): Record<JSONSchema7TypeName, boolean> => {
  throw new Error(of.join());
};
accepts(types, [["string", "null"]]);
refuses(types, [["text"]]);
returns(types, {
  string: true,
  number: false,
  integer: false,
  boolean: false,
  object: true,
  array: false,
  null: false,
});
cannotReturn(types, { string: true });

/** Upgrades an old schema. */
export function upgrade(schema: JSONSchema4): JSONSchema7["title"] {
  return schema.title;
}
accepts(upgrade, [{ type: "any", required: true, extends: ["a"], other: { x: 1 } }]);
refuses(upgrade, [{ type: "text" }], [{ required: "a" }]);
returns(upgrade, undefined, "A");
