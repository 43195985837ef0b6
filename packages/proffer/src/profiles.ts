export type { ModelTool } from "./profiles/cuts/cut.ts";
export { findProfile } from "./profiles/find.ts";
export { type ClientProfile, type ProfileId, profileOf } from "./profiles/known.ts";
export { type Effect, findLosses, type Loss } from "./profiles/losses.ts";
export type {
  Adaptation,
  Cell,
  NameRules,
  Profile,
  Question,
  ResultRules,
  SchemaRules,
  TimeRules,
  ToolRules,
} from "./profiles/profile.ts";
export { PROFILES } from "./profiles/table.ts";
export { resultSeenBy, toolsSeenBy } from "./profiles/view.ts";
export type {
  Annotations,
  CallResult,
  ContentBlock,
  EmbedBlock,
  Icon,
  LinkBlock,
  MediaBlock,
  Meta,
  ResourceContents,
  ResourceDescription,
  TextBlock,
  ToolAnnotations,
  ToolDescription,
} from "./protocol/model.ts";
