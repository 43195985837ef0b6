import { defineServer, defineTool } from "proffer";
import { identify } from "./expert.ts";
import { BIRDS } from "./taxonomy.ts";

export default defineServer({
  name: "birds-expert",
  version: "1.0.0",
  instructions: "Identifies a bird by asking the user about it.",
  tools: [
    defineTool({
      name: "identify_bird",
      description: "Identifies a bird by asking questions about its characteristics.",
      annotations: { readOnlyHint: true },
      requires: ["elicitation"],
      async handle(_, ctx) {
        const bird = await identify(BIRDS, ctx);
        return bird ? `Identified bird: ${bird}` : "No bird could be identified from the given characteristics.";
      },
    }),
  ],
});
