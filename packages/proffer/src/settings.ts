export type { Environment } from "./settings/define.ts";
export {
  checkSettings,
  checkSettingsSchema,
  defineSettings,
  isRequired,
  isSecret,
  type SettingsOptions,
  type SettingsSchema,
} from "./settings/define.ts";
