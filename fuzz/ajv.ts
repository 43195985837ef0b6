import { Ajv2020 } from "ajv/dist/2020.js";
import { formats } from "../packages/proffer/src/schema/json-schema/formats.ts";

/** Creates an ajv that knows the formats of our validator, to compare the two. */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    validateSchema: false,
    logger: false,
  });
  // Tracking of unevaluated properties makes ajv throw on some valid schemas, and is not needed here.
  ajv.opts.unevaluated = false;
  for (const [format, { check }] of formats) ajv.addFormat(format, check);
  return ajv;
}
