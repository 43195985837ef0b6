export { checkSettings, defineSettings, type SettingsOptions } from "./settings/define.ts";
export type { Environment } from "./settings/read.ts";
export { checkSettingsSchema, isRequired, isSecret, type SettingsSchema } from "./settings/schema.ts";
