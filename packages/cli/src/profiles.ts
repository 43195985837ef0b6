export { connectAs } from "./profiles/connect-as.ts";
export type { ModelTool } from "./profiles/cut.ts";
export { type Effect, findLosses, type Loss, resultSeenBy, toolsSeenBy } from "./profiles/losses.ts";
export type {
  Cell,
  NameRules,
  Profile,
  Question,
  ResultRules,
  SchemaRules,
  TimeRules,
  ToolRules,
} from "./profiles/profile.ts";
export { findProfile, PROFILES } from "./profiles/table.ts";
