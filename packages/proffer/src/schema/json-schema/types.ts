/** A JSON Schema of the 2020-12 dialect. */
export type JsonSchema = boolean | JsonSchemaObject;

/**
 * A JSON Schema written as an object. The keywords are typed loosely, so that a literal fits with or without `as const`;
 * what a keyword really takes is checked when the schema is compiled.
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
  /** Proffer only, never published: accepts the patterns beside it although their cost cannot be bounded. */
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
  /** RFC 6901 pointer to the place in the value; "" is the whole value. A name of more than 100 characters is cut. */
  pointer: string;
  /** What is wrong there, in words that let a language model mend its call. */
  message: string;
}

/** A schema made ready to judge values as `JSON.parse` makes them. */
export interface CompiledSchema {
  /** Tells whether the value matches, as fast as possible. */
  check(value: unknown): boolean;
  /** Lists what is wrong with the value: nothing if it matches, at most 100 issues and a count of the rest if it does not. */
  issues(value: unknown): SchemaIssue[];
}
