/** A JSON Schema of the 2020-12 dialect. */
export type JsonSchema = boolean | JsonSchemaObject;

/**
 * A JSON Schema object. The keywords are typed loosely, so that literals are assignable with or without `as const`;
 * compiling the schema checks their values.
 */
export interface JsonSchemaObject {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly $anchor?: string;
  readonly $defs?: JsonSchemaMap;
  readonly $comment?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Proffer only, never sent to clients: accepts the patterns of this schema although their cost is not bounded. */
  readonly unsafePattern?: boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly contains?: JsonSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: JsonSchemaMap;
  readonly patternProperties?: JsonSchemaMap;
  readonly additionalProperties?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly dependentSchemas?: JsonSchemaMap;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly contentSchema?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/** Schemas by name. */
export interface JsonSchemaMap {
  readonly [name: string]: JsonSchema;
}

/** One reason why a value does not match a schema. */
export interface SchemaIssue {
  /** RFC 6901 pointer into the value; "" is the whole value. Names of more than 100 characters are truncated. */
  pointer: string;
  /** The problem, in words that let a language model correct its call. */
  message: string;
}

/** A compiled schema that validates values as returned by `JSON.parse`. */
export interface CompiledSchema {
  /** Whether the value matches. */
  check(value: unknown): boolean;
  /** Returns the issues of the value: none if it matches, otherwise at most 100 and a count of the rest. */
  issues(value: unknown): SchemaIssue[];
}
