export type { SkillFolder, SkillSource, SkillsOption } from "./providers/skills/folder.ts";
export type { FrontmatterValue } from "./providers/skills/frontmatter.ts";
export { defineSkill, type Skill, type SkillAccess, type SkillOptions } from "./providers/skills/skill.ts";
