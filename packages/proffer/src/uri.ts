export type { Expandable, Scalar } from "./uri/expand.ts";
export type { Expression, Operator, Part, Variable } from "./uri/expression.ts";
export { MAX_TEMPLATE_LENGTH, MAX_URI_LENGTH } from "./uri/parse.ts";
export type { ParsedTemplate } from "./uri/parsed-template.ts";
export type { Fault, Match, MatchOptions, TemplateValue } from "./uri/reading.ts";
export { createRouter, type RouteMatch, type Router, type RouterOptions } from "./uri/router.ts";
export { parseTemplate, type Template, type TemplateOptions } from "./uri/template.ts";
export { TemplateError } from "./uri/template-error.ts";
export type { TemplateValues, TemplateVariables } from "./uri/template-types.ts";
