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
        number: "mcp__lab__number",
        list: "mcp__lab__list",
        structured: "mcp__lab__structured",
        mixed: "mcp__lab__mixed",
        picture: "mcp__lab__picture",
        pictured: "mcp__lab__pictured",
        linked: "mcp__lab__linked",
        embedded: "mcp__lab__embedded",
        broken: "mcp__lab__broken",
        large: "mcp__lab__large",
        union: "mcp__lab__union",
        constraints: "mcp__lab__constraints",
        tree: "mcp__lab__tree",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "mcp__lab__long_60_name_name_name_name_name_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "mcp__lab__long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90",
        ask: "mcp__lab__ask",
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
        number: "mcp__lab__number",
        list: "mcp__lab__list",
        structured: "mcp__lab__structured",
        mixed: "mcp__lab__mixed",
        picture: "mcp__lab__picture",
        pictured: "mcp__lab__pictured",
        linked: "mcp__lab__linked",
        embedded: "mcp__lab__embedded",
        broken: "mcp__lab__broken",
        large: "mcp__lab__large",
        union: "mcp__lab__union",
        constraints: "mcp__lab__constraints",
        tree: "mcp__lab__tree",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "mcp__lab__long_60_name_name_name_name_name_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "mcp__lab__long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90",
        long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128:
          "mcp__lab__long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n_11a7e93f43b8",
        ask: "mcp__lab__ask",
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
        number: "mcp_lab_number",
        list: "mcp_lab_list",
        structured: "mcp_lab_structured",
        mixed: "mcp_lab_mixed",
        picture: "mcp_lab_picture",
        pictured: "mcp_lab_pictured",
        linked: "mcp_lab_linked",
        embedded: "mcp_lab_embedded",
        broken: "mcp_lab_broken",
        large: "mcp_lab_large",
        union: "mcp_lab_union",
        constraints: "mcp_lab_constraints",
        tree: "mcp_lab_tree",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "mcp_lab_long_60_name_name_name...me_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "mcp_lab_long_90_name_name_name...me_name_name_name_name_name_90",
        long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128:
          "mcp_lab_long_128_name_name_nam..._name_name_name_name_name_n128",
        ask: "mcp_lab_ask",
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
        number: "lab_number",
        list: "lab_list",
        structured: "lab_structured",
        mixed: "lab_mixed",
        picture: "lab_picture",
        pictured: "lab_pictured",
        linked: "lab_linked",
        embedded: "lab_embedded",
        broken: "lab_broken",
        large: "lab_large",
        union: "lab_union",
        constraints: "lab_constraints",
        tree: "lab_tree",
        long_60_name_name_name_name_name_name_name_name_name_name_60:
          "lab_long_60_name_name_name_name_name_name_name_name_name_name_60",
        long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90:
          "lab_long_90_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_90",
        long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128:
          "lab_long_128_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_name_n128",
        ask: "lab_ask",
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
