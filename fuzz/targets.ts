import { derive } from "./derive.ts";
import { framing } from "./framing.ts";
import { http } from "./http.ts";
import { jsonSchema } from "./json-schema.ts";
import { parse } from "./parse.ts";
import { patterns } from "./patterns.ts";
import { results } from "./results.ts";
import { seals } from "./seals.ts";
import type { Target } from "./target.ts";
import { types } from "./types.ts";
import { uriExpand } from "./uri-expand.ts";
import { uriMatch } from "./uri-match.ts";

export const targets: readonly Target[] = [
  parse,
  framing,
  http,
  uriMatch,
  uriExpand,
  jsonSchema,
  patterns,
  seals,
  results,
  derive,
  types,
];
