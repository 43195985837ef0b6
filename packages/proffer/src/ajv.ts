export { type AjvSchemaOptions, ajvSchema } from "./adapters/ajv-schema.ts";
