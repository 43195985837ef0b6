export type { Fault, Match, MatchOptions, TemplateValue } from "./uri/match.ts";
export {
  type Expression,
  MAX_TEMPLATE_LENGTH,
  MAX_URI_LENGTH,
  type Operator,
  type Part,
  TemplateError,
  type Variable,
} from "./uri/parse.ts";
export { createRouter, type RouteMatch, type Router, type RouterOptions } from "./uri/routes.ts";
export type { Expandable, Scalar } from "./uri/template.ts";
export {
  parseTemplate,
  type Template,
  type TemplateOptions,
  type TemplateValues,
  type TemplateVariables,
} from "./uri/template.ts";
