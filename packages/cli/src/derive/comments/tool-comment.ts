import type { DocComment } from "./doc-comment.ts";

/** The first words of comments for linters, formatters, coverage, minifiers and bundlers. */
const INSTRUCTION =
  /^(?:(?:eslint|oxlint|tslint|jshint|jslint|biome|prettier|stylelint)\b[-:\s]|(?:istanbul|c8|v8|node:coverage)\s+ignore\b|[#@]__\w+__|webpack\w+:|globals?\s+\w+\s*$)/;
/** Tags for compilers and test runners, which describe nothing. */
const INSTRUCTION_TAG = /^(?:ts-|eslint-|jsx|jest-|vitest-|vite-|biome-|prettier|flow|noflow|nocheck|__)/;
const LEGAL = /^(?:copyright\b|\(c\)|©|licensed under\b|spdx-license-identifier)/i;

/**
 * Whether a comment is not about the code after it: a license, a description of the file, or an instruction for a tool.
 * It must not hide the comment before it.
 */
export function isToolComment({ text, tags }: DocComment): boolean {
  const has = (...names: string[]) => tags.some(({ name }) => names.includes(name.toLowerCase()));
  if (has("param", "returns")) return false;
  if (has("file", "fileoverview", "overview", "license", "copyright", "preserve") || LEGAL.test(text)) return true;
  if (INSTRUCTION.test(text)) return true;
  return text === "" && tags.length > 0 && tags.every(({ name }) => INSTRUCTION_TAG.test(name));
}
