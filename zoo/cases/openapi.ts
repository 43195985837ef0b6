import type { OpenAPIV3, OpenAPIV3_1 } from "openapi-types";
import { accepts, cannotReturn, refuses, returns } from "../expect.ts";

/** Reads a document. */
export function read(document: OpenAPIV3.Document): OpenAPIV3.InfoObject {
  return document.info;
}
accepts(read, [
  {
    openapi: "3.0.0",
    info: { title: "A", version: "1" },
    paths: {
      "/a": {
        get: {
          responses: { 200: { description: "Fine." } },
          parameters: [{ name: "q", in: "query" }, { $ref: "#/x" }],
        },
      },
    },
    components: { schemas: { A: { type: "object", properties: { a: { $ref: "#/components/schemas/A" } } } } },
  },
]);
refuses(
  read,
  [{ openapi: "3.0.0", info: { title: "A" }, paths: {} }],
  [{ openapi: "3.0.0", info: { title: "A", version: "1" }, paths: { "/a": { get: {} } } }],
);
returns(read, { title: "A", version: "1", contact: { email: "a" } });
cannotReturn(read, { title: "A" });

/** Checks a schema. */
export function check(schema: OpenAPIV3_1.SchemaObject): boolean {
  return schema.type !== undefined;
}
accepts(
  check,
  [{ type: "string", format: "date" }],
  [{ type: ["string", "null"] }],
  [{ type: "array", items: { $ref: "#/a" } }],
);
refuses(check, [{ type: "text" }], [{ type: "string", minLength: "5" }]);
returns(check, true);

/** Describes an operation. */
export function operation(id: string): OpenAPIV3.OperationObject<{ "x-rate"?: number }> {
  throw new Error(id);
}
returns(operation, { responses: { default: { $ref: "#/r" } }, "x-rate": 5, tags: ["a"] });
cannotReturn(operation, { responses: { default: {} } });
