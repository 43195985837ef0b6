import type { OpenAPIV3, OpenAPIV3_1 } from "openapi-types";
import { accepts, cannotReturn, refuses, returns } from "../expect.ts";

/** Reads a document. */
export function read(
  document: Pick<OpenAPIV3.Document, "openapi" | "info" | "paths" | "components" | "tags">,
): OpenAPIV3.InfoObject {
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

/** Lists servers. */
export const servers = (document: Pick<OpenAPIV3_1.Document, "servers">): readonly OpenAPIV3_1.ServerObject[] =>
  document.servers ?? [];
accepts(servers, [{}], [{ servers: [{ url: "a", variables: { v: { default: "x", enum: ["x", "y"] } } }] }]);
refuses(servers, [{ servers: [{}] }], [{ servers: [{ url: "a", variables: { v: { enum: ["x", "y"] } } }] }]);
returns(servers, [{ url: "a" }]);

/** Lists methods. */
export const methods = (of: `${OpenAPIV3.HttpMethods}`[]): Partial<Record<OpenAPIV3.HttpMethods, number>> => {
  throw new Error(of.join());
};
accepts(methods, [["get", "post"]]);
refuses(methods, [["GET"]]);
returns(methods, { ["get" as OpenAPIV3.HttpMethods]: 5 });
