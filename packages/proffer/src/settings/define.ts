import type { FromJsonSchema } from "../schema/schema.ts";
import { type Environment, readSettings } from "./read.ts";
import { checkSettingsSchema, type SettingsSchema } from "./schema.ts";

/** Options for `defineSettings`. */
export interface SettingsOptions {
  /** The variables to read. Default: those of the process. */
  readonly env?: Environment;
}

/**
 * Reads the settings of a server from environment variables, by a JSON Schema whose properties are their names. Mark a
 * secret with `writeOnly: true`.
 * @throws {UsageError} `bad_settings`, with all problems at once.
 */
export function defineSettings<const Schema extends SettingsSchema>(
  schema: Schema,
  options?: SettingsOptions,
): Readonly<FromJsonSchema<Schema>>;
/**
 * Reads the settings of a server from environment variables. Proffer derives the schema from the type and its comments,
 * and checks the variables before it imports the module.
 * @throws {UsageError} `bad_settings`, with all problems at once.
 * @example
 * const settings = defineSettings<{
 *   /** The key of your shop. @secret *\/
 *   SHOP_TOKEN: string;
 *   REGION?: "eu" | "us";
 * }>();
 */
export function defineSettings<Settings extends object>(
  schema?: undefined,
  options?: SettingsOptions,
): Readonly<Settings>;
export function defineSettings(schema?: SettingsSchema, { env = processEnv() }: SettingsOptions = {}): object {
  checkSettingsSchema(schema);
  return Object.freeze(readSettings(schema, env));
}

/**
 * Checks the settings of a manifest before the author's module is imported.
 *
 * Internal: used by @proffer/cli and by the code that `proffer build` writes. No stability promise.
 *
 * @internal
 * @throws {UsageError} `bad_settings`, with all problems at once.
 */
export function checkSettings(schema: SettingsSchema | undefined, env: Environment = processEnv()): void {
  if (schema !== undefined) readSettings(schema, env);
}

function processEnv(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } };
  return process?.env ?? {};
}
