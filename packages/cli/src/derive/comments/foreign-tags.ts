/**
 * Tags of JSDoc, TSDoc, TypeDoc, the Closure Compiler, TypeScript, linters, formatters and test runners, as they are
 * written. They are ignored without a warning, also where Proffer has a tag of the same name that does not fit.
 */
const FOREIGN = new Set(
  [
    // https://jsdoc.app, with synonyms
    "abstract access alias arg argument async augments author borrows bug callback class classdesc const constant",
    "constructor constructs copyright default defaultvalue deprecated desc description emits enum event example",
    "exception exports extends external file fileoverview fires func function generator global hideconstructor host",
    "ignore implements inheritdoc inheritDoc inner instance interface kind lends license link linkcode linkplain listens",
    "member memberof method mixes mixin module name namespace override overview package param private prop property",
    "protected public readonly requires return returns see since static summary this throws todo tutorial type typedef",
    "var variation version virtual yield yields",
    // https://tsdoc.org
    "alpha beta decorator defaultValue eventProperty experimental internal label packageDocumentation",
    "privateRemarks remarks sealed typeParam",
    // https://api-extractor.com
    "betaDocumentation internalRemarks preapproved undocumented",
    // https://typedoc.org
    "categoryDescription category disableGroups document expand expandType group groupDescription hidden",
    "hideCategories hideGroups import include includeCode inline inlineType jsx mergeModuleWith overload preventExpand",
    "preventInline primaryExport reexport showCategories showGroups sortStrategy subcategory template useDeclaredType",
    // The Closure Compiler and TypeScript
    "define dict export final nocollapse nocompile noinline nosideeffects preserve polymer record satisfies struct",
    "suppress unrestricted",
    // Comments for other tools, and habits
    "format flow noflow prettier noprettier nocheck jest-environment vitest-environment jsxFrag jsxImportSource",
    "jsxRuntime tag tags test testing note notes hint warning warn tip info date created updated changed changelog",
    "usage pure impure mutates complexity id key body query path route router response request security operationId",
    "swagger openapi controller service injectable component input output",
    "ts-check ts-nocheck ts-ignore ts-expect-error eslint-disable eslint-enable eslint-disable-next-line",
    "prettier-ignore biome-ignore __PURE__ __NO_SIDE_EFFECTS__ vue-ignore gqlType field entity index",
    "minimumVersion slot csspart cssprop attr attribute tagname element",
  ].flatMap((line) => line.split(" ")),
);

/** Whether another tool uses a tag of this name. */
export function isForeign(name: string): boolean {
  return FOREIGN.has(name);
}
