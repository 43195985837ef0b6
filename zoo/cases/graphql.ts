import {
  buildSchema,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  graphql,
  parse,
  type SourceLocation,
  validate,
} from "graphql";
import { cannotReturn, gives, refuses } from "../expect.ts";

const schema = buildSchema("type Query { user(id: ID!): User }\ntype User { id: ID! name: String }");

/** Runs a query. */
export async function run(source: string, variableValues?: Record<string, unknown>): Promise<ExecutionResult> {
  return graphql({
    schema,
    source,
    variableValues,
    rootValue: { user: ({ id }: { id: string }) => ({ id, name: "A" }) },
  });
}
gives(run, ['{ user(id: "1") { id name } }'], { data: { user: { id: "1", name: "A" } } });
gives(run, ["{ nope }"], { errors: [{ name: "GraphQLError", message: 'Cannot query field "nope" on type "Query".' }] });
refuses(run, [5]);

/** Checks a query. */
export function check(source: string): {
  errors: GraphQLFormattedError[];
  locations: (readonly SourceLocation[] | undefined)[];
} {
  const errors = validate(schema, parse(source));
  return { errors: errors.map((error) => error.toJSON()), locations: errors.map(({ locations }) => locations) };
}
gives(check, ["{ nope }"], {
  errors: [{ message: 'Cannot query field "nope" on type "Query".', locations: [{ line: 1, column: 3 }] }],
  locations: [[{ line: 1, column: 3 }]],
});

/** Explains why a query fails. */
export function explain(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { token: "SECRET" }, originalError: new Error("SECRET") });
}
gives(explain, ["no"], { name: "GraphQLError", message: "no" });

/** Parses a query. */
export function document(source: string): DocumentNode {
  return parse(source, { noLocation: true });
}
gives(document, ["{ a(b: [1, $c]) @d { ...F } }"]);
cannotReturn(document, { kind: "Document" });
