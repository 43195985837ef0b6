import type { MeasuredClient } from "./profile.ts";

// Written by `npm run clients -- --write`: the cells that were measured with the clients themselves.

export const MEASURED: { readonly [id: string]: MeasuredClient } = {
  "claude-code": {
    version: "2.1.326",
    day: "2026-11-19",
    cells: {
      revision: "2026-07-28",
      tools: { firstPage: false, deferred: false },
      toolNames: {
        words: "mcp__lab__words",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "mcp__lab__long_60_name_name_name_name_name_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "mcp__lab__long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90",
      },
      schemas: {},
      results: { mixed: ["a text"], large: ["the end of a text of 299999 characters"] },
      resources: true,
      questions: ["form", "roots", "url"],
    },
  },
  codex: {
    version: "0.169.0",
    day: "2026-11-19",
    cells: {
      revision: "2025-06-18",
      tools: { firstPage: false, deferred: false },
      toolNames: {
        words: "mcp__lab__words",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "mcp__lab__long_60_name_name_name_name_name_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "mcp__lab__long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90",
        long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128:
          "mcp__lab__long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n_11a7e93f43b8",
      },
      schemas: {
        union: ["const"],
        constraints: [
          "default",
          "format",
          "maxItems",
          "maxLength",
          "maximum",
          "minLength",
          "minimum",
          "pattern",
          "uniqueItems",
        ],
      },
      results: { mixed: ["a text"], pictured: ["an image"], large: ["the end of a text of 299999 characters"] },
      resources: true,
      questions: ["form", "url"],
    },
  },
  "gemini-cli": {
    version: "0.61.0",
    day: "2026-11-19",
    cells: {
      revision: "2025-06-18",
      tools: { firstPage: true, deferred: false },
      toolNames: {
        words: "mcp_lab_words",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "mcp_lab_long_60_name_name_name...me_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "mcp_lab_long_90_name_name_name...me_name_name_name_name_name_90",
        long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128:
          "mcp_lab_long_128_name_name_nam..._name_name_name_name_name_n128",
      },
      schemas: {},
      results: {
        number: ["the whole result"],
        list: ["the whole result"],
        mixed: ["structured content"],
        pictured: ["structured content"],
        large: ["the end of a text of 299999 characters"],
      },
      resources: true,
      questions: ["roots"],
    },
  },
  opencode: {
    version: "1.18.33",
    day: "2026-11-19",
    cells: {
      revision: "2025-11-25",
      tools: { firstPage: false, deferred: false },
      toolNames: {
        words: "lab_words",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "lab_long_60_name_name_name_name_name_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "lab_long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90",
        long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128:
          "lab_long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128",
      },
      schemas: {},
      results: {
        mixed: ["structured content"],
        pictured: ["structured content"],
        linked: ["the whole result"],
        large: ["the end of a text of 299999 characters"],
      },
      resources: true,
      questions: ["roots"],
    },
  },
};
