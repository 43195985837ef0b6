import { z } from "zod";

/** The arguments of each kind of tool, as most peers accept them. `json-schemas.mjs` has the same in JSON Schema. */
export const SHAPES = {
  echo: { message: z.string() },
  nested: {
    items: z.array(
      z.object({
        id: z.number().int(),
        name: z.string(),
        tags: z.array(z.string()),
        pos: z.object({ x: z.number(), y: z.number() }),
        active: z.boolean(),
      }),
    ),
  },
  dialogue: {},
  touch: {},
};

/** The form of each question of a dialogue. */
export const QUESTION = z.object({ value: z.string() });

export const SCHEMAS = Object.fromEntries(Object.entries(SHAPES).map(([kind, shape]) => [kind, z.object(shape)]));
