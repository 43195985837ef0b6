import { describe, it } from "vitest";
import { runSnippet, useSnippets } from "./docs-snippets.ts";

const { folder, snippets } = useSnippets();

describe("the snippets of the documentation", () => {
  // Settings need a derived schema; settings.test.ts of the command line loads those of the documentation.
  const runnable = snippets.filter(({ code }) => !code.includes("defineSettings<"));

  it.concurrent.each(runnable)("run: $place", (snippet) => runSnippet(snippet, folder));
});
