import { asText, type Cut } from "./cut.ts";

// What crates/goose/src/agents/extension_manager.rs and large_response_handler.rs of block/goose do (e94f304, April 2026).

const MAX_TEXT = 200_000;

export const goose: Cut = {
  names: (server, tools) => tools.map((tool) => `${server}__${tool}`),
  input: (schema) => schema,
  result: ({ content }) =>
    content.map((block) => {
      const length = block.type === "text" ? [...block.text].length : 0;
      if (length <= MAX_TEXT) return block;
      return asText(`The result has ${length} characters and is in a file, which other tools can search.`);
    }),
};
